"""How a model writes: temperature, top-k and top-p, and a cache of what was read."""

from chapters_src.sequences.decoding.generation import (
    generate,
    next_distribution,
    top_k,
    top_p,
    window_start,
    with_temperature,
)

__all__ = ["generate", "next_distribution", "top_k", "top_p", "window_start", "with_temperature"]
