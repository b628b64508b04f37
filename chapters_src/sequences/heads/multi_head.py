"""Several attentions side by side, each in its own projection, and a matrix that joins what they read."""

from __future__ import annotations

import math

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import at_least
from chapters_src.core.related_readers import divides
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.core.tensor_readers import like_weights
from chapters_src.sequences.attention import attention, attention_weights

__all__ = ["MultiHeadAttention", "merge_heads", "share_heads", "split_heads"]


@checked(heads=at_least(1))
def split_heads(X: Float[Tensor, "... t d"], heads: int) -> Float[Tensor, "... {heads} t c"]:
    """Columns into heads: the first d/heads columns are the first head's, and so on."""
    require(not X.shape[-1] % heads, "heads", f"divide the {X.shape[-1]} columns of X", heads)
    # (…, t, d) -> (…, t, h, d/h) -> (…, h, t, d/h)
    return X.unflatten(-1, (heads, -1)).transpose(-2, -3)


@checked
def merge_heads(X: Float[Tensor, "... h t c"]) -> Float[Tensor, "... t d"]:
    """Heads back into columns, side by side: the inverse of `split_heads`."""
    return X.transpose(-2, -3).flatten(-2)  # (…, h, t, d/h) -> (…, t, h, d/h) -> (…, t, d)


@checked(heads=at_least(1))
def share_heads(X: Float[Tensor, "... g t c"], heads: int) -> Float[Tensor, "... {heads} t c"]:
    """Grouped queries: of g heads of keys or values each serves heads/g queries in a row, 1 1 2 2 3 3.

    head h reads keys and values ⌈h·g/heads⌉                {eq}`eq-heads-grouped`
    """
    require(not heads % X.shape[-3], "heads", f"be a multiple of the {X.shape[-3]} heads of X", heads)
    return X.repeat_interleave(heads // X.shape[-3], dim=-3)


class MultiHeadAttention(nn.Module):
    """Attention in ``heads`` projections of dimension d/heads, joined by one matrix.

    Oₕ = attention(XW_Q⁽ʰ⁾ + b, CW_K⁽ʰ⁾ + b, CW_V⁽ʰ⁾ + b),  [O₁ … O_H]W_O + b     {eq}`eq-heads-heads`

    Self-attention has C = X. Cross-attention asks from X and reads from another sequence C, the ``context``,
    whose vectors may have another dimension. Every head projects *all* of the input's columns. With fewer
    ``kv_heads`` than heads, several heads of queries share one of keys and values.
    """

    @checked(d=at_least(1), heads=divides("d"), d_context=at_least(1), kv_heads=divides("heads"))
    def __init__(
        self,
        d: int,
        heads: int,
        generator: torch.Generator,
        d_context: int | None = None,
        bias: bool = True,
        kv_heads: int | None = None,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.d, self.heads, self.d_context = d, heads, d if d_context is None else d_context
        self.kv_heads = heads if kv_heads is None else kv_heads
        shared = d // heads * self.kv_heads  # columns of keys, and of values

        def weight(inputs: int, outputs: int) -> nn.Parameter:
            """Variance 1/inputs, so that what goes in with variance 1 comes out with it."""
            size = 1 / math.sqrt(inputs)
            return nn.Parameter(normal_weights((inputs, outputs), size, generator, device, dtype))

        def offset(outputs: int) -> nn.Parameter | None:
            return nn.Parameter(torch.zeros(outputs, device=device, dtype=dtype)) if bias else None

        self.W_Q, self.b_Q = weight(self.d, d), offset(d)
        self.W_K, self.b_K = weight(self.d_context, shared), offset(shared)
        self.W_V, self.b_V = weight(self.d_context, shared), offset(shared)
        self.W_O, self.b_O = weight(self.d, d), offset(d)

    @checked(X=like_weights, context=like_weights)
    def forward(
        self,
        X: Float[Tensor, "... t {self.d}"],
        context: Float[Tensor, "... s {self.d_context}"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "... t {self.d}"]:
        """Each row of X asks. A mask is one for all heads, or has an axis for them."""
        C = self._read_from(X, context)
        Q, K = self._asked(X, C)
        V = share_heads(split_heads(_affine(C, self.W_V, self.b_V), self.kv_heads), self.heads)
        O = merge_heads(attention(Q, K, V, self._for_heads(mask, Q)))
        return _affine(O, self.W_O, self.b_O)

    @checked(X=like_weights, context=like_weights)
    def weights(
        self,
        X: Float[Tensor, "... t {self.d}"],
        context: Float[Tensor, "... s {self.d_context}"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "... h t s"]:
        """Where every head looks."""
        Q, K = self._asked(X, self._read_from(X, context))
        return attention_weights(Q, K, self._for_heads(mask, Q))

    def _read_from(self, X: Tensor, context: Tensor | None) -> Tensor:
        require(
            context is not None or self.d_context == self.d,
            "context",
            f"be given, with {self.d_context} columns",
            "none",
        )
        return X if context is None else context

    def _asked(self, X: Tensor, C: Tensor) -> tuple[Tensor, Tensor]:
        """Queries and keys, (…, h, t, d/h) and (…, h, s, d/h)."""
        Q, K = _affine(X, self.W_Q, self.b_Q), _affine(C, self.W_K, self.b_K)
        return split_heads(Q, self.heads), share_heads(split_heads(K, self.kv_heads), self.heads)

    @staticmethod
    def _for_heads(mask: Tensor | None, Q: Tensor) -> Tensor | None:
        """The same mask for every head, unless it comes with an axis for them."""
        return mask.unsqueeze(-3) if mask is not None and 2 < mask.ndim < Q.ndim else mask


def _affine(X: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
    return X @ W if b is None else X @ W + b
