"""Momentum, and optimisers that give each coordinate a rate of its own."""

from chapters_src.optimisation.adaptive.fast import AdamByBlocks
from chapters_src.optimisation.adaptive.momentum import Momentum, best_momentum, momentum_matrix
from chapters_src.optimisation.adaptive.optimisers import Adagrad, Adam, AdamW, RMSprop, adam_step_bound

__all__ = [
    "Adagrad",
    "Adam",
    "AdamByBlocks",
    "AdamW",
    "Momentum",
    "RMSprop",
    "adam_step_bound",
    "best_momentum",
    "momentum_matrix",
]
