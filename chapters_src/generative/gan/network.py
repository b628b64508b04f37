"""The two networks, and what keeps a critic from becoming too steep."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize

from chapters_src.core.contract import checked
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import mlp, normal_weights
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like, like_weights_of

__all__ = ["GAN", "between_penalty", "power_step", "real_penalty", "with_unit_norms"]


class GAN(nn.Module):
    """A generator G from noise z ~ N(0, I) to points, and a discriminator D from a point to a logit.

    With ``bounded`` points lie between 0 and 1, as grey values do; with ``spectral`` every layer of D is
    divided by its spectral norm. D has leaky ReLUs, so that its slope is nowhere 0.
    """

    @checked(d=at_least(1), latent=at_least(1), hidden=at_least(1))
    def __init__(
        self,
        d: int,
        latent: int,
        hidden: Sequence[int] = (64, 64),
        *,
        bounded: bool = False,
        spectral: bool = False,
        generator: torch.Generator,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.d, self.latent = d, latent
        kind: Any = {"scale": math.sqrt(2), "device": device, "dtype": dtype}
        self.G = mlp([latent, *hidden, d], generator, **kind)
        self.D = mlp([d, *hidden, 1], generator, activation=lambda: nn.LeakyReLU(0.2), **kind)
        if bounded:
            self.G.append(nn.Sigmoid())
        if spectral:
            with_unit_norms(self.D, generator)

    @checked(n=at_least(1))
    def draw(self, n: int, generator: torch.Generator) -> Float[Tensor, "n d"]:
        """n points that G makes of noise, with their graph; the noise is drawn where the generator lives."""
        weight = next(self.G.parameters())
        return self.G(normal_weights((n, self.latent), 1.0, generator, weight.device, weight.dtype))


def _slopes(D: Any, x: Tensor) -> Tensor:
    """∇D at each row of x, with a graph of its own, because a penalty on it is differentiated again."""
    x = x.detach().requires_grad_(True)
    return torch.autograd.grad(D(x).sum(), x, create_graph=True)[0]


@checked(real=like_weights_of("D"), fake=like("real"))
def between_penalty(
    D: nn.Module, real: Float[Tensor, "n d"], fake: Float[Tensor, "n d"], generator: torch.Generator
) -> Float[Tensor, ""]:
    """How far the slope of the critic D is from 1 between a true and a drawn point, squared, on average.

    E (‖∇D(x̃)‖ − 1)²,  x̃ = ux + (1 − u)x̂,  u uniform    {eq}`eq-gan-penalty`
    """
    u = torch.rand(len(real), 1, generator=generator, dtype=real.dtype).to(real.device)
    lengths = _slopes(D, u * real + (1 - u) * fake).norm(dim=1)
    return ((lengths - 1) ** 2).mean()


@checked(real=like_weights_of("D"))
def real_penalty(D: nn.Module, real: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
    """Half the mean squared slope of D, a logit, at true points; it acts on the game like friction.

    ½ E ‖∇D(x)‖²                                        {eq}`eq-gan-real-penalty`
    """
    return 0.5 * (_slopes(D, real) ** 2).sum(dim=1).mean()


@checked(u=like("W"))
def power_step(
    W: Float[Tensor, "m d"], u: Float[Tensor, "m"]
) -> tuple[Float[Tensor, ""], Float[Tensor, "m"]]:
    """The largest singular value of W, estimated from below, and a better u: v ∝ Wᵀu, u ∝ Wv, σ = uᵀWv."""
    with torch.no_grad():  # the slope of σ in W is uvᵀ: u and v count as constants
        v = nn.functional.normalize(W.T @ u, dim=0)
        u = nn.functional.normalize(W @ v, dim=0)
    return u @ W @ v, u


class _UnitNorm(nn.Module):
    """W/σ(W) by one `power_step` per use in training, from where the one before ended."""

    u: Tensor

    def __init__(self, u: Tensor) -> None:
        super().__init__()
        self.register_buffer("u", u)

    def forward(self, W: Tensor) -> Tensor:
        sigma, u = power_step(W, self.u)
        if self.training:
            self.u = u
        return W / sigma


@checked
def with_unit_norms(network: nn.Sequential, generator: torch.Generator) -> nn.Sequential:
    """The network, its linear layers from now on divided by their spectral norms, so that none stretches."""
    for layer in network:
        if isinstance(layer, nn.Linear):
            W = layer.weight
            u = normal_weights((len(W),), 1.0, generator, W.device, W.dtype)
            for _ in range(20):  # so that the estimate is good before the first step of training
                u = power_step(W, u)[1].detach()
            parametrize.register_parametrization(layer, "weight", _UnitNorm(u))
    return network
