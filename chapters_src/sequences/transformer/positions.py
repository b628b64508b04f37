"""Where a token stands: sinusoidal and learned tables, rotary turns, biases by offset."""

from __future__ import annotations

import math

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import Ask, above, at_least, whole
from chapters_src.core.shapes import Float, Int, Num, Tensor
from chapters_src.core.tensor_readers import beside, like_weights

__all__ = [
    "LearnedPositions",
    "LinearBias",
    "RelativeBias",
    "RelativeVectors",
    "frequencies",
    "rotate",
    "sinusoidal",
    "wavelengths",
]

BASE = 10_000.0


def even(ask: Ask, value: int) -> int:
    """An even number of columns."""
    ask.require(not whole(ask, value, at_least(2)) % 2, "be even, for pairs of sine and cosine", value)
    return value


@checked(d=even, base=above(1))
def frequencies(d: int, base: float = BASE) -> Float[Tensor, "half"]:
    """Radians a step for each of the d/2 pairs, from fast to slow in equal ratios, in float64.

    ωᵢ = base^(−2i/d),  i = 0, …, d/2 − 1                 {eq}`eq-transformer-frequencies`
    """
    return _frequencies(d, base)


def _frequencies(d: int, base: float) -> Tensor:
    return torch.exp(torch.arange(0, d, 2, dtype=torch.float64) * (-math.log(base) / d))


@checked(d=even, base=above(1))
def wavelengths(d: int, base: float = BASE) -> Float[Tensor, "half"]:
    """Steps until each pair is back where it began: λᵢ = 2π/ωᵢ, so that sin ωᵢt = sin 2πt/λᵢ."""
    return 2 * math.pi / frequencies(d, base)


@checked(t=at_least(1), d=even, base=above(1))
def sinusoidal(
    t: int, d: int, base: float = BASE, device: Device = None, dtype: Dtype = None
) -> Float[Tensor, "{t} {d}"]:
    """A row for each of the positions 0, …, t − 1: sines in the even columns, cosines in the odd ones.

    P[p, 2i] = sin ωᵢp,   P[p, 2i + 1] = cos ωᵢp          {eq}`eq-transformer-sinusoidal`

    It is computed in float64 and rounded once, because an angle of thousands of radians leaves few digits.
    """
    angle = torch.arange(t, dtype=torch.float64)[:, None] * frequencies(d, base)
    table = torch.stack([angle.sin(), angle.cos()], dim=-1)  # (t, d/2, 2)
    return table.flatten(1).to(device=device, dtype=dtype or torch.get_default_dtype())


@checked(positions=beside("x"), base=above(1))
def rotate(
    x: Float[Tensor, "... t d"], positions: Num[Tensor, "t"], base: float = BASE
) -> Float[Tensor, "... t d"]:
    """Turn each pair of coordinates of row p by the angle ωᵢp. Apply it to queries and keys alike.

    (x₂ᵢ, x₂ᵢ₊₁) ↦ (x₂ᵢ cos ωᵢp − x₂ᵢ₊₁ sin ωᵢp,  x₂ᵢ sin ωᵢp + x₂ᵢ₊₁ cos ωᵢp)    {eq}`eq-transformer-rotary`

    Lengths stay, and the inner product of a row at p with one at q depends on q − p alone. Positions may
    start anywhere: with a cache, the next token's is the number of tokens before it.
    """
    require(not x.shape[-1] % 2, "x", "have an even number of columns, because pairs are turned", x.shape[-1])
    # In float64, because of an angle of thousands of radians float32 has few digits; mps has nothing wider.
    wide = torch.float32 if x.device.type == "mps" else torch.float64
    angle = positions.to(wide)[:, None] * _frequencies(x.shape[-1], base).to(x.device, wide)  # (t, d/2)
    # A pair read as one complex number is turned by a product with e^(iωp): one pass over the memory.
    exact = torch.float64 if x.dtype == torch.float64 else torch.float32
    turn = torch.polar(torch.ones_like(angle), angle).to(exact.to_complex())
    return torch.view_as_real(_as_complex(x.to(exact)) * turn).flatten(-2).to(x.dtype)


def _as_complex(x: torch.Tensor) -> torch.Tensor:
    """Pairs of columns as complex numbers, without a copy where they lie side by side."""
    pairs = x.unflatten(-1, (-1, 2))  # (…, t, d) -> (…, t, d/2, 2)
    *others, last = pairs.stride()
    aligned = last == 1 and not any(step % 2 for step in (*others, pairs.storage_offset()))
    return torch.view_as_complex(pairs if aligned else pairs.clone(memory_format=torch.contiguous_format))


