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
    Steps,
    active,
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
from chapters_src.networks.shallow.pieces import (
    ExactPieces,
    Pieces,
    exact_pieces,
    linear_pieces,
    one_input,
    with_one_input,
)

__all__ = [
    "Cell",
    "ExactPieces",
    "Layer",
    "Layers",
    "Network",
    "Pieces",
    "Steps",
    "active",
    "cells",
    "count_cells",
    "exact_pieces",
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
    "with_one_input",
]
