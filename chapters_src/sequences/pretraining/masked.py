"""A masked language model: hide some words, guess them from both sides; then put a small task on top."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core import checks, progress, tensors
from chapters_src.core.shapes import Bool, Float, Int, Tensor
from chapters_src.optimisation.search.schedules import warm_up_cosine_rate
from chapters_src.sequences.heads.masks import padding
from chapters_src.sequences.transformer.blocks import EncoderBlock
from chapters_src.sequences.transformer.self_attention import linear

__all__ = ["MaskedModel", "TextClassifier", "TokenClassifier", "fit", "hide", "masked_loss"]


class MaskedModel(nn.Module):
    """An encoder whose positions see both sides, with the embeddings as output matrix.

    ``encode`` gives a vector for every token, which is what a fine-tuned task reads; ``forward`` gives the
    logits of what stands at each place.
    """

    def __init__(
        self,
        vocabulary: int,
        context: int,
        d: int,
        heads: int,
        layers: int,
        generator: torch.Generator,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = "MaskedModel"
        self.vocabulary = checks.integer(name, "vocabulary", vocabulary, at_least=2)
        self.context = checks.integer(name, "context", context, at_least=1)
        self.d = checks.integer(name, "d", d, at_least=1)
        layers = checks.integer(name, "layers", layers, at_least=1)
        generator = tensors.generator(name, generator)
        place = {"device": device, "dtype": dtype}
        self.embedding = nn.Parameter(torch.empty(vocabulary, d, **place))
        self.positions = nn.Parameter(torch.empty(context, d, **place))
        with torch.no_grad():
            for table in (self.embedding, self.positions):
                table.normal_(0, 1 / math.sqrt(d), generator=generator)
        self.blocks = nn.ModuleList(
            EncoderBlock(d, heads, 4 * d, generator, activation="gelu", **place) for _ in range(layers)
        )
        self.last = nn.LayerNorm(d, **place)

    def encode(
        self, tokens: Int[Tensor, "B t"], lengths: Int[Tensor, "B"] | None = None
    ) -> Float[Tensor, "B t d"]:
        """What each token has become after looking at all others that are no padding."""
        tokens = tensors.tokens("MaskedModel", "tokens", tokens, 2, self.vocabulary)
        t = tokens.shape[1]
        if t > self.context:
            checks.fail("MaskedModel", "tokens", f"be at most {self.context} long, the context", t)
        mask = None if lengths is None else padding(lengths, t)
        x = F.embedding(tokens.long(), self.embedding) + self.positions[:t]
        for block in self.blocks:
            x = block(x, mask)
        return self.last(x)

    def forward(
        self, tokens: Int[Tensor, "B t"], lengths: Int[Tensor, "B"] | None = None
    ) -> Float[Tensor, "B t v"]:
        return self.encode(tokens, lengths) @ self.embedding.T


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
    vocabulary = checks.integer("hide", "vocabulary", vocabulary, at_least=1)
    tokens = tensors.tokens("hide", "tokens", tokens, 2, vocabulary)
    mask_token = checks.integer("hide", "mask_token", mask_token, at_least=0, at_most=vocabulary - 1)
    generator = tensors.generator("hide", generator)
    share = checks.number("hide", "share", share, above=0, at_most=1)
    kept = checks.number("hide", "kept", kept, at_least=0, at_most=1)
    swapped = checks.number("hide", "swapped", swapped, at_least=0, at_most=1)
    if kept + swapped > 1:
        checks.fail("hide", "swapped", "be at most 1 together with kept", kept + swapped)
    u, v = (torch.rand(tokens.shape, generator=generator, device=tokens.device) for _ in range(2))
    random = torch.randint(vocabulary, tokens.shape, generator=generator, device=tokens.device)
    chosen = u < share
    if lengths is not None:
        chosen &= padding(lengths, tokens.shape[1])[:, 0]
    shown = torch.where(v < kept + swapped, random.to(tokens.dtype), mask_token)
    shown = torch.where(v < kept, tokens, shown)
    return torch.where(chosen, shown, tokens), chosen


def masked_loss(
    model: MaskedModel,
    shown: Int[Tensor, "B t"],
    chosen: Bool[Tensor, "B t"],
    tokens: Int[Tensor, "B t"],
    lengths: Int[Tensor, "B"] | None = None,
) -> Float[Tensor, ""]:
    """Mean cross-entropy in nats of the hidden tokens, given all that is shown; 0 if none is hidden.

    L = −(1/|M|) Σ_{i∈M} log p(tokenᵢ | shown)                  {eq}`eq-transformer-masked`
    """
    if not isinstance(model, MaskedModel):
        checks.fail("masked_loss", "model", "be a MaskedModel", tensors.outline(model))
    tokens = tensors.tokens("masked_loss", "tokens", tokens, 2, model.vocabulary)
    fits = isinstance(chosen, torch.Tensor) and chosen.dtype == torch.bool and chosen.shape == tokens.shape
    if not fits:
        rule = f"be a boolean tensor of shape {tuple(tokens.shape)}, one for each token"
        checks.fail("masked_loss", "chosen", rule, tensors.outline(chosen))
    each = F.cross_entropy(model(shown, lengths).transpose(1, 2), tokens.long(), reduction="none")  # (B, t)
    return (each * chosen).sum() / chosen.sum().clamp(min=1)


class TextClassifier(nn.Module):
    """One logit for a whole text, from the mean of its tokens' vectors; its sigmoid is a probability.

    p(y = 1 | text) = σ(w·mean(h) + b)                          {eq}`eq-transformer-text-class`
    """

    def __init__(self, body: MaskedModel, generator: torch.Generator) -> None:
        super().__init__()
        self.body = _body("TextClassifier", body)
        self.head = linear(body.d, 1, generator, 1.0, body.embedding.device, body.embedding.dtype)

    def forward(
        self, tokens: Int[Tensor, "B t"], lengths: Int[Tensor, "B"] | None = None
    ) -> Float[Tensor, "B"]:
        h = self.body.encode(tokens, lengths)
        if lengths is None:
            return self.head(h.mean(1))[:, 0]
        there = padding(lengths, h.shape[1]).mT.to(h.dtype)  # (B, t, 1)
        return self.head((h * there).sum(1) / there.sum(1).clamp(min=1))[:, 0]

    def loss(self, tokens: Any, targets: Any, lengths: Any = None) -> Float[Tensor, ""]:
        """Binary cross-entropy in nats; a target is 0 or 1."""
        logits = self(tokens, lengths)
        targets = _targets("TextClassifier", targets, logits, 2)
        return F.binary_cross_entropy_with_logits(logits, targets.to(logits.dtype))


class TokenClassifier(nn.Module):
    """Logits of a class for every token, as for names of people and places; softmax makes them probabilities.

    p(yᵢ = k | text) = softmax(W hᵢ + b)ₖ                        {eq}`eq-transformer-token-class`
    """

    def __init__(self, body: MaskedModel, classes: int, generator: torch.Generator) -> None:
        super().__init__()
        self.body = _body("TokenClassifier", body)
        classes = checks.integer("TokenClassifier", "classes", classes, at_least=2)
        self.head = linear(body.d, classes, generator, 1.0, body.embedding.device, body.embedding.dtype)

    def forward(
        self, tokens: Int[Tensor, "B t"], lengths: Int[Tensor, "B"] | None = None
    ) -> Float[Tensor, "B t k"]:
        return self.head(self.body.encode(tokens, lengths))

    def loss(self, tokens: Any, targets: Any, lengths: Any = None) -> Float[Tensor, ""]:
        """Mean cross-entropy in nats over the tokens that are no padding; 0 if there is none."""
        logits = self(tokens, lengths)
        targets = _targets("TokenClassifier", targets, logits[..., 0], logits.shape[-1])
        each = F.cross_entropy(logits.transpose(1, 2), targets.long(), reduction="none")
        if lengths is None:
            return each.mean()
        there = padding(lengths, each.shape[1])[:, 0]
        return (each * there).sum() / there.sum().clamp(min=1)


def fit(
    loss: Callable[[], Float[Tensor, ""]],
    parameters: Sequence[nn.Parameter],
    steps: int,
    learning_rate: float = 3e-3,
    show: bool | None = None,
) -> Float[Tensor, "{steps}"]:
    """Minimise a loss over some parameters with Adam and a rate that rises and falls; return the losses.

    ``loss`` is called once a step and may draw a new batch each time.
    """
    if not callable(loss):
        checks.fail("fit", "loss", "be a function without arguments", tensors.outline(loss))
    chosen = list(parameters) if isinstance(parameters, Sequence) else []
    if not chosen or not all(isinstance(p, nn.Parameter) for p in chosen):
        checks.fail("fit", "parameters", "be a list of parameters to learn", tensors.outline(parameters))
    steps = checks.integer("fit", "steps", steps, at_least=2)
    rate = checks.number("fit", "learning_rate", learning_rate, above=0)
    losses = torch.zeros(steps, device=chosen[0].device)
    adam = torch.optim.Adam(chosen, lr=rate, betas=(0.9, 0.98))
    for step in progress.bar(range(steps), "training", show=show):
        adam.param_groups[0]["lr"] = warm_up_cosine_rate(step, rate, max(steps // 10, 1), steps)
        adam.zero_grad()
        value = loss()
        value.backward()
        nn.utils.clip_grad_norm_(chosen, 1.0)
        adam.step()
        losses[step] = value.detach()
    return losses


def _body(function: str, body: Any) -> MaskedModel:
    if not isinstance(body, MaskedModel):
        checks.fail(function, "body", "be a MaskedModel", tensors.outline(body))
    return body


def _targets(function: str, targets: Any, like: Tensor, classes: int) -> Tensor:
    """Whole numbers below ``classes``, of the shape of ``like``; on the CPU also their range."""
    rule = f"be whole numbers from 0 to {classes - 1}, shape {tuple(like.shape)}"
    kinds = (torch.int64, torch.int32, torch.int16, torch.uint8, torch.int8)
    fits = isinstance(targets, torch.Tensor) and targets.dtype in kinds and targets.shape == like.shape
    if not fits:
        checks.fail(function, "targets", rule, tensors.outline(targets))
    if targets.device.type == "cpu":
        low, high = (int(one) for one in targets.aminmax())
        if low < 0 or high >= classes:
            checks.fail(function, "targets", rule, f"{low} to {high}")
    return targets
