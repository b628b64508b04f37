"""Speculative decoding: a small model drafts several tokens, and a large one checks them in one pass."""

from __future__ import annotations

from typing import NamedTuple

import torch

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.tensor_readers import like, tokens_below
from chapters_src.sequences.decoding.generation import draw, next_distribution
from chapters_src.sequences.language_model import GPT

__all__ = ["Speculated", "residual", "speculate", "verified"]


class Speculated(NamedTuple):
    """The text, how many passes of the large model it took, and how many drafts were checked and accepted."""

    tokens: Int[Tensor, "t_count"]
    passes: int
    checked: int
    accepted: int


@checked(q=like("p"))
def residual(p: Float[Tensor, "v"], q: Float[Tensor, "v"]) -> Float[Tensor, "v"]:
    """Where a rejected draft is drawn again: what p has more than q, normalised; p itself if they are equal.

    (pᵢ − qᵢ)₊ / Σⱼ (pⱼ − qⱼ)₊                                   {eq}`eq-decoding-speculative`
    """
    more = (p - q).clamp(min=0)
    return more / more.sum() if more.sum() > 0 else p


@checked(drafts=tokens_below("{p.shape[1]}"), q=like("p"))
def verified(
    p: Float[Tensor, "k1 v"], q: Float[Tensor, "k v"], drafts: Int[Tensor, "k"], generator: torch.Generator
) -> list[int]:
    """The drafts that are accepted, and one token more: a new draw for the first rejected, or a bonus.

    Draft x stays with probability min(1, p(x)/q(x)). Row i of p and q belongs to draft i; p has one row more.
    """
    require(len(p) == len(q) + 1, "p", f"have {len(q) + 1} rows, one more than q", len(p))
    accepted: list[int] = []
    for i, x in enumerate(drafts.tolist()):
        u = torch.rand((), generator=generator, dtype=torch.float64)
        if u * q[i, x] >= p[i, x]:
            return [*accepted, int(draw(residual(p[i], q[i])[None], generator))]
        accepted.append(x)
    return [*accepted, int(draw(p[-1:], generator))]


@torch.no_grad()
@checked(
    tokens=tokens_below("{model.config.vocabulary}"),
    count=at_least(1),
    ahead=at_least(1),
    temperature=above(0),
)
def speculate(
    model: GPT,
    draft: GPT,
    tokens: Int[Tensor, "t"],
    count: int,
    generator: torch.Generator,
    ahead: int = 4,
    temperature: float = 1.0,
) -> Speculated:
    """The tokens and ``count`` more, distributed as if the large model had drawn each of them.

    Per pass the draft model writes up to ``ahead`` tokens, and `verified` says how many of them stand.
    """
    room = min(model.config.context, draft.config.context)
    require(len(tokens) + count <= room, "count", f"fit with the tokens into the context, {room}", count)
    known = draft.config.vocabulary
    require(known == model.config.vocabulary, "draft", "have the vocabulary of the model", known)
    text, end = tokens.long(), len(tokens) + count
    passes = tried = accepted = 0
    while (n := len(text)) < end:
        proposal, q = text, []
        for _ in range(min(ahead, end - n - 1)):
            q.append(next_distribution(draft(proposal[None])[0, -1], temperature))
            proposal = torch.cat([proposal, draw(q[-1][None], generator)])
        p = next_distribution(model(proposal[None])[0, n - 1 :], temperature)  # all drafts in one pass
        last = not q  # room for one token, and nothing to check
        kept = [int(draw(p, generator))] if last else verified(p, torch.stack(q), proposal[n:], generator)
        text = torch.cat([text, torch.tensor(kept, device=text.device)])
        passes, accepted = passes + 1, accepted + len(kept) - 1
        tried += min(len(kept), len(q))  # drafts behind a rejected one are not looked at
    return Speculated(text, passes, tried, accepted)
