"""A Gaussian around trained weights, and the band of predictions that it implies."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.func import functional_call, jacrev

from chapters_src.core.contract import checked
from chapters_src.core.readers import above
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.foundations.bayes import regression_posterior

__all__ = ["laplace_deviation", "weight_jacobian"]


@checked
def weight_jacobian(model: nn.Module, X: Float[Tensor, "n d"]) -> Float[ndarray, "n p"]:
    """The slope of the single output at each row of X in every parameter of the network."""
    weights = {name: one.detach() for name, one in model.named_parameters()}
    slopes = jacrev(lambda w: functional_call(model, w, (X,)).reshape(len(X)))(weights)
    return torch.cat([one.reshape(len(X), -1) for one in slopes.values()], dim=1).double().cpu().numpy()


@checked(variance=above(0), prior_variance=above(0))
def laplace_deviation(
    model: nn.Module,
    X: Float[Tensor, "n d"],
    X_new: Float[Tensor, "m d"],
    variance: float,
    prior_variance: float,
) -> Float[ndarray, "m"]:
    """How unsure the network's mean is at each new row, as a standard deviation, without the noise.

    j(x)ᵀ (JᵀJ/σ² + I/τ²)⁻¹ j(x), its root             {eq}`eq-regularisation-laplace`

    This is Bayesian regression with the slopes as features: the targets matter only through the weights.
    """
    J, new = weight_jacobian(model, X), weight_jacobian(model, X_new)
    belief = regression_posterior(J, np.zeros(len(J)), variance, prior_variance)
    return np.sqrt(np.sum((new @ belief.covariance) * new, axis=1))
