"""Shallow networks: one hidden layer of hinges, the pieces it is made of, and how it is fitted."""

from chapters_src.networks.shallow.arrangement import Cell, cells, count_cells, most_regions
from chapters_src.networks.shallow.fast import predict_in_blocks
from chapters_src.networks.shallow.fitting import (
    fit_outer,
    network_from,
    objective,
    quantile_layer,
    squared_error,
    start,
)
from chapters_src.networks.shallow.network import (
    Network,
    Pieces,
    Steps,
    active,
    affine_on,
    linear_pieces,
    one_input,
    relu,
    side_by_side,
    steps,
)
from chapters_src.networks.shallow.parameters import (
    Layer,
    Layers,
    fits_layers,
    fitting_layers,
    flat,
    layer_widths,
    layers_from,
    parameter_count,
)

__all__ = [
    "Cell",
    "Layer",
    "Layers",
    "Network",
    "Pieces",
    "Steps",
    "active",
    "affine_on",
    "cells",
    "count_cells",
    "fit_outer",
    "fits_layers",
    "fitting_layers",
    "flat",
    "layer_widths",
    "layers_from",
    "linear_pieces",
    "most_regions",
    "network_from",
    "objective",
    "one_input",
    "parameter_count",
    "predict_in_blocks",
    "quantile_layer",
    "relu",
    "side_by_side",
    "squared_error",
    "start",
    "steps",
]
