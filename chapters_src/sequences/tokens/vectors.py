"""Tokens as vectors: one-hot rows, the look-up they amount to, its gradient, and units of a loss."""

from __future__ import annotations

import math

import torch

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.device import Dtype
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, Tensor

__all__ = [
    "bits_per_byte",
    "look_up",
    "look_up_gradient",
    "one_hot",
    "unigram_entropy",
]


def _inside(tokens: Int[Tensor, "..."], V: int) -> Int[Tensor, "..."]:
    """Token numbers as int64; on the meta device there are no values to look at."""
    if tokens.device.type != "meta":
        low, high = int(tokens.min()), int(tokens.max())
        if low < 0 or high >= V:
            refuse("tokens", f"be from 0 to {V - 1}", low if low < 0 else high)
    return tokens.long()


@checked(V=at_least(1))
def one_hot(tokens: Int[Tensor, "..."], V: int, dtype: Dtype = torch.float32) -> Float[Tensor, "... {V}"]:
    """Each token as a row of V numbers, all 0 but a 1 at its place.

    T_tv = [τ_t = v]                                                      {eq}`eq-tokens-one-hot`
    """
    return (_inside(tokens, V)[..., None] == torch.arange(V, device=tokens.device)).to(dtype)


@checked
def look_up(tokens: Int[Tensor, "..."], E: Float[Tensor, "V d"]) -> Float[Tensor, "... d"]:
    """The row of E for each token: what the one-hot rows times E would be, without the zeros.

    X = TE,  x_t = E[τ_t]                                                 {eq}`eq-tokens-look-up`
    """
    return E[_inside(tokens, len(E))]


@checked(V=at_least(1))
def look_up_gradient(tokens: Int[Tensor, "*n"], G: Float[Tensor, "*n d"], V: int) -> Float[Tensor, "{V} d"]:
    """The gradient of the table from that of what was looked up: each row collects from all its places.

    ∂L/∂E = TᵀG,  (∂L/∂E)_v = Σ_{t: τ_t = v} G_t                           {eq}`eq-tokens-scatter`

    A token that does not occur gets 0: its row is not learned from this text.
    """
    d = G.shape[-1]
    zeros = torch.zeros(V, d, dtype=G.dtype, device=G.device)
    return zeros.index_add(0, _inside(tokens, V).reshape(-1), G.reshape(-1, d))  # (…, d) -> (n, d) -> (V, d)


@checked(nats_per_token=at_least(0), tokens=at_least(1), bytes=at_least(1))
def bits_per_byte(nats_per_token: float, tokens: int, bytes: int) -> float:
    """A loss that no longer depends on how the text was cut: all of it, in bits, for each byte of the text.

    (loss in nats per token) · (tokens / bytes) / log 2                   {eq}`eq-tokens-bits-per-byte`

    With the number of characters in place of bytes it is bits per character.
    """
    return nats_per_token * tokens / bytes / math.log(2)


@checked
def unigram_entropy(counts: Float[Tensor, "V"]) -> float:
    """The least nats per token of any model that looks at no other token, on a text with these counts.

    H = −Σᵥ pᵥ log pᵥ,  pᵥ = cᵥ/Σc                                        {eq}`eq-tokens-entropy`
    """
    require(
        bool((counts >= 0).all()) and bool(torch.isfinite(counts).all()) and bool(counts.any()),
        "counts",
        "be finite, none below 0 and not all 0",
        "others",
    )
    p = counts[counts > 0].double() / counts.double().sum()
    return float(-(p * p.log()).sum())
