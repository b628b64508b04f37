"""Attention as a layer: the matrices of queries, keys and values, positions, masks and a cache."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core import checks, tensors
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.sequences.attention.weighted_mean import attention_weights
from chapters_src.sequences.heads import masks
from chapters_src.sequences.transformer.positions import RelativeBias, rotate

__all__ = ["POSITIONS", "Cache", "CrossAttention", "SelfAttention", "linear"]

POSITIONS = ("none", "sinusoidal", "learned", "relative", "rotary")


def linear(
    inputs: int,
    outputs: int,
    generator: torch.Generator,
    scale: float = 1.0,
    device: Any = None,
    dtype: Any = None,
) -> nn.Linear:
    """A linear layer with weights N(0, scale²/inputs) from the given generator, and biases 0."""
    inputs = checks.integer("linear", "inputs", inputs, at_least=1)
    outputs = checks.integer("linear", "outputs", outputs, at_least=1)
    scale = checks.number("linear", "scale", scale, at_least=0)
    generator = tensors.generator("linear", generator)
    # Without values at first, because those torch would draw come from its one global generator.
    made = nn.Linear(inputs, outputs, device="meta", dtype=dtype).to_empty(device=device or "cpu")
    with torch.no_grad():
        made.weight.normal_(0, scale / math.sqrt(inputs), generator=generator)
        made.bias.zero_()
    return made


class Cache:
    """The keys and values of one layer for the positions read so far, with room for ``context`` of them."""

    def __init__(self, batch: int, heads: int, context: int, width: int, like: Tensor) -> None:
        self.keys = like.new_empty(batch, heads, context, width)
        self.values = torch.empty_like(self.keys)
        self.length = 0

    def extend(
        self, keys: Float[Tensor, "B H t w"], values: Float[Tensor, "B H t w"]
    ) -> tuple[Float[Tensor, "B H s w"], Float[Tensor, "B H s w"]]:
        """Keep those of the newest t positions; return all there are."""
        start, end, room = self.length, self.length + keys.shape[2], self.keys.shape[2]
        if end > room:
            checks.fail("Cache", "length", f"be at most {room}, the context", end)
        if keys.shape[0] != self.keys.shape[0]:
            checks.fail("Cache", "batch", f"be {self.keys.shape[0]}, as it was made for", keys.shape[0])
        self.keys[:, :, start:end], self.values[:, :, start:end] = keys, values
        self.length = end
        return self.keys[:, :, :end], self.values[:, :, :end]


class SelfAttention(nn.Module):
    """Every position looks at all others, in several heads, and adds up what it reads.

    head = softmax(QKᵀ/√w + b) V,  w = d/H;  heads side by side, times W_O    {eq}`eq-transformer-heads`

    Queries, keys and values have a matrix each; they are the three blocks of ``qkv``, because one large
    product is quicker than three small ones. "rotary" positions turn queries and keys, "relative" ones are
    the bias b. Sinusoidal and learned ones were added to x before the first layer: here they are as none.
    """

    def __init__(
        self,
        d: int,
        heads: int,
        generator: torch.Generator,
        position: str = "none",
        reach: int = 128,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.d, self.heads = _widths("SelfAttention", d, heads)
        self.position = tensors.one_of("SelfAttention", "position", position, POSITIONS)
        if position == "rotary" and (d // heads) % 2:
            checks.fail("SelfAttention", "d", "be an even multiple of heads, because pairs are turned", d)
        self.qkv = linear(d, 3 * d, generator, device=device, dtype=dtype)
        self.out = linear(d, d, generator, device=device, dtype=dtype)
        self.bias = RelativeBias(heads, reach, device).to(dtype) if position == "relative" else None

    def forward(
        self,
        x: Float[Tensor, "B t d"],
        mask: Bool[Tensor, "#B #t s"] | None = None,
        causal: bool = False,
        cache: Cache | None = None,
    ) -> Float[Tensor, "B t d"]:
        Q, K, V = self._project(x, cache)
        t, s = Q.shape[2], K.shape[2]
        if self.bias is None and mask is None and causal and t == s:
            heads = F.scaled_dot_product_attention(
                Q, K, V, is_causal=True
            )  # torch needs no mask for this one
        else:
            allowed = self._allowed(Q, K, mask, causal)
            if self.bias is not None:
                bias = self._bias(Q, K)
                allowed = bias if allowed is None else bias.masked_fill(~allowed, -math.inf)
            heads = F.scaled_dot_product_attention(Q, K, V, allowed)
        return self.out(heads.transpose(1, 2).flatten(2))  # (B, H, t, w) -> (B, t, H·w)

    def weights(
        self, x: Float[Tensor, "B t d"], mask: Bool[Tensor, "#B #t t"] | None = None, causal: bool = False
    ) -> Float[Tensor, "B H t t"]:
        """The attention map of every head: row i says where position i looks."""
        Q, K, _ = self._project(x, None)
        allowed = self._allowed(Q, K, mask, causal)
        if self.bias is None:
            return attention_weights(Q, K, allowed)
        logits = Q @ K.mT / math.sqrt(Q.shape[-1]) + self._bias(Q, K)
        if allowed is None:
            return logits.softmax(-1)
        # As in `attention_weights`, a position that may look nowhere has weights 0.
        somewhere = allowed.any(-1, keepdim=True)
        weights = logits.masked_fill(~allowed & somewhere, -math.inf).softmax(-1)
        return weights.masked_fill(~somewhere, 0.0)

    def _project(self, x: Any, cache: Cache | None) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values by head; if there is a cache, with all keys and values before them."""
        x = tensors.floats("SelfAttention", "x", x, ("B", "t", self.d))
        # (B, t, 3·H·w) -> (3, B, H, t, w)
        qkv = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        if self.position != "rotary":
            Q, K, V = qkv.unbind(0)
        else:
            start = 0 if cache is None else cache.length
            QK, (V,) = qkv.split([2, 1])
            Q, K = rotate(QK, torch.arange(start, start + x.shape[1], device=x.device)).unbind(0)
        return (Q, K, V) if cache is None else (Q, *cache.extend(K, V))

    def _allowed(self, Q: Tensor, K: Tensor, mask: Any, causal: bool) -> Tensor | None:
        """Who may look where, as a matrix that goes with (B, H, t, s), or None for everybody everywhere."""
        t, s = Q.shape[2], K.shape[2]
        mask = tensors.mask("SelfAttention", "mask", mask, Q, (Q.shape[0], t, s))
        mask = None if mask is None else mask[:, None]  # (B, t, s) -> (B, 1, t, s): the same for every head
        if not causal or t == 1:  # the newest position may see all that came before
            return mask
        past = masks.causal(t, s, device=Q.device)
        return past if mask is None else past & mask

    def _bias(self, Q: Tensor, K: Tensor) -> Tensor:
        assert self.bias is not None
        keys = torch.arange(K.shape[2], device=Q.device)
        return self.bias(keys[K.shape[2] - Q.shape[2] :], keys)  # the queries are the last positions


