"""What else may be asked of a code: that noise is undone, and that small changes hardly move it."""

from __future__ import annotations

import torch

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.generative.autoencoder.networks import Autoencoder
from chapters_src.generative.autoencoder.rows import finite, of_model

__all__ = ["contraction", "corrupted", "denoising_error"]


@checked(X=finite, noise=at_least(0))
def corrupted(X: Float[Tensor, "n d"], noise: float, generator: torch.Generator) -> Float[Tensor, "n d"]:
    """x + ε with ε from N(0, noise²I), drawn by the generator and moved to the rows."""
    eps = torch.randn(X.shape, generator=generator, device=generator.device, dtype=X.dtype)
    return X + noise * eps.to(X.device)


@checked(X=of_model, noise=at_least(0))
def denoising_error(
    model: Autoencoder, X: Float[Tensor, "n {model.d}"], noise: float, generator: torch.Generator
) -> Float[Tensor, "n"]:
    """‖x − g(f(x + ε))‖² of each row, least for the conditional mean   {eq}`eq-autoencoder-denoising`."""
    return ((model.decode(model.encoder(corrupted(X, noise, generator))) - X) ** 2).sum(dim=1)


@checked(X=of_model)
def contraction(model: Autoencoder, X: Float[Tensor, "n {model.d}"]) -> Float[Tensor, "n"]:
    """‖∂f/∂x‖² of each row, all squared entries of the encoder's Jacobian; it can be differentiated again.

    Each of the codes needs one pass back, so this is for codes of a few numbers.
    """
    X = X.detach().requires_grad_(True)
    z = model.encoder(X)
    total = torch.zeros(len(X), dtype=X.dtype, device=X.device)
    for j in range(model.latent):
        # A row's code depends on that row alone, so the gradient of the sum holds every row's own.
        (slope,) = torch.autograd.grad(z[:, j].sum(), X, create_graph=True)
        total = total + (slope**2).sum(dim=1)
    return total
