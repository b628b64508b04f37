"""How many numbers a GPT learns, and how many operations a token costs: formulas that match the code."""

from __future__ import annotations

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.sequences.language_model.gpt import Config

__all__ = ["forward_operations", "parameters"]


@checked
def parameters(config: Config) -> dict[str, int]:
    """The learned numbers of a GPT, part by part, and "total".

    L·(4d² + 2d·hidden) + V·d + what is linear in d: 12·L·d² + V·d with hidden = 4d, nearly
                                                                {eq}`eq-language-model-parameters`
    """
    c = config
    d, hidden = c.d, int(c.hidden or 0)
    biases = {"relative": c.heads * (2 * c.context + 1)}.get(c.position, 0)
    parts = {
        "embedding": c.vocabulary * d,
        "positions": c.context * d if c.position == "learned" else 0,
        "attention": c.layers * (4 * d * d + 4 * d + biases),
        "feed-forward": c.layers * (2 * d * hidden + hidden + d),
        "norms": c.layers * 4 * d + (2 * d if c.norm == "pre" else 0),
        "output": 0 if c.tied else c.vocabulary * d,
    }
    return {**parts, "total": sum(parts.values())}


@checked(t=at_least(1), batch=at_least(1))
def forward_operations(config: Config, t: int, batch: int = 1) -> dict[str, int]:
    """Operations of one pass over ``batch`` texts of t tokens; an addition and a multiplication are two.

    per token: 2·L·(4d² + 2d·hidden) + 2·V·d  in products with learned matrices, and
               4·L·t·d  in QKᵀ and in weights times V               {eq}`eq-language-model-operations`

    Matrix products alone: the rest grows with d and not with d². Attention is counted in full, also what
    a causal mask hides, because that is what is computed in blocks.
    """
    c, tokens = config, t * batch
    parts = {
        "projections": tokens * c.layers * 2 * 4 * c.d * c.d,
        "looking": tokens * c.layers * 4 * t * c.d,
        "feed-forward": tokens * c.layers * 2 * 2 * c.d * int(c.hidden or 0),
        "output": tokens * 2 * c.vocabulary * c.d,
    }
    return {**parts, "total": sum(parts.values())}
