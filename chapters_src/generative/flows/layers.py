"""Maps of rows that can be undone, each with the logarithm of how much it stretches volumes.

`forward(z)` gives x and log|det ∂x/∂z| of each row, `inverse(x)` gives z and log|det ∂z/∂x|.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import linear, mlp, normal_weights
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.generative.autoencoder import of_model

__all__ = ["Autoregressive", "Coupling", "Mixing"]

LIMIT = 3.0  # a log-scale beyond ±3 stretches by more than 20 and is where training blows up

Pair = tuple[Float[Tensor, "n d"], Float[Tensor, "n"]]


def _both_kinds(ask: Ask, kept: Any) -> Any:
    ask.require(
        len(kept) >= 2 and {bool(one) for one in kept} == {True, False},
        "keep some coordinates and change some",
        list(kept),
    )
    return kept


def _log_scale(raw: Tensor) -> Tensor:
    """Any number as a log-scale between −LIMIT and LIMIT."""
    return LIMIT * torch.tanh(raw / LIMIT)


class Coupling(nn.Module):
    """Keep the coordinates where m = 1, and shift and scale the others by amounts that the kept ones decide.

    x = m⊙z + (1 − m)⊙(z⊙exp s(m⊙z) + μ(m⊙z))        {eq}`eq-flows-coupling`

    The network (s, μ) is never inverted and may be any. It starts at s = μ = 0, where the map is the
    identity.
    """

    kept: Tensor

    @checked(kept=_both_kinds, hidden=at_least(1))
    def __init__(
        self,
        kept: Sequence[bool],
        hidden: Sequence[int],
        generator: torch.Generator,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.d = d = len(kept)
        mask = torch.tensor([float(one) for one in kept], device=device, dtype=dtype)
        self.register_buffer("kept", mask)
        self.network = mlp([d, *hidden, 2 * d], generator, nn.SiLU, uniform=True, device=device, dtype=dtype)
        self.network[-1] = linear(hidden[-1], 2 * d, generator, 0.0, device=device, dtype=dtype)

    def scale_and_shift(self, x: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n d"], Float[Tensor, "n d"]]:
        """s and μ, which are 0 for kept coordinates and depend on nothing but those."""
        raw, shift = self.network(self.kept * x).chunk(2, dim=1)
        return (1 - self.kept) * _log_scale(raw), (1 - self.kept) * shift

    @checked(z=of_model)
    def forward(self, z: Float[Tensor, "n {self.d}"]) -> Pair:
        s, mu = self.scale_and_shift(z)
        return z * s.exp() + mu, s.sum(dim=1)

    @checked(x=of_model)
    def inverse(self, x: Float[Tensor, "n {self.d}"]) -> Pair:
        """z and log|det ∂z/∂x|; the kept coordinates are in x as they were in z."""
        s, mu = self.scale_and_shift(x)
        return (x - mu) * (-s).exp(), -s.sum(dim=1)


class Autoregressive(nn.Module):
    """Each coordinate is shifted and scaled by amounts that all *data* coordinates before it decide.

    zᵢ = (xᵢ − μᵢ(x₁, …, xᵢ₋₁))·exp(−sᵢ(x₁, …, xᵢ₋₁))     {eq}`eq-flows-autoregressive`

    Masks cut every path from xⱼ to sᵢ and μᵢ with j ≥ i, so one pass gives all of z. The way to x is a loop
    over the coordinates, a pass each. ``calls`` counts passes through the network.
    """

    @checked(d=at_least(2), width=at_least(1))
    def __init__(
        self, d: int, width: int, generator: torch.Generator, device: Device = None, dtype: Dtype = None
    ) -> None:
        super().__init__()
        self.d, self.calls = d, 0
        where: Any = {"device": device, "dtype": dtype}
        seen = torch.arange(d)
        unit = torch.arange(width) % (d - 1)  # a unit may see coordinates up to its own number
        self.first = linear(d, width, generator, uniform=True, **where)
        self.hidden = linear(width, width, generator, uniform=True, **where)
        self.last = linear(width, 2 * d, generator, 0.0, **where)
        self.masks = nn.ParameterList(
            nn.Parameter(mask.to(self.first.weight), requires_grad=False)
            for mask in (
                unit[:, None] >= seen,
                unit[:, None] >= unit,
                torch.cat([seen, seen])[:, None] > unit,
            )
        )

    def scale_and_shift(self, x: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n d"], Float[Tensor, "n d"]]:
        """s and μ of all coordinates in one pass."""
        self.calls += 1
        layers = (self.first, self.hidden, self.last)
        for layer, mask in zip(layers, self.masks, strict=True):
            x = nn.functional.linear(x, mask * layer.weight, layer.bias)
            x = x if layer is self.last else nn.functional.silu(x)
        raw, shift = x.chunk(2, dim=1)
        return _log_scale(raw), shift

    @checked(x=of_model)
    def inverse(self, x: Float[Tensor, "n {self.d}"]) -> Pair:
        """z and log|det ∂z/∂x|, in one pass."""
        s, mu = self.scale_and_shift(x)
        return (x - mu) * (-s).exp(), -s.sum(dim=1)

    @checked(z=of_model)
    def forward(self, z: Float[Tensor, "n {self.d}"]) -> Pair:
        x = torch.zeros_like(z)
        for i in range(self.d):  # what decides about x_i is known by now
            s, mu = self.scale_and_shift(x)
            x = torch.cat([x[:, :i], (z * s.exp() + mu)[:, i : i + 1], x[:, i + 1 :]], dim=1)
        return x, self.scale_and_shift(x)[0].sum(dim=1)


class Mixing(nn.Module):
    """x = Wz with W = PLU: a fixed order of the coordinates P, and triangles L and U that are learned.

    log|det W| = Σⱼ log|Uⱼⱼ|                          {eq}`eq-flows-lu`

    For an image with d channels, used at every pixel, it is the 1×1 convolution of Glow. It starts as a
    random rotation, whose factors P, L and U are found once.
    """

    order: Tensor

    @checked(d=at_least(1))
    def __init__(
        self, d: int, generator: torch.Generator, device: Device = None, dtype: Dtype = None
    ) -> None:
        super().__init__()
        self.d = d
        rotation = torch.linalg.qr(normal_weights((d, d), 1.0, generator, dtype=torch.float64))[0]
        order, lower, upper = torch.linalg.lu(rotation)
        size = torch.diagonal(upper)
        require(bool((size != 0).all()), "generator", "give a matrix of full rank", "one without")
        where: Any = {"device": device, "dtype": dtype or torch.get_default_dtype()}
        self.register_buffer("order", order.to(**where))
        self.register_buffer("signs", size.sign().to(**where))
        self.lower = nn.Parameter(lower.tril(-1).to(**where))
        self.upper = nn.Parameter(upper.triu(1).to(**where))
        self.log_size = nn.Parameter(size.abs().log().to(**where))

    def factors(self) -> tuple[Float[Tensor, "d d"], Float[Tensor, "d d"]]:
        """L, with ones on the diagonal, and U."""
        one: Any = torch.eye(self.d, device=self.lower.device, dtype=self.lower.dtype)
        U = self.upper.triu(1) + torch.diag(self.signs * self.log_size.exp())  # type: ignore[operator]
        return self.lower.tril(-1) + one, U

    @checked(z=of_model)
    def forward(self, z: Float[Tensor, "n {self.d}"]) -> Pair:
        L, U = self.factors()
        return z @ (self.order @ L @ U).T, self.log_size.sum().expand(len(z))

    @checked(x=of_model)
    def inverse(self, x: Float[Tensor, "n {self.d}"]) -> Pair:
        """z by two triangular systems, and log|det ∂z/∂x|."""
        L, U = self.factors()
        half = torch.linalg.solve_triangular(L, (x @ self.order).T, upper=False, unitriangular=True)
        return torch.linalg.solve_triangular(U, half, upper=True).T, -self.log_size.sum().expand(len(x))
