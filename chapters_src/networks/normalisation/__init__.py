"""Norms between layers: numbers brought to mean 0 and variance 1, then stretched and moved as learned."""

from chapters_src.networks.normalisation.batch import batch_norm, batch_norm_backward, running_averages
from chapters_src.networks.normalisation.invariance import descend_normalised, normalised_unit_loss
from chapters_src.networks.normalisation.layers import layer_norm, rms_norm
from chapters_src.networks.normalisation.measuring import (
    longest_falling_step,
    mean_squares,
    shuffled_batches,
)
from chapters_src.networks.normalisation.networks import GhostBatchNorm, Jolts, normalised_mlp
from chapters_src.networks.normalisation.sharing import block_norm, sharing_entries

__all__ = [
    "GhostBatchNorm",
    "Jolts",
    "batch_norm",
    "batch_norm_backward",
    "block_norm",
    "descend_normalised",
    "layer_norm",
    "longest_falling_step",
    "mean_squares",
    "normalised_mlp",
    "normalised_unit_loss",
    "rms_norm",
    "running_averages",
    "sharing_entries",
    "shuffled_batches",
]
