"""GPT: a stack of causal blocks that gives, at every position, a distribution of the next token."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import Ask, Limits, above, at_least, described, one_of
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.tensor_readers import tokens_below
from chapters_src.core.training import unwrapped
from chapters_src.networks.regularisation import dropout as dropped
from chapters_src.sequences.transformer import (
    ACTIVATIONS,
    NORMS,
    POSITIONS,
    Cache,
    EncoderBlock,
    sinusoidal,
)

__all__ = ["GPT", "Config", "next_token_loss"]


@checked(
    vocabulary=at_least(1),
    context=at_least(1),
    d=at_least(1),
    heads=at_least(1),
    layers=at_least(1),
    hidden=at_least(1),
    position=one_of(POSITIONS),
    norm=one_of(NORMS),
    activation=one_of(ACTIVATIONS),
    dropout=Limits(at_least=0, below=1),
    last_gain=above(0),
)
@dataclass(frozen=True)
class Config:
    """The shape of a GPT; ``context`` is the most it can look back on.

    Unless given, ``hidden`` is 4·d and ``last_gain``, with which the last norm starts, is 1/√d.
    """

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
    last_gain: float | None = None

    def __post_init__(self) -> None:
        if self.hidden is None:
            object.__setattr__(self, "hidden", 4 * self.d)
        if self.last_gain is None:
            object.__setattr__(self, "last_gain", 1 / math.sqrt(self.d))
        require(not self.d % self.heads, "heads", f"divide d = {self.d}", self.heads)
        pairs = {"rotary": self.d // self.heads, "sinusoidal": self.d}.get(self.position, 2)
        if pairs % 2:
            what = "d/heads" if self.position == "rotary" else "d"
            refuse("d", f"make {what} even, for {self.position} positions", self.d)


class GPT(nn.Module):
    """Tokens in, logits of the next token out, one set for every position and in one pass.

    h₀ = √d·E[tokens] (+ P),  hₗ = blockₗ(hₗ₋₁),  logits = LN(h_L) Eᵀ            {eq}`eq-language-model-gpt`

    E is the table of embeddings and, if ``tied``, also the output matrix. Its rows start with length about 1,
    and √d times them is as large as positions are. LN(h_L) still points towards the embedding of the current
    token: with a gain of 1 that token's logit would start near √d. The last gain starts at 1/√d instead, all
    logits start near 0 and the loss near log V. What the parts of the blocks add is divided by √(2·layers)
    at the start, so that together it is as large as what it is added to.
    """

    @checked
    def __init__(
        self, config: Config, generator: torch.Generator, device: Device = None, dtype: Dtype = None
    ) -> None:
        super().__init__()
        self.config = config
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        rows, columns = config.vocabulary, config.d

        def table(n: int) -> nn.Parameter:
            return nn.Parameter(
                normal_weights((n, columns), 1 / math.sqrt(columns), generator, device, dtype)
            )

        self.embedding = table(rows)
        self.positions = table(config.context) if config.position == "learned" else None
        self.output = None if config.tied else table(rows)
        options = (config.norm, config.position, config.activation, config.dropout, config.context)
        self.blocks = nn.ModuleList(
            EncoderBlock(columns, config.heads, int(config.hidden or 0), generator, *options, **place)
            for _ in range(config.layers)
        )
        self.last: nn.Module = nn.LayerNorm(columns, **place) if config.norm == "pre" else nn.Identity()
        last = self.last if config.norm == "pre" else self._blocks()[-1].network_norm
        with torch.no_grad():
            cast(nn.LayerNorm, last).weight.fill_(float(config.last_gain or 0))
            for block in self._blocks():
                for matrix in (block.attention.out.weight, block.feed_forward.back.weight):
                    matrix.div_(math.sqrt(2 * config.layers))
        fixed = sinusoidal(config.context, columns, **place) if config.position == "sinusoidal" else None
        self.register_buffer("waves", fixed, persistent=False)

    @checked(tokens=tokens_below("{self.config.vocabulary}"))
    def forward(
        self,
        tokens: Int[Tensor, "B t"],
        cache: list[Cache] | None = None,
        noise: torch.Generator | None = None,
    ) -> Float[Tensor, "B t v"]:
        x = self.embed(tokens, cache, noise)
        for i, block in enumerate(self._blocks()):
            x = block(x, causal=True, cache=cache[i] if cache else None, noise=noise)
        return self.last(x) @ (self.embedding if self.output is None else self.output).T

    @checked(batch=at_least(1))
    def cache(self, batch: int) -> list[Cache]:
        """An empty cache for each layer. Hand it to forward again and again, with the new tokens alone."""
        c = self.config
        return [Cache(batch, c.heads, c.context, c.d // c.heads, self.embedding) for _ in self.blocks]

    @checked(tokens=tokens_below("{self.config.vocabulary}"))
    def residuals(self, tokens: Int[Tensor, "B t"]) -> list[Float[Tensor, "B t d"]]:
        """The residual stream: what goes into each block, and what comes out of the last."""
        stream = [self.embed(tokens)]
        for block in self._blocks():
            stream.append(block(stream[-1], causal=True))
        return stream

    @checked(tokens=tokens_below("{self.config.vocabulary}"))
    def attention_maps(self, tokens: Int[Tensor, "B t"]) -> list[Float[Tensor, "B H t t"]]:
        """For every layer, where each position looks."""
        pre = self.config.norm == "pre"
        return [
            block.attention.weights(block.attention_norm(x) if pre else x, causal=True)
            for block, x in zip(self._blocks(), self.residuals(tokens), strict=False)
        ]

    def _blocks(self) -> list[EncoderBlock]:
        return [cast(EncoderBlock, block) for block in self.blocks]

    def embed(
        self, tokens: Tensor, cache: list[Cache] | None = None, noise: torch.Generator | None = None
    ) -> Tensor:
        """Embeddings of the tokens, and of where they stand if positions are added here."""
        c = self.config
        start = cache[0].length if cache else 0
        end = start + tokens.shape[1]
        require(end <= c.context, "tokens", f"be at most {c.context} with those before, the context", end)
        x = F.embedding(tokens.long(), self.embedding) * math.sqrt(c.d)
        table = cast("Tensor | None", self.waves if self.positions is None else self.positions)
        x = x if table is None else x + table[start:end]
        return x if noise is None else dropped(x, c.dropout, noise)


def gpt(ask: Ask, value: Any) -> nn.Module:
    """A GPT, which may be wrapped for several processes."""
    ask.require(
        isinstance(value, nn.Module) and isinstance(unwrapped(value), GPT), "be a GPT", described(value)
    )
    return value


def known_tokens(ask: Ask, value: Any) -> Tensor:
    """Tokens that the model knows."""
    model: Any = unwrapped(ask.arguments["model"])
    return tokens_below(str(model.config.vocabulary))(ask, value)


@checked(model=gpt, tokens=known_tokens)
def next_token_loss(
    model: Any, tokens: Int[Tensor, "B t1"], noise: torch.Generator | None = None
) -> Float[Tensor, ""]:
    """Mean cross-entropy in nats per token: every token but the first is predicted from those before it.

    L = −(1/t) Σᵢ log p(tokenᵢ₊₁ | token₁, …, tokenᵢ)            {eq}`eq-language-model-next-token`

    One pass gives all t predictions, because the causal mask keeps each from seeing its answer.
    """
    require(tokens.shape[1] >= 2, "tokens", "have two columns or more", tuple(tokens.shape))
    logits = model(tokens[:, :-1], noise=noise)
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten().long())