class LearnedPositions(nn.Module):
    """A table with a learned row for each of the positions 0, …, t − 1; beyond them it has nothing to say."""

    @checked(t=at_least(1), d=at_least(1), scale=at_least(0))
    def __init__(
        self,
        t: int,
        d: int,
        generator: torch.Generator,
        scale: float = 0.02,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.table = nn.Parameter(normal_weights((t, d), scale, generator, device, dtype))

    @checked
    def forward(self, positions: Int[Tensor, "t"]) -> Float[Tensor, "t d"]:
        """The rows of these positions."""
        known = len(self.table)
        require(
            positions.device.type != "cpu" or bool(((positions >= 0) & (positions < known)).all()),
            "positions",
            f"be from 0 to {known - 1}, the rows there are",
            "others",
        )
        return self.table.index_select(0, positions)


class RelativeBias(nn.Module):
    """A learned number for every head and every offset, to be added to the logits of attention.

    A[h, q, k] = b[h, clip(k − q, −r, r)],  r = ``reach``  {eq}`eq-transformer-relative`

    Logits then depend on how far apart two tokens are and in which direction, and not on where. Offsets
    beyond the reach share its end. All start at 0, where the bias says nothing.
    """

    @checked(heads=at_least(1), reach=at_least(1))
    def __init__(self, heads: int, reach: int, device: Device = None, dtype: Dtype = None) -> None:
        super().__init__()
        self.heads, self.reach = heads, reach
        self.table = nn.Parameter(torch.zeros(heads, 2 * reach + 1, device=device, dtype=dtype))

    @checked(keys=beside("queries"))
    def forward(self, queries: Int[Tensor, "q"], keys: Int[Tensor, "k"]) -> Float[Tensor, "heads q k"]:
        """The biases for queries and keys that stand at these positions."""
        return self.table[:, _rows(queries, keys, self.reach)]  # (h, 2r + 1) at (q, k) -> (h, q, k)


class LinearBias(nn.Module):
    """ALiBi: a fixed bias that falls with distance, with a slope of its own for each head.

    B[h, q, k] = −mₕ·|q − k|,  mₕ = 2^(−8h/H),  h = 1, …, H    {eq}`eq-transformer-alibi`

    Nothing is learned and nothing ends: any distance has a bias. One step further away multiplies a
    weight by e^(−mₕ), whatever else the score says.
    """

    slopes: Tensor

    @checked(heads=at_least(1))
    def __init__(self, heads: int, device: Device = None, dtype: Dtype = None) -> None:
        super().__init__()
        slopes = 2.0 ** (-8 * torch.arange(1, heads + 1, dtype=torch.float64) / heads)
        kind = dtype or torch.get_default_dtype()
        self.register_buffer("slopes", slopes.to(device=device, dtype=kind), persistent=False)

    @checked(keys=beside("queries"))
    def forward(self, queries: Int[Tensor, "q"], keys: Int[Tensor, "k"]) -> Float[Tensor, "heads q k"]:
        """The biases for queries and keys that stand at these positions."""
        return -self.slopes[:, None, None] * (keys[None, :] - queries[:, None]).abs()


class RelativeVectors(nn.Module):
    """A learned vector for every offset, compared with the query: each query has biases of its own.

    B[q, k] = ⟨Q_q, r[clip(k − q, −r, r)]⟩/√d,  r = ``reach``  {eq}`eq-transformer-vectors`

    Added to the scores it is as if the key at offset k − q had moved by that vector.
    """

    @checked(d=at_least(1), reach=at_least(1))
    def __init__(
        self, d: int, reach: int, generator: torch.Generator, device: Device = None, dtype: Dtype = None
    ) -> None:
        super().__init__()
        self.d, self.reach = d, reach
        shape, scale = (2 * reach + 1, d), 1 / math.sqrt(d)
        self.table = nn.Parameter(normal_weights(shape, scale, generator, device, dtype))

    @checked(Q=like_weights, queries=beside("Q"), keys=beside("Q"))
    def forward(
        self, Q: Float[Tensor, "... q {self.d}"], queries: Int[Tensor, "q"], keys: Int[Tensor, "k"]
    ) -> Float[Tensor, "... q k"]:
        """The biases of these queries, which stand at ``queries``, for keys at ``keys``."""
        rows = _rows(queries, keys, self.reach)
        products = Q @ self.table.mT / math.sqrt(self.d)  # (…, q, 2r + 1): no vector is copied for a pair
        return products.gather(-1, rows.expand(*products.shape[:-2], *rows.shape))


def _rows(queries: Tensor, keys: Tensor, reach: int) -> Tensor:
    """The row of a table that belongs to each offset; offsets beyond the reach share its end."""
    return (keys[None, :] - queries[:, None]).clamp(-reach, reach) + reach
