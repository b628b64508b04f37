"""Small tasks on top of a model that has read: a class for a whole text, or for every token of it."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.modules import linear
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.tensor_readers import tokens_below
from chapters_src.sequences.heads import padding
from chapters_src.sequences.pretraining.masked import MaskedModel

__all__ = ["TextClassifier", "TokenClassifier"]


class TextClassifier(nn.Module):
    """One logit for a whole text, from the mean of its tokens' vectors; its sigmoid is a probability.

    p(y = 1 | text) = σ(w·mean(h) + b)                          {eq}`eq-pretraining-text-class`
    """

    @checked
    def __init__(self, body: MaskedModel, generator: torch.Generator) -> None:
        super().__init__()
        self.body, like = body, body.embedding
        self.head = linear(body.d, 1, generator, device=like.device, dtype=like.dtype)

    @checked(tokens=tokens_below("{self.body.vocabulary}"))
    def forward(
        self, tokens: Int[Tensor, "B t"], lengths: Int[Tensor, "B"] | None = None
    ) -> Float[Tensor, "B"]:
        h = self.body.encode(tokens, lengths)
        if lengths is None:
            return self.head(h.mean(1))[:, 0]
        there = padding(lengths, h.shape[1]).mT.to(h.dtype)  # (B, t, 1)
        return self.head((h * there).sum(1) / there.sum(1).clamp(min=1))[:, 0]

    @checked(tokens=tokens_below("{self.body.vocabulary}"), targets=tokens_below("2"))
    def loss(
        self, tokens: Int[Tensor, "B t"], targets: Int[Tensor, "B"], lengths: Int[Tensor, "B"] | None = None
    ) -> Float[Tensor, ""]:
        """Binary cross-entropy in nats; a target is 0 or 1."""
        logits = self(tokens, lengths)
        return F.binary_cross_entropy_with_logits(logits, targets.to(logits.dtype))


class TokenClassifier(nn.Module):
    """Logits of a class for every token, as for names of people and places; softmax makes them probabilities.

    p(yᵢ = k | text) = softmax(W hᵢ + b)ₖ                        {eq}`eq-pretraining-token-class`
    """

    @checked(classes=at_least(2))
    def __init__(self, body: MaskedModel, classes: int, generator: torch.Generator) -> None:
        super().__init__()
        self.body, self.classes, like = body, classes, body.embedding
        self.head = linear(body.d, classes, generator, device=like.device, dtype=like.dtype)

    @checked(tokens=tokens_below("{self.body.vocabulary}"))
    def forward(
        self, tokens: Int[Tensor, "B t"], lengths: Int[Tensor, "B"] | None = None
    ) -> Float[Tensor, "B t k"]:
        return self.head(self.body.encode(tokens, lengths))

    @checked(tokens=tokens_below("{self.body.vocabulary}"), targets=tokens_below("{self.classes}"))
    def loss(
        self, tokens: Int[Tensor, "B t"], targets: Int[Tensor, "B t"], lengths: Int[Tensor, "B"] | None = None
    ) -> Float[Tensor, ""]:
        """Mean cross-entropy in nats over the tokens that are no padding; 0 if there is none."""
        logits = self(tokens, lengths)
        each = F.cross_entropy(logits.transpose(1, 2), targets.long(), reduction="none")
        if lengths is None:
            return each.mean()
        there = padding(lengths, each.shape[1])[:, 0]
        return (each * there).sum() / there.sum().clamp(min=1)
