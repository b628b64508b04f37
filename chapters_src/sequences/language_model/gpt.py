"""GPT: a stack of causal blocks that gives, at every position, a distribution of the next token."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core import checks, tensors
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.sequences.transformer.blocks import ACTIVATIONS, NORMS, EncoderBlock, dropped
from chapters_src.sequences.transformer.positions import sinusoidal
from chapters_src.sequences.transformer.self_attention import POSITIONS, Cache

__all__ = ["GPT", "Config", "next_token_loss"]


@dataclass(frozen=True)
class Config:
    """The shape of a GPT; ``hidden`` is 4·d unless given, ``context`` is the most it can look back on."""

    vocabulary: int
    context: int = 128
    d: int = 128
    heads: int = 4
    layers: int = 4
    hidden: int | None = None
    position: str = "rotary"
    norm: str = "pre"
    activation: str = "gelu"
    tied: bool = True
    dropout: float = 0.0

    def __post_init__(self) -> None:
        for name in ("vocabulary", "context", "d", "heads", "layers"):
            checks.integer("Config", name, getattr(self, name), at_least=1)
        if self.hidden is None:
            object.__setattr__(self, "hidden", 4 * self.d)
        checks.integer("Config", "hidden", self.hidden, at_least=1)
        tensors.one_of("Config", "position", self.position, POSITIONS)
        tensors.one_of("Config", "norm", self.norm, NORMS)
        tensors.one_of("Config", "activation", self.activation, ACTIVATIONS)
        if not isinstance(self.tied, bool):
            checks.fail("Config", "tied", "be True or False", tensors.outline(self.tied))
        checks.number("Config", "dropout", self.dropout, at_least=0, below=1)
        if self.d % self.heads:
            checks.fail("Config", "heads", f"divide d = {self.d}", self.heads)
        pairs = {"rotary": self.d // self.heads, "sinusoidal": self.d}.get(self.position, 2)
        if pairs % 2:
            what = "d/heads" if self.position == "rotary" else "d"
            checks.fail("Config", "d", f"make {what} even, for {self.position} positions", self.d)


class GPT(nn.Module):
    """Tokens in, logits of the next token out, one set for every position and in one pass.

    h₀ = √d·E[tokens] (+ P),  hₗ = blockₗ(hₗ₋₁),  logits = LN(h_L) Eᵀ            {eq}`eq-transformer-gpt`

    E is the table of embeddings and, if ``tied``, also the output matrix. Its rows start with length about 1:
    √d times them is as large as positions are, and most logits start within 1 of 0. What the parts of the
    blocks add is divided by √(2·layers) at the start, so that together it is as large as what it is added to.
    """

    def __init__(
        self, config: Config, generator: torch.Generator, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        if not isinstance(config, Config):
            checks.fail("GPT", "config", "be a Config", tensors.outline(config))
        generator = tensors.generator("GPT", generator)
        self.config, place = config, {"device": device, "dtype": dtype}
        rows, columns = config.vocabulary, config.d

        def table(n: int) -> nn.Parameter:
            made = torch.empty(n, columns, **place)
            return nn.Parameter(made.normal_(0, 1 / math.sqrt(columns), generator=generator))

        self.embedding = table(rows)
        self.positions = table(config.context) if config.position == "learned" else None
        self.output = None if config.tied else table(rows)
        options = (config.norm, config.position, config.activation, config.dropout, config.context)
        self.blocks = nn.ModuleList(
            EncoderBlock(columns, config.heads, int(config.hidden or 0), generator, *options, **place)
            for _ in range(config.layers)
        )
        self.last: nn.Module = nn.LayerNorm(columns, **place) if config.norm == "pre" else nn.Identity()
        with torch.no_grad():
            for block in self._blocks():
                for matrix in (block.attention.out.weight, block.feed_forward.back.weight):
                    matrix.div_(math.sqrt(2 * config.layers))
        fixed = sinusoidal(config.context, columns).to(**place) if config.position == "sinusoidal" else None
        self.register_buffer("waves", fixed, persistent=False)

    def forward(
        self,
        tokens: Int[Tensor, "B t"],
        cache: list[Cache] | None = None,
        noise: torch.Generator | None = None,
    ) -> Float[Tensor, "B t v"]:
        x = self._read(tokens, cache, noise)
        for i, block in enumerate(self._blocks()):
            x = block(x, causal=True, cache=cache[i] if cache else None, noise=noise)
        return self.last(x) @ (self.embedding if self.output is None else self.output).T

    def cache(self, batch: int) -> list[Cache]:
        """An empty cache for each layer. Hand it to forward again and again, with the new tokens alone."""
        batch = checks.integer("GPT.cache", "batch", batch, at_least=1)
        c = self.config
        return [Cache(batch, c.heads, c.context, c.d // c.heads, self.embedding) for _ in self.blocks]

    def residuals(self, tokens: Int[Tensor, "B t"]) -> list[Float[Tensor, "B t d"]]:
        """The residual stream: what goes into each block, and what comes out of the last."""
        stream = [self._read(tokens, None, None)]
        for block in self._blocks():
            stream.append(block(stream[-1], causal=True))
        return stream

    def attention_maps(self, tokens: Int[Tensor, "B t"]) -> list[Float[Tensor, "B H t t"]]:
        """For every layer, where each position looks."""
        pre = self.config.norm == "pre"
        return [
            block.attention.weights(block.first(x) if pre else x, causal=True)
            for block, x in zip(self._blocks(), self.residuals(tokens), strict=False)
        ]

    def _blocks(self) -> list[EncoderBlock]:
        return [cast(EncoderBlock, block) for block in self.blocks]

    def _read(self, tokens: Any, cache: list[Cache] | None, noise: torch.Generator | None) -> Tensor:
        """Embeddings of the tokens, and of where they stand if positions are added here."""
        c = self.config
        tokens = tensors.tokens("GPT", "tokens", tokens, 2, c.vocabulary)
        start = cache[0].length if cache else 0
        end = start + tokens.shape[1]
        if end > c.context:
            checks.fail("GPT", "tokens", f"be at most {c.context} with those before, the context", end)
        x = F.embedding(tokens.long(), self.embedding) * math.sqrt(c.d)
        table = cast("Tensor | None", self.waves if self.positions is None else self.positions)
        x = x if table is None else x + table[start:end]
        return x if noise is None else dropped(x, c.dropout, noise)


def next_token_loss(
    model: GPT, tokens: Int[Tensor, "B t1"], noise: torch.Generator | None = None
) -> Float[Tensor, ""]:
    """Mean cross-entropy in nats per token: every token but the first is predicted from those before it.

    L = −(1/t) Σᵢ log p(tokenᵢ₊₁ | token₁, …, tokenᵢ)            {eq}`eq-transformer-next-token`

    One pass gives all t predictions, because the causal mask keeps each from seeing its answer.
    """
    if not isinstance(model, GPT):
        checks.fail("next_token_loss", "model", "be a GPT", tensors.outline(model))
    tokens = tensors.tokens("next_token_loss", "tokens", tokens, 2, model.config.vocabulary)
    if tokens.shape[1] < 2:
        checks.fail("next_token_loss", "tokens", "have two columns or more", tuple(tokens.shape))
    logits = model(tokens[:, :-1], noise=noise)
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten().long())
