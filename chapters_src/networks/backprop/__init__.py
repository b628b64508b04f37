"""Backpropagation by hand: both passes in matrix form, training with them, and instruments to look inside."""

from chapters_src.networks.backprop.fast import loss_and_gradients_into
from chapters_src.networks.backprop.layers import WEIGHT_VARIANCES, initialise, multiplications
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
from chapters_src.networks.backprop.training import (
    Sizes,
    Training,
    dead_units,
    fit,
    gradient_check,
    objective,
    predicted_classes,
    signal_sizes,
)

__all__ = [
    "LOSSES",
    "WEIGHT_VARIANCES",
    "Loss",
    "Sizes",
    "Trace",
    "Training",
    "backward",
    "cross_entropy_loss",
    "dead_units",
    "fit",
    "forward",
    "gradient_check",
    "initialise",
    "loss_and_gradients",
    "loss_and_gradients_into",
    "multiplications",
    "objective",
    "predicted_classes",
    "signal_sizes",
    "squared_loss",
]
