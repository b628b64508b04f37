"""Attention: every query takes a weighted mean of values, and softmax of its scores gives the weights."""

from __future__ import annotations

import math

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.core.tensor_readers import joins, over_pairs

__all__ = ["attention", "attention_weights"]


@checked(K=joins("Q"), mask=over_pairs("Q", "K"), scale=at_least(0), bias=over_pairs("Q", "K"))
def attention_weights(
    Q: Float[Tensor, "... t d"],
    K: Float[Tensor, "... s d"],
    mask: Bool[Tensor, "..."] | None = None,
    scale: float | None = None,
    bias: Float[Tensor, "..."] | None = None,
) -> Float[Tensor, "... t s"]:
    """How much each of t queries looks at each of s keys: every row sums to 1.

    A = softmax(scale·QKᵀ + bias), row by row,  scale = 1/√d     {eq}`eq-attention-matrix`

    There is no bias unless one is given. Where ``mask`` is False a query may not look: its score is −∞
    before the softmax. A query that may look nowhere has weights 0, and passes no gradient on.
    """
    scale = 1 / math.sqrt(Q.shape[-1]) if scale is None else scale
    # Scaling Q is cheaper than scaling t·s scores: (…, t, d) @ (…, d, s) -> (…, t, s)
    scores = (Q * scale) @ K.mT
    scores = scores if bias is None else scores + bias
    if mask is None:
        return _numbers(scores.softmax(-1), Q, K, scale)
    # A row of nothing but −∞ would be 0/0. It keeps its scores, and is set to 0 afterwards.
    somewhere = mask.any(-1, keepdim=True)
    scores = scores.masked_fill(~mask & somewhere, -math.inf)
    return _numbers(scores.softmax(-1).masked_fill(~somewhere, 0.0), Q, K, scale)


@checked(
    K=joins("Q"),
    V=joins("Q", "K"),
    mask=over_pairs("Q", "K"),
    scale=at_least(0),
    bias=over_pairs("Q", "K"),
)
def attention(
    Q: Float[Tensor, "... t d"],
    K: Float[Tensor, "... s d"],
    V: Float[Tensor, "... s e"],
    mask: Bool[Tensor, "..."] | None = None,
    scale: float | None = None,
    bias: Float[Tensor, "..."] | None = None,
) -> Float[Tensor, "... t e"]:
    """What each query reads: the mean of the values, weighted by how well their keys fit.

    O = softmax(scale·QKᵀ + bias)V                        {eq}`eq-attention-matrix`

    Leading axes are batches, heads or whatever you like; they are broadcast.
    """
    return attention_weights(Q, K, mask, scale, bias) @ V  # (…, t, s) @ (…, s, e) -> (…, t, e)


def _numbers(A: Tensor, Q: Tensor, K: Tensor, scale: float) -> Tensor:
    """The weights, unless scores overflowed; looked at on the CPU alone, for elsewhere that would wait."""
    if A.device.type == "cpu" and bool(A.detach().isnan().any()):
        for name, rows in (("Q", Q), ("K", K)):
            require(bool(rows.isfinite().all()), name, "be finite", "NaN or inf")
        refuse("scale", f"keep every score finite in {Q.dtype}", scale)
    return A
