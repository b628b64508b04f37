"""Stochastic gradient descent: mini-batches, their noise, and what the noise does."""

from chapters_src.optimisation.stochastic.batches import (
    fit_batches,
    minibatch_variance,
    minibatches,
)
from chapters_src.optimisation.stochastic.noise import mean_squared_distances, noise_floor
from chapters_src.optimisation.stochastic.optimisers import SGD, Optimiser, share_of_one, walk

__all__ = [
    "SGD",
    "Optimiser",
    "fit_batches",
    "mean_squared_distances",
    "minibatch_variance",
    "minibatches",
    "noise_floor",
    "share_of_one",
    "walk",
]
