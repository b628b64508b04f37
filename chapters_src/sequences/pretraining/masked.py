"""A masked language model: hide some words, guess them from both sides; then put a small task on top."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import above, at_least, at_most, between
from chapters_src.core.shapes import Bool, Float, Int, Tensor
from chapters_src.core.tensor_readers import tokens_below
from chapters_src.sequences.heads import padding
from chapters_src.sequences.transformer import EncoderBlock

__all__ = ["MaskedModel", "hide", "masked_loss"]


class MaskedModel(nn.Module):
    """An encoder whose positions see both sides, with the embeddings as output matrix.

    ``encode`` gives a vector for every token, which is what a fine-tuned task reads; ``forward`` gives the
    logits of what stands at each place.
    """

    @checked(
        vocabulary=at_least(2), context=at_least(1), d=at_least(1), heads=at_least(1), layers=at_least(1)
    )
    def __init__(
        self,
        vocabulary: int,
        context: int,
        d: int,
        heads: int,
        layers: int,
        generator: torch.Generator,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.vocabulary, self.context, self.d = vocabulary, context, d
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.embedding, self.positions = (
            nn.Parameter(normal_weights((rows, d), 1 / math.sqrt(d), generator, **place))
            for rows in (vocabulary, context)
        )
        self.blocks = nn.ModuleList(
            EncoderBlock(d, heads, 4 * d, generator, activation="gelu", **place) for _ in range(layers)
        )
        self.last = nn.LayerNorm(d, **place)

    @checked(tokens=tokens_below("{self.vocabulary}"))
    def encode(
        self, tokens: Int[Tensor, "B t"], lengths: Int[Tensor, "B"] | None = None
    ) -> Float[Tensor, "B t d"]:
        """What each token has become after looking at all others that are no padding."""
        t = tokens.shape[1]
        require(t <= self.context, "tokens", f"be at most {self.context} long, the context", t)
        mask = None if lengths is None else padding(lengths, t)
        x = F.embedding(tokens.long(), self.embedding) + self.positions[:t]
        for block in self.blocks:
            x = block(x, mask)
        return self.last(x)

    @checked(tokens=tokens_below("{self.vocabulary}"))
    def forward(
        self, tokens: Int[Tensor, "B t"], lengths: Int[Tensor, "B"] | None = None
    ) -> Float[Tensor, "B t v"]:
        """Logits of the token at each place."""
        return self.encode(tokens, lengths) @ self.embedding.T


@checked(
    mask_token=at_least(0),
    vocabulary=at_least(1),
    share=above(0) & at_most(1),
    kept=between(0, 1),
    swapped=between(0, 1),
)
def hide(
    tokens: Int[Tensor, "B t"],
    mask_token: int,
    vocabulary: int,
    generator: torch.Generator,
    lengths: Int[Tensor, "B"] | None = None,
    share: float = 0.15,
    kept: float = 0.1,
    swapped: float = 0.1,
) -> tuple[Int[Tensor, "B t"], Bool[Tensor, "B t"]]:
    """Choose a share of the tokens to be guessed; return what is shown in their place, and which they are.

    Of the chosen, a share ``kept`` is shown as it is, a share ``swapped`` as a random token, and the rest,
    80 % unless said, as ``mask_token``: the model cannot know which words to trust, so it has to judge all.
    """
    _inside(tokens, vocabulary)
    require(mask_token < vocabulary, "mask_token", f"be at least 0 and at most {vocabulary - 1}", mask_token)
    require(kept + swapped <= 1, "swapped", "be at most 1 together with kept", kept + swapped)
    where, place = generator.device, tokens.device
    u, v = (torch.rand(tokens.shape, generator=generator, device=where).to(place) for _ in range(2))
    random = torch.randint(vocabulary, tokens.shape, generator=generator, device=where).to(place)
    chosen = u < share
    if lengths is not None:
        _fit(lengths, tokens.shape[1])
        chosen &= padding(lengths, tokens.shape[1])[:, 0]
    shown = torch.where(v < kept + swapped, random.to(tokens.dtype), mask_token)
    shown = torch.where(v < kept, tokens, shown)
    return torch.where(chosen, shown, tokens), chosen


def _inside(tokens: Tensor, vocabulary: int) -> None:
    """On the CPU: tokens of the vocabulary."""
    if tokens.device.type == "cpu" and not bool(((tokens >= 0) & (tokens < vocabulary)).all()):
        low, high = (int(one) for one in tokens.aminmax())
        refuse("tokens", f"hold tokens from 0 to {vocabulary - 1}", f"{low} to {high}")


def _fit(lengths: Tensor, t: int) -> None:
    """On the CPU: lengths of rows with t places."""
    if lengths.device.type == "cpu" and not bool(((lengths >= 0) & (lengths <= t)).all()):
        refuse("lengths", f"be from 0 to {t}, the columns of tokens", lengths.tolist()[:8])


@checked(shown=tokens_below("{model.vocabulary}"), tokens=tokens_below("{model.vocabulary}"))
def masked_loss(
    model: MaskedModel,
    shown: Int[Tensor, "B t"],
    chosen: Bool[Tensor, "B t"],
    tokens: Int[Tensor, "B t"],
    lengths: Int[Tensor, "B"] | None = None,
) -> Float[Tensor, ""]:
    """Mean cross-entropy in nats of the hidden tokens, given all that is shown; 0 if none is hidden.

    L = −(1/|M|) Σ_{i∈M} log p(tokenᵢ | shown)                  {eq}`eq-pretraining-masked`
    """
    each = F.cross_entropy(model(shown, lengths).transpose(1, 2), tokens.long(), reduction="none")  # (B, t)
    return (each * chosen).sum() / chosen.sum().clamp(min=1)
