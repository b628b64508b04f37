"""What other chapters may import from here."""

from chapters_src.networks.shallow.arrangement import Cell, cells, count_regions, most_regions
from chapters_src.networks.shallow.fitting import (
    fit_outer,
    flat,
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
    parameter_count,
    relu,
    side_by_side,
    steps,
)

__all__ = [
    "Cell",
    "Network",
    "Pieces",
    "Steps",
    "active",
    "affine_on",
    "cells",
    "count_regions",
    "fit_outer",
    "flat",
    "linear_pieces",
    "most_regions",
    "network_from",
    "objective",
    "parameter_count",
    "quantile_layer",
    "relu",
    "side_by_side",
    "squared_error",
    "start",
    "steps",
]
