"""How large random weights should be: what a wide layer does to the size and the likeness of signals."""

from chapters_src.networks.initialisation.likeness import next_correlation
from chapters_src.networks.initialisation.quadrature import gaussian_mean, gaussian_pair_mean
from chapters_src.networks.initialisation.sizes import (
    edge_of_chaos,
    next_size,
    size_path,
    slope_factor,
)
from chapters_src.networks.initialisation.starts import initialise_orthogonal

__all__ = [
    "edge_of_chaos",
    "gaussian_mean",
    "gaussian_pair_mean",
    "initialise_orthogonal",
    "next_correlation",
    "next_size",
    "size_path",
    "slope_factor",
]
