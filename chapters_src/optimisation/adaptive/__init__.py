"""Optimisers that give each coordinate a rate of its own."""

from chapters_src.optimisation.adaptive.fast import AdamByBlocks
from chapters_src.optimisation.adaptive.optimisers import Adam, AdamW, RMSprop, adam_step_bound

__all__ = ["Adam", "AdamByBlocks", "AdamW", "RMSprop", "adam_step_bound"]
