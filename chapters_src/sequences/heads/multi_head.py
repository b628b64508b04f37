"""Several attentions side by side, each in its own projection, and a matrix that joins what they read."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn

from chapters_src.core import checks, tensors
from chapters_src.core import device as devices
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.sequences.attention.weighted_mean import attention, attention_weights

__all__ = ["MultiHeadAttention", "merge_heads", "split_heads"]


def split_heads(X: Float[Tensor, "... t d"], heads: int) -> Float[Tensor, "... {heads} t c"]:
    """Columns into heads: the first d/heads columns are the first head's, and so on."""
    heads = checks.integer("split_heads", "heads", heads, at_least=1)
    X = _sequence("split_heads", "X", X, None)
    if X.shape[-1] % heads:
        checks.fail("split_heads", "heads", f"divide the {X.shape[-1]} columns of X", heads)
    # (…, t, d) -> (…, t, h, d/h) -> (…, h, t, d/h)
    return X.unflatten(-1, (heads, -1)).transpose(-2, -3)


def merge_heads(X: Float[Tensor, "... h t c"]) -> Float[Tensor, "... t d"]:
    """Heads back into columns, side by side: the inverse of `split_heads`."""
    X = tensors.floats("merge_heads", "X", X, ("…", "h", "t", "d/h"))
    return X.transpose(-2, -3).flatten(-2)  # (…, h, t, d/h) -> (…, t, h, d/h) -> (…, t, d)


class MultiHeadAttention(nn.Module):
    """Attention in ``heads`` projections of dimension d/heads, joined by one matrix.

    Oₕ = attention(XW_Q⁽ʰ⁾ + b, CW_K⁽ʰ⁾ + b, CW_V⁽ʰ⁾ + b),  [O₁ … O_H]W_O + b     {eq}`eq-attention-heads`

    Self-attention has C = X. Cross-attention asks from X and reads from another sequence C, the ``context``,
    whose vectors may have another dimension. Every head projects *all* of the input's columns.
    """

    def __init__(
        self,
        d: int,
        heads: int,
        generator: torch.Generator,
        d_context: int | None = None,
        bias: bool = True,
        device: str | torch.device | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        name = "MultiHeadAttention"
        self.d = checks.integer(name, "d", d, at_least=1)
        self.heads = checks.integer(name, "heads", heads, at_least=1)
        if self.d % self.heads:
            checks.fail(name, "heads", f"divide d = {self.d}", self.heads)
        generator = tensors.generator(name, generator)
        self.d_context = d if d_context is None else checks.integer(name, "d_context", d_context, at_least=1)
        place = torch.device("cpu") if device is None else devices.pick(device)

        def weight(inputs: int) -> nn.Parameter:
            """Variance 1/inputs, so that what goes in with variance 1 comes out with it."""
            made = torch.empty(inputs, self.d, device=place, dtype=dtype)
            return nn.Parameter(made.normal_(0, 1 / math.sqrt(inputs), generator=generator))

        def offset() -> nn.Parameter | None:
            return nn.Parameter(torch.zeros(self.d, device=place, dtype=dtype)) if bias else None

        self.W_Q, self.b_Q = weight(self.d), offset()
        self.W_K, self.b_K = weight(self.d_context), offset()
        self.W_V, self.b_V = weight(self.d_context), offset()
        self.W_O, self.b_O = weight(self.d), offset()

    def forward(
        self,
        X: Float[Tensor, "... t d"],
        context: Float[Tensor, "... s c"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "... t d"]:
        """Each row of X asks. A mask is one for all heads, or has an axis for them."""
        C = X if context is None else context
        Q, K = self._asked(X, C)
        V = split_heads(_affine(C, self.W_V, self.b_V), self.heads)
        O = merge_heads(attention(Q, K, V, self._for_heads(mask, Q)))
        return _affine(O, self.W_O, self.b_O)

    def weights(
        self,
        X: Float[Tensor, "... t d"],
        context: Float[Tensor, "... s c"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "... h t s"]:
        """Where every head looks."""
        Q, K = self._asked(X, X if context is None else context)
        return attention_weights(Q, K, self._for_heads(mask, Q))

    def _asked(self, X: Any, C: Any) -> tuple[Tensor, Tensor]:
        """Queries and keys, (…, h, t, d/h) and (…, h, s, d/h)."""
        X = _sequence("MultiHeadAttention", "X", X, self.d)
        C = _sequence("MultiHeadAttention", "X" if C is X else "context", C, self.d_context)
        Q, K = _affine(X, self.W_Q, self.b_Q), _affine(C, self.W_K, self.b_K)
        return split_heads(Q, self.heads), split_heads(K, self.heads)

    @staticmethod
    def _for_heads(mask: Any, Q: Tensor) -> Any:
        """The same mask for every head, unless it comes with an axis for them."""
        batched = isinstance(mask, torch.Tensor) and 2 < mask.ndim < Q.ndim
        return mask.unsqueeze(-3) if batched else mask


def _affine(X: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
    return X @ W if b is None else X @ W + b


def _sequence(function: str, name: str, X: Any, d: int | None) -> Tensor:
    return tensors.floats(function, name, X, ("…", "t", "d" if d is None else d))
