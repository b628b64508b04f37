"""Tokens as vectors: one-hot rows, the look-up they amount to, its gradient, and units of a loss."""

from __future__ import annotations

import math
from typing import Any

import torch

from chapters_src.core import checks
from chapters_src.core.shapes import Float, Int, Tensor

__all__ = [
    "bits_per_byte",
    "look_up",
    "look_up_gradient",
    "one_hot",
    "unigram_entropy",
]

WHOLE = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def _tokens(function: str, tokens: Any, V: int) -> Int[Tensor, "..."]:
    """Token numbers as int64; on the meta device there are no values to look at."""
    if not isinstance(tokens, Tensor) or tokens.dtype not in WHOLE:
        got = str(tokens.dtype) if isinstance(tokens, Tensor) else f"a {type(tokens).__name__}"
        checks.fail(function, "tokens", "be a tensor of whole numbers", got)
    if tokens.device.type != "meta" and tokens.numel():
        low, high = int(tokens.min()), int(tokens.max())
        if low < 0 or high >= V:
            checks.fail(function, "tokens", f"be from 0 to {V - 1}", low if low < 0 else high)
    return tokens.long()


def _table(function: str, name: str, E: Any, axes: int | None = 2) -> Float[Tensor, "..."]:
    if not isinstance(E, Tensor) or not E.dtype.is_floating_point:
        got = str(E.dtype) if isinstance(E, Tensor) else f"a {type(E).__name__}"
        checks.fail(function, name, "be a tensor of floats", got)
    if axes is not None and E.ndim != axes:
        checks.fail(function, name, f"have {axes} axes", f"shape {tuple(E.shape)}")
    return E


def one_hot(
    tokens: Int[Tensor, "..."], V: int, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "... {V}"]:
    """Each token as a row of V numbers, all 0 but a 1 at its place.

    T_tv = [τ_t = v]                                                      {eq}`eq-tokens-one-hot`
    """
    V = checks.integer("one_hot", "V", V, at_least=1)
    tokens = _tokens("one_hot", tokens, V)
    return (tokens[..., None] == torch.arange(V, device=tokens.device)).to(dtype)


def look_up(tokens: Int[Tensor, "..."], E: Float[Tensor, "V d"]) -> Float[Tensor, "... d"]:
    """The row of E for each token: what the one-hot rows times E would be, without the zeros.

    X = TE,  x_t = E[τ_t]                                                 {eq}`eq-tokens-look-up`
    """
    E = _table("look_up", "E", E)
    return E[_tokens("look_up", tokens, len(E))]


def look_up_gradient(tokens: Int[Tensor, "..."], G: Float[Tensor, "... d"], V: int) -> Float[Tensor, "{V} d"]:
    """The gradient of the table from that of what was looked up: each row collects from all its places.

    ∂L/∂E = TᵀG,  (∂L/∂E)_v = Σ_{t: τ_t = v} G_t                           {eq}`eq-tokens-scatter`

    A token that does not occur gets 0: its row is not learned from this text.
    """
    V = checks.integer("look_up_gradient", "V", V, at_least=1)
    tokens = _tokens("look_up_gradient", tokens, V)
    G = _table("look_up_gradient", "G", G, None)
    if G.shape[:-1] != tokens.shape or G.ndim == 0:
        rule = f"have shape {(*tokens.shape, 'd')}, one row per token".replace("'", "")
        checks.fail("look_up_gradient", "G", rule, tuple(G.shape))
    d = G.shape[-1]
    zeros = torch.zeros(V, d, dtype=G.dtype, device=G.device)
    return zeros.index_add(0, tokens.reshape(-1), G.reshape(-1, d))  # (…, d) -> (n, d) -> (V, d)


def bits_per_byte(nats_per_token: float, tokens: int, bytes: int) -> float:
    """A loss that no longer depends on how the text was cut: all of it, in bits, for each byte of the text.

    (loss in nats per token) · (tokens / bytes) / log 2                   {eq}`eq-tokens-bits-per-byte`

    With the number of characters in place of bytes it is bits per character.
    """
    nats = checks.number("bits_per_byte", "nats_per_token", nats_per_token, at_least=0)
    n = checks.integer("bits_per_byte", "tokens", tokens, at_least=1)
    size = checks.integer("bits_per_byte", "bytes", bytes, at_least=1)
    return nats * n / size / math.log(2)


def unigram_entropy(counts: Float[Tensor, "V"]) -> float:
    """The least nats per token of any model that looks at no other token, on a text with these counts.

    H = −Σᵥ pᵥ log pᵥ,  pᵥ = cᵥ/Σc                                        {eq}`eq-tokens-entropy`
    """
    counts = _table("unigram_entropy", "counts", counts, 1)
    if not bool((counts >= 0).all()) or not bool(torch.isfinite(counts).all()) or not bool(counts.any()):
        checks.fail("unigram_entropy", "counts", "be finite, none below 0 and not all 0", "others")
    p = counts[counts > 0].double() / counts.double().sum()
    return float(-(p * p.log()).sum())
