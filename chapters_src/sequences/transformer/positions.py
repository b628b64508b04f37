"""Where a token stands: sinusoidal and learned tables, rotary turns and relative biases."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn

from chapters_src.core import checks, tensors
from chapters_src.core import device as devices
from chapters_src.core.shapes import Float, Int, Num, Tensor

__all__ = ["LearnedPositions", "RelativeBias", "frequencies", "rotate", "sinusoidal", "wavelengths"]

BASE = 10_000.0


def frequencies(d: int, base: float = BASE) -> Float[Tensor, "half"]:
    """Radians a step for each of the d/2 pairs, from fast to slow in equal ratios, in float64.

    ωᵢ = base^(−2i/d),  i = 0, …, d/2 − 1                 {eq}`eq-transformer-frequencies`
    """
    d, base = _width("frequencies", d), checks.number("frequencies", "base", base, above=1)
    return torch.exp(torch.arange(0, d, 2, dtype=torch.float64) * (-math.log(base) / d))


def wavelengths(d: int, base: float = BASE) -> Float[Tensor, "half"]:
    """Steps until each pair is back where it began: λᵢ = 2π/ωᵢ, so that sin ωᵢt = sin 2πt/λᵢ."""
    d, base = _width("wavelengths", d), checks.number("wavelengths", "base", base, above=1)
    return 2 * math.pi / frequencies(d, base)


def sinusoidal(
    t: int,
    d: int,
    base: float = BASE,
    *,
    device: str | torch.device | None = None,
    dtype: torch.dtype | None = None,
) -> Float[Tensor, "t d"]:
    """A row for each of the positions 0, …, t − 1: sines in the even columns, cosines in the odd ones.

    P[p, 2i] = sin ωᵢp,   P[p, 2i + 1] = cos ωᵢp          {eq}`eq-transformer-sinusoidal`

    It is computed in float64 and rounded once, because an angle of thousands of radians leaves few digits.
    """
    t = checks.integer("sinusoidal", "t", t, at_least=1)
    d, base = _width("sinusoidal", d), checks.number("sinusoidal", "base", base, above=1)
    dtype = _floats("sinusoidal", dtype)
    place = devices.pick("cpu" if device is None else device)
    angle = torch.arange(t, dtype=torch.float64)[:, None] * frequencies(d, base)
    table = torch.stack([angle.sin(), angle.cos()], dim=-1)  # (t, d/2, 2)
    return table.flatten(1).to(device=place, dtype=dtype)


def rotate(
    x: Float[Tensor, "... t d"], positions: Num[Tensor, "t"], base: float = BASE
) -> Float[Tensor, "... t d"]:
    """Turn each pair of coordinates of row p by the angle ωᵢp. Apply it to queries and keys alike.

    (x₂ᵢ, x₂ᵢ₊₁) ↦ (x₂ᵢ cos ωᵢp − x₂ᵢ₊₁ sin ωᵢp,  x₂ᵢ sin ωᵢp + x₂ᵢ₊₁ cos ωᵢp)    {eq}`eq-transformer-rotary`

    Lengths stay, and the inner product of a row at p with one at q depends on q − p alone. Positions may
    start anywhere: with a cache, the next token's is the number of tokens before it.
    """
    name = "rotate"
    x = tensors.floats(name, "x", x, ("…", "t", "d"))
    if x.shape[-1] < 2 or x.shape[-1] % 2:
        checks.fail(name, "x", "have an even number of columns, because pairs are turned", x.shape[-1])
    base = checks.number(name, "base", base, above=1)
    _same_place(name, "positions", _positions(name, "positions", positions), x)
    if positions.shape != x.shape[-2:-1]:
        rule = f"have shape ({x.shape[-2]},), one per row of x"
        checks.fail(name, "positions", rule, tuple(positions.shape))
    exact = torch.float64 if x.dtype == torch.float64 else torch.float32
    omega = frequencies(x.shape[-1], base).to(device=x.device, dtype=exact)
    angle = positions.to(exact)[:, None] * omega  # (t, d/2)
    # A pair read as one complex number is turned by a product with e^(iωp): one pass over the memory.
    turned = _as_complex(x.to(exact)) * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)


def _as_complex(x: torch.Tensor) -> torch.Tensor:
    """Pairs of columns as complex numbers, without a copy where they lie side by side."""
    pairs = x.unflatten(-1, (-1, 2))  # (…, t, d) -> (…, t, d/2, 2)
    *others, last = pairs.stride()
    aligned = last == 1 and not any(step % 2 for step in (*others, pairs.storage_offset()))
    return torch.view_as_complex(pairs if aligned else pairs.clone(memory_format=torch.contiguous_format))


class LearnedPositions(nn.Module):
    """A table with a learned row for each of the positions 0, …, t − 1; beyond them it has nothing to say."""

    def __init__(
        self,
        t: int,
        d: int,
        generator: torch.Generator,
        scale: float = 0.02,
        device: str | torch.device | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        name = "LearnedPositions"
        t, d = (checks.integer(name, key, n, at_least=1) for key, n in (("t", t), ("d", d)))
        generator = tensors.generator(name, generator)
        scale = checks.number(name, "scale", scale, at_least=0)
        place = devices.pick("cpu" if device is None else device)
        self.table = nn.Parameter(torch.empty(t, d, device=place, dtype=_floats(name, dtype)))
        with torch.no_grad():
            self.table.normal_(0, scale, generator=generator)

    def forward(self, positions: Int[Tensor, "t"]) -> Float[Tensor, "t d"]:
        """The rows of these positions."""
        name = "LearnedPositions"
        _same_place(name, "positions", _positions(name, "positions", positions, whole=True), self.table)
        known = len(self.table)
        if positions.device.type != "meta" and not bool(((positions >= 0) & (positions < known)).all()):
            checks.fail(name, "positions", f"be from 0 to {known - 1}, the rows there are", "others")
        return self.table.index_select(0, positions)


class RelativeBias(nn.Module):
    """A learned number for every head and every offset, to be added to the logits of attention.

    A[h, q, k] = b[h, clip(k − q, −r, r)],  r = ``reach``  {eq}`eq-transformer-relative`

    Logits then depend on how far apart two tokens are and in which direction, and not on where. Offsets
    beyond the reach share its end. All start at 0, where the bias says nothing.
    """

    def __init__(
        self,
        heads: int,
        reach: int,
        device: str | torch.device | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.heads = checks.integer("RelativeBias", "heads", heads, at_least=1)
        self.reach = checks.integer("RelativeBias", "reach", reach, at_least=1)
        place = devices.pick("cpu" if device is None else device)
        dtype = _floats("RelativeBias", dtype)
        self.table = nn.Parameter(torch.zeros(self.heads, 2 * self.reach + 1, device=place, dtype=dtype))

    def forward(self, queries: Int[Tensor, "q"], keys: Int[Tensor, "k"]) -> Float[Tensor, "heads q k"]:
        """The biases for queries and keys that stand at these positions."""
        for name, value in (("queries", queries), ("keys", keys)):
            _same_place("RelativeBias", name, _positions("RelativeBias", name, value, whole=True), self.table)
        offset = (keys[None, :] - queries[:, None]).clamp(-self.reach, self.reach) + self.reach
        return self.table[:, offset]  # (h, 2r + 1) at (q, k) -> (h, q, k)


def _width(function: str, d: Any) -> int:
    d = checks.integer(function, "d", d, at_least=2)
    if d % 2:
        checks.fail(function, "d", "be even, for pairs of sine and cosine", d)
    return d


def _floats(function: str, dtype: Any) -> torch.dtype:
    if dtype is None:
        return torch.float32
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        checks.fail(function, "dtype", "be a torch dtype of floats", repr(dtype))
    return dtype


def _positions(function: str, name: str, value: Any, whole: bool = False) -> torch.Tensor:
    kind = "whole numbers" if whole else "numbers"
    if not isinstance(value, torch.Tensor) or value.ndim != 1:
        got = tuple(value.shape) if isinstance(value, torch.Tensor) else f"a {type(value).__name__}"
        checks.fail(function, name, f"be a tensor of {kind}, shape (t,)", got)
    if value.dtype == torch.bool or value.is_complex() or (whole and value.is_floating_point()):
        checks.fail(function, name, f"be a tensor of {kind}, shape (t,)", value.dtype)
    return value


def _same_place(function: str, name: str, value: torch.Tensor, like: torch.Tensor) -> None:
    if value.device != like.device:
        checks.fail(function, name, f"be on {like.device}, where the rest is", value.device)
