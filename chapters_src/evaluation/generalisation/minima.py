"""How steep the loss is around trained weights, and a change of weights that the outputs do not notice."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import above, at_least

__all__ = ["rescaled", "sharpness"]


@checked(factor=above(0))
def rescaled(model: nn.Sequential, factor: float) -> nn.Sequential:
    """A copy of linear–ReLU–linear with the first layer times a and the second layer's weights divided by a.

    W₂ ReLU(W₁x + b₁) + b₂ = (W₂/a) ReLU(aW₁x + ab₁) + b₂    {eq}`eq-generalisation-rescaling`
    """
    kinds = [type(layer) for layer in model]
    if kinds != [nn.Linear, nn.ReLU, nn.Linear]:
        refuse("model", "be linear, ReLU, linear", ", ".join(kind.__name__ for kind in kinds))
    other = copy.deepcopy(model)
    with torch.no_grad():
        for first in other[0].parameters():
            first.mul_(factor)
        second, _ = other[2].parameters()
        second.div_(factor)
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
        before, rises = float(loss(model, batch)), []
        for _ in range(draws):
            for moved, kept in zip(shaken.parameters(), model.parameters(), strict=True):
                size = scale * (kept.square().mean().sqrt() if relative else 1.0)
                noise = torch.empty_like(kept, device=generator.device).normal_(generator=generator)
                moved.copy_(kept + size * noise.to(kept.device))
            rises.append(float(loss(shaken, batch)) - before)
    return float(np.mean(rises))
