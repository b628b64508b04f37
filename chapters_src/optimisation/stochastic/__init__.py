"""What other chapters may import from here."""

from chapters_src.optimisation.stochastic.batches import (
    Fit,
    fit_batches,
    minibatch_variance,
    minibatches,
    range_test,
)
from chapters_src.optimisation.stochastic.classifier import accuracy, cross_entropy, logits, objective, start
from chapters_src.optimisation.stochastic.optimisers import (
    SGD,
    Adam,
    AdamW,
    Optimiser,
    RMSprop,
    adam_step_bound,
    clipped,
    walk,
)

__all__ = [
    "SGD",
    "Adam",
    "AdamW",
    "Fit",
    "Optimiser",
    "RMSprop",
    "accuracy",
    "adam_step_bound",
    "clipped",
    "cross_entropy",
    "fit_batches",
    "logits",
    "minibatch_variance",
    "minibatches",
    "objective",
    "range_test",
    "start",
    "walk",
]
