"""Deep networks: layers composed, counted, and the linear regions they fold a space into."""

from chapters_src.networks.deep.folds import folding, squaring, wedge, zigzag
from chapters_src.networks.deep.fully_connected import FullyConnectedLayer, fully_connected_network
from chapters_src.networks.deep.luck import hinges_side_by_side
from chapters_src.networks.deep.network import (
    compose,
    deep_parameters,
    forward,
    forward_cost,
    hidden,
    random_network,
    region_limit,
    width_within,
)
from chapters_src.networks.deep.regions import (
    count_pieces,
    deep_lower_bound,
    tiling,
)

__all__ = [
    "FullyConnectedLayer",
    "compose",
    "count_pieces",
    "deep_lower_bound",
    "deep_parameters",
    "folding",
    "forward",
    "forward_cost",
    "fully_connected_network",
    "hidden",
    "hinges_side_by_side",
    "random_network",
    "region_limit",
    "squaring",
    "tiling",
    "wedge",
    "width_within",
    "zigzag",
]
