"""The blocks of a transformer: attention and a small network in turn, each added to what was there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core import checks, tensors
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.sequences.transformer.self_attention import Cache, CrossAttention, SelfAttention, linear

__all__ = ["ACTIVATIONS", "NORMS", "DecoderBlock", "EncoderBlock", "FeedForward", "dropped", "layer_norm"]

NORMS = ("pre", "post")


def _squared_relu(a: Tensor) -> Tensor:
    return F.relu(a).square()


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "squared relu": _squared_relu,
}


def layer_norm(
    x: Float[Tensor, "*batch d"], gain: Float[Tensor, "d"], bias: Float[Tensor, "d"], eps: float = 1e-5
) -> Float[Tensor, "*batch d"]:
    """Each vector for itself: minus its mean, over its standard deviation, then stretched and moved.

    LN(x) = γ ⊙ (x − μ)/√(σ² + ε) + β,  μ and σ² over the d numbers of x      {eq}`eq-transformer-layer-norm`

    Written out to be read; the blocks use torch's, which is the same in one pass.
    """
    x = tensors.floats("layer_norm", "x", x, ("…", "d"))
    gain = tensors.floats("layer_norm", "gain", gain, (x.shape[-1],))
    bias = tensors.floats("layer_norm", "bias", bias, (x.shape[-1],))
    eps = checks.number("layer_norm", "eps", eps, at_least=0)
    centred = x - x.mean(-1, keepdim=True)
    return gain * centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt() + bias


def dropped(
    x: Float[Tensor, "*shape"], share: float, noise: torch.Generator | None
) -> Float[Tensor, "*shape"]:
    """Set a random share of the numbers to 0 and divide the others by 1 − share, so that the mean stays.

    Without a generator nothing is dropped: there is no mode to be in, training says so at the call.
    """
    x = tensors.floats("dropped", "x", x, ("…",))
    share = checks.number("dropped", "share", share, at_least=0, below=1)
    if noise is None or share == 0:
        return x
    tensors.generator("dropped", noise, "noise")
    keep = torch.rand(x.shape, generator=noise, device=x.device, dtype=x.dtype) >= share
    return x * keep.to(x.dtype).div_(1 - share)


class FeedForward(nn.Module):
    """The same small network at every position: wider, through an activation function, and back.

    FF(x) = φ(xW₁ + b₁)W₂ + b₂                                 {eq}`eq-transformer-feed-forward`
    """

    def __init__(
        self,
        d: int,
        hidden: int,
        generator: torch.Generator,
        activation: str = "gelu",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.d = checks.integer("FeedForward", "d", d, at_least=1)
        hidden = checks.integer("FeedForward", "hidden", hidden, at_least=1)
        self.activation = ACTIVATIONS[tensors.one_of("FeedForward", "activation", activation, ACTIVATIONS)]
        self.wide = linear(d, hidden, generator, device=device, dtype=dtype)
        self.back = linear(hidden, d, generator, device=device, dtype=dtype)

    def forward(self, x: Float[Tensor, "B t d"]) -> Float[Tensor, "B t d"]:
        x = tensors.floats("FeedForward", "x", x, ("…", self.d))
        return self.back(self.activation(self.wide(x)))


class _Block(nn.Module):
    """What encoder and decoder blocks share: their parts, where the norm stands, dropout of what is added."""

    looks_at_memory = False

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
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.norm = tensors.one_of(type(self).__name__, "norm", norm, NORMS)
        self.dropout = checks.number(type(self).__name__, "dropout", dropout, at_least=0, below=1)
        place = {"device": device, "dtype": dtype}
        self.attention = SelfAttention(d, heads, generator, position, reach, **place)
        if self.looks_at_memory:
            self.cross = CrossAttention(d, heads, generator, **place)
            self.third = nn.LayerNorm(d, **place)
        self.feed_forward = FeedForward(d, hidden, generator, activation, **place)
        self.first, self.second = (nn.LayerNorm(d, **place) for _ in range(2))

    def add(self, x: Tensor, norm: nn.LayerNorm, part: Any, noise: torch.Generator | None) -> Tensor:
        """x + part(LN(x)) with the norm before ("pre"), LN(x + part(x)) with the norm after ("post")."""
        added = part(norm(x) if self.norm == "pre" else x)
        if noise is not None:
            added = dropped(added, self.dropout, noise)
        return x + added if self.norm == "pre" else norm(x + added)


class EncoderBlock(_Block):
    """Self-attention, then the small network, each with a residual connection and a layer norm.

    pre:   y = x + MHSA(LN(x)),   z = y + FF(LN(y))
    post:  y = LN(x + MHSA(x)),   z = LN(y + FF(y))            {eq}`eq-transformer-block`

    With ``causal`` no position sees a later one, and the block is that of a GPT.
    """

    def forward(
        self,
        x: Float[Tensor, "B t d"],
        mask: Bool[Tensor, "#B #t s"] | None = None,
        causal: bool = False,
        cache: Cache | None = None,
        noise: torch.Generator | None = None,
    ) -> Float[Tensor, "B t d"]:
        x = tensors.floats("EncoderBlock", "x", x, ("B", "t", self.attention.d))
        y = self.add(x, self.first, lambda h: self.attention(h, mask, causal, cache), noise)
        return self.add(y, self.second, self.feed_forward, noise)


class DecoderBlock(_Block):
    """As `EncoderBlock`, causal, and in between each position looks at the memory the encoder made.

    y = x + MHSA(LN(x)),  u = y + Cross(LN(y), memory),  z = u + FF(LN(u))     {eq}`eq-transformer-decoder`

    Position t sees what was written before it and all of the memory, and nothing that comes after.
    """

    looks_at_memory = True

    def forward(
        self,
        x: Float[Tensor, "B t d"],
        memory: Float[Tensor, "B s d"],
        mask: Bool[Tensor, "#B #t t"] | None = None,
        memory_mask: Bool[Tensor, "#B #t s"] | None = None,
        noise: torch.Generator | None = None,
    ) -> Float[Tensor, "B t d"]:
        x = tensors.floats("DecoderBlock", "x", x, ("B", "t", self.attention.d))
        y = self.add(x, self.first, lambda h: self.attention(h, mask, causal=True), noise)
        y = self.add(y, self.second, lambda h: self.cross(h, memory, memory_mask), noise)
        return self.add(y, self.third, self.feed_forward, noise)
