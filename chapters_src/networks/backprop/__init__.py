"""Back-propagation by hand: both passes in matrix form, training with them, and looking inside."""

from chapters_src.networks.backprop.fast import loss_and_gradients_into
from chapters_src.networks.backprop.layers import WEIGHT_VARIANCES, initialise
from chapters_src.networks.backprop.passes import (
    LOSSES,
    Loss,
    Trace,
    backward,
    cross_entropy_loss,
    forward,
    loss_and_gradients,
    squared_loss,
)
from chapters_src.networks.backprop.signals import Sizes, dead_units, signal_sizes
from chapters_src.networks.backprop.training import fit, gradient_check, predicted_classes

__all__ = [
    "LOSSES",
    "WEIGHT_VARIANCES",
    "Loss",
    "Sizes",
    "Trace",
    "backward",
    "cross_entropy_loss",
    "dead_units",
    "fit",
    "forward",
    "gradient_check",
    "initialise",
    "loss_and_gradients",
    "loss_and_gradients_into",
    "predicted_classes",
    "signal_sizes",
    "squared_loss",
]
