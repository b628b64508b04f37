"""Attention as a layer: the matrices of queries, keys and values, positions, masks and a cache."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import linear
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.related_readers import divides
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.core.tensor_readers import beside, like, like_weights
from chapters_src.sequences.attention import attention_weights
from chapters_src.sequences.heads import causal as past_only
from chapters_src.sequences.heads import merge_heads
from chapters_src.sequences.transformer.positions import LinearBias, RelativeBias, rotate

__all__ = ["POSITIONS", "Cache", "SelfAttention"]

POSITIONS = ("none", "sinusoidal", "learned", "relative", "alibi", "rotary")


class Cache:
    """The keys and values of one layer for the positions read so far, with room for ``context`` of them."""

    @checked(batch=at_least(1), heads=at_least(1), context=at_least(1), width=at_least(1))
    def __init__(self, batch: int, heads: int, context: int, width: int, like: Float[Tensor, "..."]) -> None:
        self.batch, self.heads, self.width = batch, heads, width
        self.keys = like.new_empty(batch, heads, context, width)
        self.values = torch.empty_like(self.keys)
        self.length = 0

    @checked(keys=like("self.keys"), values=like("self.keys"))
    def extend(
        self,
        keys: Float[Tensor, "{self.batch} {self.heads} t {self.width}"],
        values: Float[Tensor, "{self.batch} {self.heads} t {self.width}"],
    ) -> tuple[Float[Tensor, "B H s w"], Float[Tensor, "B H s w"]]:
        """Keep those of the newest t positions; return all there are."""
        start, end, room = self.length, self.length + keys.shape[2], self.keys.shape[2]
        require(end <= room, "keys", f"make the length at most {room}, the context", end)
        self.keys[:, :, start:end], self.values[:, :, start:end] = keys, values
        self.length = end
        return self.keys[:, :, :end], self.values[:, :, :end]


class SelfAttention(nn.Module):
    """Every position looks at all others, in several heads, and adds up what it reads.

    head = softmax(QKᵀ/√w + b) V,  w = d/H;  heads side by side, times W_O    {eq}`eq-transformer-heads`

    Queries, keys and values have a matrix each; they are the three blocks of ``qkv``, because one large
    product is quicker than three small ones. "rotary" positions turn queries and keys, "relative" and
    "alibi" ones are the bias b. Sinusoidal and learned ones were added to x before the first layer: here they
    are as none.
    """

    @checked(d=at_least(1), heads=divides("d"), position=one_of(POSITIONS), reach=at_least(1))
    def __init__(
        self,
        d: int,
        heads: int,
        generator: torch.Generator,
        position: str = "none",
        reach: int = 128,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        require(
            position != "rotary" or not (d // heads) % 2,
            "d",
            "be an even multiple of heads, because pairs are turned",
            d,
        )
        self.d, self.heads, self.position = d, heads, position
        self.qkv = linear(d, 3 * d, generator, device=device, dtype=dtype)
        self.out = linear(d, d, generator, device=device, dtype=dtype)
        self.bias: RelativeBias | LinearBias | None = None
        if position == "relative":
            self.bias = RelativeBias(heads, reach, device, dtype)
        if position == "alibi":
            self.bias = LinearBias(heads, device, dtype)

    @checked(x=like_weights, mask=beside("x"))
    def forward(
        self,
        x: Float[Tensor, "B t {self.d}"],
        mask: Bool[Tensor, "#B #t s"] | None = None,
        causal: bool = False,
        cache: Cache | None = None,
    ) -> Float[Tensor, "B t {self.d}"]:
        Q, K, V = self._project(x, cache)
        if self.bias is None and mask is None and causal and Q.shape == K.shape:
            # torch needs no mask for this one
            return self.out(merge_heads(F.scaled_dot_product_attention(Q, K, V, is_causal=True)))
        allowed, bias = self._allowed(Q, K, mask, causal), self._bias(Q, K)
        if bias is not None:
            allowed = bias if allowed is None else bias.masked_fill(~allowed, -math.inf)
        return self.out(merge_heads(F.scaled_dot_product_attention(Q, K, V, allowed)))

    @checked(x=like_weights, mask=beside("x"))
    def weights(
        self,
        x: Float[Tensor, "B t {self.d}"],
        mask: Bool[Tensor, "#B #t t"] | None = None,
        causal: bool = False,
    ) -> Float[Tensor, "B H t t"]:
        """The attention map of every head: row i says where position i looks."""
        Q, K, _ = self._project(x, None)
        return attention_weights(Q, K, self._allowed(Q, K, mask, causal), bias=self._bias(Q, K))

    def _project(self, x: Tensor, cache: Cache | None) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values by head; if there is a cache, with all keys and values before them."""
        # (B, t, 3·H·w) -> (3, B, H, t, w)
        qkv = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        if self.position != "rotary":
            Q, K, V = qkv.unbind(0)
        else:
            start = 0 if cache is None else cache.length
            QK, (V,) = qkv.split([2, 1])
            Q, K = rotate(QK, torch.arange(start, start + x.shape[1], device=x.device)).unbind(0)
        return (Q, K, V) if cache is None else (Q, *cache.extend(K, V))

    def _allowed(self, Q: Tensor, K: Tensor, mask: Tensor | None, causal: bool) -> Tensor | None:
        """Who may look where, as a matrix that goes with (B, H, t, s), or None for everybody everywhere."""
        t, s = Q.shape[2], K.shape[2]
        if mask is not None:
            require(mask.shape[2] == s, "mask", f"have {s} columns, one per key", tuple(mask.shape))
            mask = mask[:, None]  # (B, t, s) -> (B, 1, t, s): the same for every head
        if not causal or t == 1:  # the newest position may see all that came before
            return mask
        past = past_only(t, s, device=Q.device)
        return past if mask is None else past & mask

    def _bias(self, Q: Tensor, K: Tensor) -> Tensor | None:
        """One bias for every head and pair; the queries are the last positions."""
        keys = torch.arange(K.shape[2], device=Q.device)
        return None if self.bias is None else self.bias(keys[K.shape[2] - Q.shape[2] :], keys)
