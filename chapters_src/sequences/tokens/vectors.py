"""Tokens as vectors: the look-up, its gradient, and a unit of loss that does not depend on the cut."""

from __future__ import annotations

import math

import torch

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, Tensor

__all__ = ["bits_per_byte", "look_up", "look_up_gradient"]


def _inside(tokens: Int[Tensor, "..."], V: int) -> Int[Tensor, "..."]:
    """Token numbers as int64; on the meta device there are no values to look at."""
    if tokens.device.type != "meta":
        low, high = int(tokens.min()), int(tokens.max())
        if low < 0 or high >= V:
            refuse("tokens", f"be from 0 to {V - 1}", low if low < 0 else high)
    return tokens.long()


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
