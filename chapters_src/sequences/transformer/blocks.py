"""The blocks of a transformer: attention and a small network in turn, each added to what was there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import linear, normal_weights
from chapters_src.core.readers import Limits, at_least, one_of
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.core.tensor_readers import beside, like_weights
from chapters_src.networks.regularisation import dropout as dropped
from chapters_src.sequences.heads import MultiHeadAttention
from chapters_src.sequences.transformer.self_attention import POSITIONS, Cache, SelfAttention

__all__ = ["ACTIVATIONS", "NORMS", "DecoderBlock", "EncoderBlock", "FeedForward", "GatedFeedForward"]

NORMS = ("pre", "post")


def _squared_relu(a: Tensor) -> Tensor:
    return F.relu(a).square()


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "tanh gelu": partial(F.gelu, approximate="tanh"),
    "squared relu": _squared_relu,
}


class FeedForward(nn.Module):
    """The same small network at every position: wider, through an activation function, and back.

    FF(x) = φ(xW₁ + b₁)W₂ + b₂                                 {eq}`eq-transformer-feed-forward`
    """

    @checked(d=at_least(1), hidden=at_least(1), activation=one_of(ACTIVATIONS))
    def __init__(
        self,
        d: int,
        hidden: int,
        generator: torch.Generator,
        activation: str = "gelu",
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.d, self.activation = d, ACTIVATIONS[activation]
        self.wide = linear(d, hidden, generator, device=device, dtype=dtype)
        self.back = linear(hidden, d, generator, device=device, dtype=dtype)

    @checked(x=like_weights)
    def forward(self, x: Float[Tensor, "*batch {self.d}"]) -> Float[Tensor, "*batch {self.d}"]:
        return self.back(self.activation(self.wide(x)))


class GatedFeedForward(nn.Module):
    """SwiGLU: one half of the hidden units decides how much of the other half goes through.

    FF(x) = (SiLU(xW₁) ⊙ xW₂)W₃,  SiLU(a) = a·σ(a)             {eq}`eq-transformer-gated`

    It has three matrices; with two thirds of the hidden width they have as many weights as the usual two.
    """

    @checked(d=at_least(1), hidden=at_least(1))
    def __init__(
        self, d: int, hidden: int, generator: torch.Generator, device: Device = None, dtype: Dtype = None
    ) -> None:
        super().__init__()
        self.d = d

        def weight(inputs: int, outputs: int) -> nn.Parameter:
            return nn.Parameter(normal_weights((inputs, outputs), inputs**-0.5, generator, device, dtype))

        self.W1, self.W2, self.W3 = weight(d, hidden), weight(d, hidden), weight(hidden, d)

    @checked(x=like_weights)
    def forward(self, x: Float[Tensor, "*batch {self.d}"]) -> Float[Tensor, "*batch {self.d}"]:
        return (F.silu(x @ self.W1) * (x @ self.W2)) @ self.W3


class _Block(nn.Module):
    """What encoder and decoder blocks share: their parts, where the norm stands, dropout of what is added."""

    looks_at_memory = False

    @checked(
        d=at_least(1),
        heads=at_least(1),
        hidden=at_least(1),
        norm=one_of(NORMS),
        position=one_of(POSITIONS),
        activation=one_of(ACTIVATIONS),
        dropout=Limits(at_least=0, below=1),
        reach=at_least(1),
    )
    def __init__(
        self,
        d: int,
        heads: int,
        hidden: int,
        generator: torch.Generator,
        norm: str = "pre",
        position: str = "none",
        activation: str = "gelu",
        dropout: float = 0.0,
        reach: int = 128,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.d, self.norm, self.dropout = d, norm, dropout
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.attention = SelfAttention(d, heads, generator, position, reach, **place)
        self.attention_norm = nn.LayerNorm(d, **place)
        if self.looks_at_memory:
            self.cross = MultiHeadAttention(d, heads, generator, **place)
            self.cross_norm = nn.LayerNorm(d, **place)
        self.feed_forward = FeedForward(d, hidden, generator, activation, **place)
        self.network_norm = nn.LayerNorm(d, **place)

    def add(self, x: Tensor, norm: nn.LayerNorm, part: Any, noise: torch.Generator | None) -> Tensor:
        """x + part(LN(x)) with the norm before ("pre"), LN(x + part(x)) with the norm after ("post")."""
        added = part(norm(x) if self.norm == "pre" else x)
        added = added if noise is None else dropped(added, self.dropout, noise)
        return x + added if self.norm == "pre" else norm(x + added)


class EncoderBlock(_Block):
    """Self-attention, then the small network, each with a residual connection and a layer norm.

    pre:   y = x + MHSA(LN(x)),   z = y + FF(LN(y))
    post:  y = LN(x + MHSA(x)),   z = LN(y + FF(y))            {eq}`eq-transformer-block`

    With ``causal`` no position sees a later one, and the block is that of a GPT.
    """

    @checked(x=like_weights, mask=beside("x"))
    def forward(
        self,
        x: Float[Tensor, "B t {self.d}"],
        mask: Bool[Tensor, "#B #t s"] | None = None,
        causal: bool = False,
        cache: Cache | None = None,
        noise: torch.Generator | None = None,
    ) -> Float[Tensor, "B t {self.d}"]:
        y = self.add(x, self.attention_norm, lambda h: self.attention(h, mask, causal, cache), noise)
        return self.add(y, self.network_norm, self.feed_forward, noise)


class DecoderBlock(_Block):
    """As `EncoderBlock`, causal, and in between each position looks at the memory the encoder made.

    y = x + MHSA(LN(x)),  u = y + Cross(LN(y), memory),  z = u + FF(LN(u))     {eq}`eq-transformer-decoder`

    Position t sees what was written before it and all of the memory, and nothing that comes after.
    """

    looks_at_memory = True

    @checked(x=like_weights, memory=like_weights, mask=beside("x"), memory_mask=beside("x"))
    def forward(
        self,
        x: Float[Tensor, "B t {self.d}"],
        memory: Float[Tensor, "B s {self.d}"],
        mask: Bool[Tensor, "#B #t t"] | None = None,
        memory_mask: Bool[Tensor, "#B #t s"] | None = None,
        noise: torch.Generator | None = None,
    ) -> Float[Tensor, "B t {self.d}"]:
        y = self.add(x, self.attention_norm, lambda h: self.attention(h, mask, causal=True), noise)
        y = self.add(y, self.cross_norm, lambda h: self.cross(h, memory, memory_mask), noise)
        return self.add(y, self.network_norm, self.feed_forward, noise)
