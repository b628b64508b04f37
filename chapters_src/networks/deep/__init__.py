"""Deep networks: layers composed, counted, and the linear regions they fold a space into."""

from chapters_src.networks.deep.fully_connected import FullyConnectedLayer, fully_connected_network
from chapters_src.networks.deep.network import (
    collapse,
    compose,
    deep_parameters,
    folding,
    forward,
    forward_cost,
    hidden,
    random_network,
    region_limit,
    width_within,
    zigzag,
)
from chapters_src.networks.deep.regions import (
    Pieces,
    Polygon,
    count_pieces,
    deep_lower_bound,
    pieces,
    polygons,
    tiling,
)

__all__ = [
    "FullyConnectedLayer",
    "Pieces",
    "Polygon",
    "collapse",
    "compose",
    "count_pieces",
    "deep_lower_bound",
    "deep_parameters",
    "folding",
    "forward",
    "forward_cost",
    "fully_connected_network",
    "hidden",
    "pieces",
    "polygons",
    "random_network",
    "region_limit",
    "tiling",
    "width_within",
    "zigzag",
]
