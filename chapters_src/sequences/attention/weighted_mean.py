"""Attention: every query takes a weighted mean of values, and softmax of its scores gives the weights."""

from __future__ import annotations

import math
from typing import Any

import torch

from chapters_src.core import checks, tensors
from chapters_src.core.shapes import Bool, Float, Tensor

__all__ = ["attention", "attention_weights"]


def attention_weights(
    Q: Float[Tensor, "... t d"],
    K: Float[Tensor, "... s d"],
    mask: Bool[Tensor, "..."] | None = None,
    scale: float | None = None,
) -> Float[Tensor, "... t s"]:
    """How much each of t queries looks at each of s keys: every row sums to 1.

    A = softmax(scale·QKᵀ), row by row,  scale = 1/√d     {eq}`eq-attention-matrix`

    Where ``mask`` is False a query may not look: its score is −∞ before the softmax.
    A query that may look nowhere has weights 0, all of them, and passes no gradient on.
    """
    Q, K, mask, scale = _arguments("attention_weights", Q, K, mask, scale)
    # Scaling Q is cheaper than scaling t·s scores: (…, t, d) @ (…, d, s) -> (…, t, s)
    scores = (Q * scale) @ K.mT
    if mask is None:
        return scores.softmax(-1)
    # A row of nothing but −∞ would be 0/0. It keeps its scores, and is set to 0 afterwards.
    somewhere = mask.any(-1, keepdim=True)
    scores = scores.masked_fill(~mask & somewhere, -math.inf)
    return scores.softmax(-1).masked_fill(~somewhere, 0.0)


def attention(
    Q: Float[Tensor, "... t d"],
    K: Float[Tensor, "... s d"],
    V: Float[Tensor, "... s e"],
    mask: Bool[Tensor, "..."] | None = None,
    scale: float | None = None,
) -> Float[Tensor, "... t e"]:
    """What each query reads: the mean of the values, weighted by how well their keys fit.

    O = softmax(scale·QKᵀ)V                               {eq}`eq-attention-matrix`

    Leading axes are batches, heads or whatever you like; they are broadcast.
    """
    Q, K, mask, scale = _arguments("attention", Q, K, mask, scale)
    V = _values("attention", Q, K, V)
    return attention_weights(Q, K, mask, scale) @ V  # (…, t, s) @ (…, s, e) -> (…, t, e)


def _arguments(
    function: str, Q: Any, K: Any, mask: Any, scale: Any
) -> tuple[Tensor, Tensor, Tensor | None, float]:
    """Queries and keys that fit together; their values are not looked at, which would wait for the device."""
    Q, K = _rows(function, "Q", Q), _rows(function, "K", K)
    d = Q.shape[-1]
    if K.shape[-1] != d:
        checks.fail(function, "K", f"have {d} columns, as Q has", f"shape {tuple(K.shape)}")
    _same_kind(function, "K", K, Q)
    batch = _broadcast(function, "K", "have leading axes that go with those of Q", Q.shape[:-2], K.shape[:-2])
    if mask is not None:
        mask = _mask(function, mask, Q, (*batch, Q.shape[-2], K.shape[-2]))
    scale = 1 / math.sqrt(d) if scale is None else checks.number(function, "scale", scale, at_least=0)
    return Q, K, mask, scale


def _values(function: str, Q: Tensor, K: Tensor, V: Any) -> Tensor:
    """One value per key."""
    V = _rows(function, "V", V)
    if V.shape[-2] != K.shape[-2]:
        checks.fail(function, "V", f"have {K.shape[-2]} rows, one per key", f"shape {tuple(V.shape)}")
    _same_kind(function, "V", V, Q)
    batch = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2])
    _broadcast(function, "V", "have leading axes that go with those of Q and K", batch, V.shape[:-2])
    return V


def _rows(function: str, name: str, x: Any) -> Tensor:
    return tensors.floats(function, name, x, ("…", "t", "d"))


def _same_kind(function: str, name: str, x: Tensor, Q: Tensor) -> None:
    if (x.dtype, x.device) != (Q.dtype, Q.device):
        checks.fail(function, name, f"be {Q.dtype} on {Q.device}, as Q is", f"{x.dtype} on {x.device}")


def _broadcast(function: str, name: str, rule: str, *shapes: Any) -> tuple[int, ...]:
    try:
        return tuple(torch.broadcast_shapes(*shapes))
    except RuntimeError:
        checks.fail(function, name, rule, " and ".join(str(tuple(shape)) for shape in shapes))


def _mask(function: str, mask: Any, Q: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A mask for scores of this shape: t queries by s keys, and it may be one for all of a batch."""
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        rule = "be a boolean tensor, True where a query may look"
        checks.fail(function, "mask", rule, tensors.outline(mask))
    if mask.device != Q.device:
        checks.fail(function, "mask", f"be on {Q.device}, as Q is", mask.device)
    whole = _broadcast(function, "mask", f"fit scores of shape {shape}", shape, mask.shape)
    if whole[-2:] != shape[-2:] or mask.ndim < 2:
        checks.fail(function, "mask", f"fit scores of shape {shape}", f"shape {tuple(mask.shape)}")
    return mask
