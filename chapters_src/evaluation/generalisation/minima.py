"""How steep the loss is around trained weights, and a change of weights that the outputs do not notice."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.core.training import loss_of

__all__ = ["rescaled", "sharpness"]


@checked(factors=above(0))
def rescaled(model: nn.Sequential, factors: Float[ndarray, "h"]) -> nn.Sequential:
    """A copy of linear–ReLU–linear with what enters hidden unit j times aⱼ and what leaves it divided by aⱼ.

    W₂ ReLU(W₁x + b₁) + b₂ = W₂ diag(1/a) ReLU(diag(a)(W₁x + b₁)) + b₂    {eq}`eq-generalisation-rescaling`
    """
    kinds = [type(layer) for layer in model]
    if kinds != [nn.Linear, nn.ReLU, nn.Linear]:
        refuse("model", "be linear, ReLU, linear", ", ".join(kind.__name__ for kind in kinds))
    other = copy.deepcopy(model)
    weights, biases, leaving, _ = other.parameters()
    require(len(factors) == len(biases), "factors", "be one for each hidden unit", len(factors))
    a = torch.as_tensor(factors).to(biases)
    with torch.no_grad():
        weights.mul_(a[:, None])
        biases.mul_(a)
        leaving.div_(a)
    return other


@checked(scale=at_least(0), draws=at_least(1))
def sharpness(
    model: nn.Module,
    loss: Callable[[nn.Module, Any], torch.Tensor],
    batch: Any,
    scale: float,
    generator: torch.Generator,
    relative: bool = False,
    draws: int = 20,
) -> float:
    """How much the loss rises on average when every weight gets noise of standard deviation ``scale``.

    mean L(θ + δε) − L(θ)                             {eq}`eq-generalisation-sharpness`

    With ``relative`` the noise of each weight matrix and bias vector is multiplied by its root mean square.
    """
    shaken = copy.deepcopy(model)
    with torch.no_grad():
        before, rises = float(loss_of(model, loss, batch)), []
        for _ in range(draws):
            for moved, kept in zip(shaken.parameters(), model.parameters(), strict=True):
                size = scale * (kept.square().mean().sqrt() if relative else 1.0)
                noise = torch.empty_like(kept, device=generator.device).normal_(generator=generator)
                moved.copy_(kept + size * noise.to(kept.device))
            rises.append(float(loss(shaken, batch)) - before)
    return float(np.mean(rises))