class CrossAttention(nn.Module):
    """Positions of one sequence look at another, the memory: queries from the one, keys and values from it.

    Q = xW_Q,  K = mW_K,  V = mW_V: three matrices, as in `SelfAttention`     {eq}`eq-transformer-cross`
    """

    def __init__(
        self, d: int, heads: int, generator: torch.Generator, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.d, self.heads = _widths("CrossAttention", d, heads)
        self.query = linear(d, d, generator, device=device, dtype=dtype)
        self.key = linear(d, d, generator, device=device, dtype=dtype)
        self.value = linear(d, d, generator, device=device, dtype=dtype)
        self.out = linear(d, d, generator, device=device, dtype=dtype)

    def forward(
        self,
        x: Float[Tensor, "B t d"],
        memory: Float[Tensor, "B s d"],
        mask: Bool[Tensor, "#B #t s"] | None = None,
    ) -> Float[Tensor, "B t d"]:
        Q, K, mask = self._project(x, memory, mask)
        heads = F.scaled_dot_product_attention(Q, K, self._split(self.value(memory)), mask)
        return self.out(heads.transpose(1, 2).flatten(2))  # (B, H, t, w) -> (B, t, H·w)

    def weights(
        self,
        x: Float[Tensor, "B t d"],
        memory: Float[Tensor, "B s d"],
        mask: Bool[Tensor, "#B #t s"] | None = None,
    ) -> Float[Tensor, "B H t s"]:
        """The attention map of every head: row i says at which parts of the memory position i looks."""
        return attention_weights(*self._project(x, memory, mask))

    def _project(self, x: Any, memory: Any, mask: Any) -> tuple[Tensor, Tensor, Tensor | None]:
        x = tensors.floats("CrossAttention", "x", x, ("B", "t", self.d))
        memory = tensors.floats("CrossAttention", "memory", memory, (len(x), "s", self.d))
        mask = tensors.mask("CrossAttention", "mask", mask, x, (len(x), x.shape[1], memory.shape[1]))
        mask = None if mask is None else mask[:, None]  # (B, t, s) -> (B, 1, t, s): the same for every head
        return self._split(self.query(x)), self._split(self.key(memory)), mask

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, t, H·w) -> (B, H, t, w)


def _widths(function: str, d: Any, heads: Any) -> tuple[int, int]:
    d = checks.integer(function, "d", d, at_least=1)
    heads = checks.integer(function, "heads", heads, at_least=1)
    if d % heads:
        checks.fail(function, "heads", f"divide d = {d}, so that each has d/heads columns", heads)
    return d, heads
