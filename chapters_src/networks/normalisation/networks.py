"""Networks with a norm before each activation, and two norms for experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import sqrt

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import linear
from chapters_src.core.readers import above, at_least, between
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like_weights

__all__ = ["GhostBatchNorm", "Jolts", "normalised_mlp"]


@checked(widths=at_least(1), scale=above(0))
def normalised_mlp(
    widths: Sequence[int],
    norm: Callable[[int], nn.Module],
    generator: torch.Generator,
    scale: float = sqrt(2),
    device: Device = None,
    dtype: Dtype = None,
) -> nn.Sequential:
    """Linear layers of these widths, input first, and between two of them a norm and a ReLU.

    ``norm`` makes the norm for a number of units: ``nn.BatchNorm1d``, ``nn.LayerNorm``, ``nn.Identity``.
    """
    require(len(widths) >= 2, "widths", "be two numbers or more, input first", widths)
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        between = norm(outputs).to(device=device, dtype=dtype)
        layers += [linear(inputs, outputs, generator, scale, device=device, dtype=dtype), between, nn.ReLU()]
    return nn.Sequential(*layers[:-2])


class GhostBatchNorm(nn.Module):
    """Batch norm whose means and variances in training come from ``size`` examples at a time.

    The batch is cut into parts of that size, each standardised for itself. So the number of examples behind
    a mean can change while the number behind a step stays. The averages for later are kept as torch does it.
    """

    running_mean: Tensor
    running_var: Tensor

    @checked(d=at_least(1), size=at_least(2), share=between(0, 1), eps=at_least(0))
    def __init__(self, d: int, size: int, share: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        self.d, self.size, self.share, self.eps = d, size, share, eps
        self.weight, self.bias = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))
        self.register_buffer("running_mean", torch.zeros(d))
        self.register_buffer("running_var", torch.ones(d))

    @checked(x=like_weights)
    def forward(self, x: Float[Tensor, "n {self.d}"]) -> Float[Tensor, "n {self.d}"]:
        if not self.training:
            a_hat = (x - self.running_mean) / (self.running_var + self.eps).sqrt()
            return self.weight * a_hat + self.bias
        require(len(x) % self.size == 0, "x", f"have a multiple of {self.size} rows", len(x))
        parts = x.unflatten(0, (-1, self.size))
        mean = parts.mean(1, keepdim=True)
        centred = parts - mean
        variance = centred.square().mean(1, keepdim=True)
        with torch.no_grad():
            unbiased = variance * self.size / (self.size - 1)
            self.running_mean.lerp_(mean.mean((0, 1)), self.share)
            self.running_var.lerp_(unbiased.mean((0, 1)), self.share)
        a_hat = (centred / (variance + self.eps).sqrt()).flatten(0, 1)
        return self.weight * a_hat + self.bias


class Jolts(nn.Module):
    """In training, every unit is stretched and moved at random, by new factors and shifts at each step.

    x ⊙ (1 + u) + v with u, v from N(0, strength²), one pair for each unit    {eq}`eq-normalisation-jolts`
    """

    @checked(d=at_least(1), strength=at_least(0))
    def __init__(self, d: int, generator: torch.Generator, strength: float = 0.5) -> None:
        super().__init__()
        self.d, self.generator, self.strength = d, generator, strength

    @checked
    def forward(self, x: Float[Tensor, "n {self.d}"]) -> Float[Tensor, "n {self.d}"]:
        if not self.training:
            return x
        u, v = self.strength * torch.randn(2, self.d, generator=self.generator).to(x)
        return x * (1 + u) + v
