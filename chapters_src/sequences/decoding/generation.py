"""Writing on: a distribution made sharper or cut short, a draw from it, and the draw becomes context."""

from __future__ import annotations

import math

import torch

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import Ask, above, at_least, at_most
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.tensor_readers import tokens_below
from chapters_src.sequences.language_model import GPT

__all__ = [
    "draw",
    "generate",
    "min_p",
    "next_distribution",
    "top_k",
    "top_p",
    "window_start",
    "with_temperature",
]


@checked(temperature=at_least(0))
def with_temperature(logits: Float[Tensor, "*batch v"], temperature: float) -> Float[Tensor, "*batch v"]:
    """Logits over τ: below 1 the likely becomes likelier, above 1 all become more alike.

    p(i) ∝ exp(aᵢ/τ) ∝ p₁(i)^(1/τ);  τ = 0 keeps the largest alone, the first of equals
                                                                {eq}`eq-decoding-temperature`

    The largest is made 0 first. No probability changes by that, and no small τ makes anything overflow.
    """
    if temperature > torch.finfo(logits.dtype).tiny:  # what is smaller is 0 for a computer
        return (logits - logits.amax(-1, keepdim=True)) / temperature
    best = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, logits.argmax(-1, keepdim=True), True)
    return logits.masked_fill(~best, -math.inf)


@checked(k=at_least(1))
def top_k(logits: Float[Tensor, "*batch v"], k: int) -> Float[Tensor, "*batch v"]:
    """Keep the k largest logits and set the others to −∞. Of equals, the ones with smaller numbers stay."""
    return logits.masked_fill(_rank(logits) >= k, -math.inf)


@checked(p=above(0) & at_most(1))
def top_p(logits: Float[Tensor, "*batch v"], p: float) -> Float[Tensor, "*batch v"]:
    """Keep the fewest tokens, likeliest first, that have probability p together; set the others to −∞.

    A token stays while those likelier than it have less than p:  Σ_{j before i} p(j) < p
                                                                {eq}`eq-decoding-top-p`

    At least one stays. Of equals, the one with the smaller number comes first.
    """
    ordered, order = logits.sort(stable=True, dim=-1, descending=True)
    share = ordered.softmax(-1)
    before = share.cumsum(-1) - share
    cut = before >= p if p < 1 else torch.zeros_like(before, dtype=torch.bool)  # all of 1 needs them all
    cut[..., 0] = False
    return logits.masked_fill(torch.zeros_like(cut).scatter(-1, order, cut), -math.inf)


@checked(m=above(0) & at_most(1))
def min_p(logits: Float[Tensor, "*batch v"], m: float) -> Float[Tensor, "*batch v"]:
    """Keep the tokens that have at least the share m of the likeliest one's probability; the others get −∞.

    p(i) ≥ m·maxⱼ p(j)  ⇔  aᵢ ≥ maxⱼ aⱼ + log m                 {eq}`eq-decoding-min-p`
    """
    return logits.masked_fill(logits < logits.amax(-1, keepdim=True) + math.log(m), -math.inf)


@checked(temperature=at_least(0), k=at_least(1), p=above(0) & at_most(1), m=above(0) & at_most(1))
def next_distribution(
    logits: Float[Tensor, "*batch v"],
    temperature: float = 1.0,
    k: int | None = None,
    p: float | None = None,
    m: float | None = None,
) -> Float[Tensor, "*batch v"]:
    """The probabilities to draw from: temperature, then top k, top p and min p, then they sum to 1 again."""
    logits = with_temperature(logits, temperature)
    logits = logits if k is None else top_k(logits, k)
    logits = logits if p is None else top_p(logits, p)
    logits = logits if m is None else min_p(logits, m)
    return logits.softmax(-1)


@checked(n=at_least(1), context=at_least(1))
def window_start(n: int, context: int) -> int:
    """Where the text begins that a model with so much context sees of n tokens.

    As long as there is room it sees all. When the window is full it forgets half a window, and goes on.
    """
    hop = max(context // 2, 1)
    return max(math.ceil((n - context) / hop), 0) * hop


@torch.no_grad()
@checked(
    tokens=tokens_below("{model.config.vocabulary}"),
    count=at_least(0),
    temperature=at_least(0),
    k=at_least(1),
    p=above(0) & at_most(1),
    m=above(0) & at_most(1),
)
def generate(
    model: GPT,
    tokens: Int[Tensor, "B t"],
    count: int,
    generator: torch.Generator,
    temperature: float = 1.0,
    k: int | None = None,
    p: float | None = None,
    cache: bool = True,
    m: float | None = None,
) -> Int[Tensor, "B t_count"]:
    """The tokens and ``count`` more, each drawn given those before it.

    With the cache only the newest token goes through the model, for the keys and values of the past do not
    change: the causal mask keeps them from knowing what came later. Both ways give the same tokens. Beyond
    the context `window_start` says what the model sees; then what is left is read again, from position 0.
    """
    B, t = tokens.shape
    text = torch.cat([tokens.long(), tokens.new_zeros(B, count, dtype=torch.long)], dim=1)
    kept, begun = None, -1
    for n in range(t, t + count):
        start = bare(window_start)(n, model.config.context)
        if not cache:
            logits = model(text[:, start:n])
        elif start != begun:  # the first step, and whenever the window has moved
            kept, begun = model.cache(B), start
            logits = model(text[:, start:n], kept)
        else:
            logits = model(text[:, n - 1 : n], kept)
        chances = bare(next_distribution)(logits[:, -1], temperature, k, p, m)
        text[:, n] = draw(chances, generator)
    return text


def weights(ask: Ask, value: Tensor) -> Tensor:
    """Rows that are not negative and do not sum to 0; looked at on the CPU alone."""
    if value.device.type == "cpu":
        good = bool((value >= 0).all() & (value.sum(-1) > 0).all())
        ask.require(good, "hold rows of weights that are not negative and not all 0", value.tolist())
    return value


@checked(chances=weights)
def draw(chances: Float[Tensor, "B v"], generator: torch.Generator) -> Int[Tensor, "B"]:
    """One token per row: the first at which the sum of the probabilities passes a uniform number."""
    u = torch.rand(len(chances), 1, generator=generator, device=chances.device, dtype=torch.float64)
    total = chances.double().cumsum(-1)
    chosen = torch.searchsorted(total, u * total[:, -1:], right=True)[:, 0]
    # u·total < total, yet rounding may make them equal. Then the last token that has a chance is meant.
    past = chosen == chances.shape[-1]
    last = torch.searchsorted(total, total[:, -1:].contiguous())[:, 0]
    return torch.where(past, last, chosen)


def _rank(logits: Float[Tensor, "*batch v"]) -> Int[Tensor, "*batch v"]:
    """0 for the largest, 1 for the next, …; of equals, the one with the smaller number first."""
    order = logits.argsort(stable=True, dim=-1, descending=True)
    place = torch.arange(logits.shape[-1], device=logits.device).expand_as(order)
    return torch.zeros_like(order).scatter(-1, order, place)
