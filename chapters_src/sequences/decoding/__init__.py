"""How a model writes: searching, drawing, keeping what was read, drafting ahead and obeying a grammar."""

from chapters_src.sequences.decoding.generation import (
    draw,
    generate,
    min_p,
    next_distribution,
    top_k,
    top_p,
    window_start,
    with_temperature,
)
from chapters_src.sequences.decoding.grammar import constrained, list_grammar, token_rules
from chapters_src.sequences.decoding.searching import (
    Hypothesis,
    beam_search,
    exhaustive_search,
    translator_steps,
)
from chapters_src.sequences.decoding.speculation import Speculated, residual, speculate, verified

__all__ = [
    "Hypothesis",
    "Speculated",
    "beam_search",
    "constrained",
    "draw",
    "exhaustive_search",
    "generate",
    "list_grammar",
    "min_p",
    "next_distribution",
    "residual",
    "speculate",
    "token_rules",
    "top_k",
    "top_p",
    "translator_steps",
    "verified",
    "window_start",
    "with_temperature",
]
