"""What other chapters may import from here."""

from chapters_src.networks.backprop.layers import RULES, Layer, flatten, multiplications, unflatten
from chapters_src.networks.backprop.mlp import (
    LOSSES,
    Loss,
    Trace,
    backward,
    cross_entropy,
    forward,
    loss_and_gradients,
    squared_error,
)
from chapters_src.networks.backprop.training import (
    Sizes,
    Training,
    accuracy,
    dead_units,
    fit,
    gradient_check,
    objective,
    signal_sizes,
)

__all__ = [
    "LOSSES",
    "RULES",
    "Layer",
    "Loss",
    "Sizes",
    "Trace",
    "Training",
    "accuracy",
    "backward",
    "cross_entropy",
    "dead_units",
    "fit",
    "flatten",
    "forward",
    "gradient_check",
    "loss_and_gradients",
    "multiplications",
    "objective",
    "signal_sizes",
    "squared_error",
    "unflatten",
]
