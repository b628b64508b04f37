"""A network written as a list of layers: its sizes and counts, and the network itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod, sqrt
from typing import Any, NamedTuple

import torch
from torch import nn

from chapters_src.core.contract import bare, checked, refuse, require
from chapters_src.core.device import Device
from chapters_src.core.modules import conv2d, linear
from chapters_src.core.readers import Ask, Limits, at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.networks.convolution import convolution_parameters, output_size
from chapters_src.networks.regularisation import dropout

__all__ = [
    "ALEXNET",
    "DIGITS",
    "LENET",
    "Conv",
    "Dense",
    "Drop",
    "LayerSize",
    "Pool",
    "layer_sizes",
    "network",
]


class Conv(NamedTuple):
    """Filters of kernel × kernel over all channels, or over those of their own group."""

    filters: int
    kernel: int
    stride: int = 1
    padding: int = 0
    groups: int = 1


class Pool(NamedTuple):
    """One number per window and channel: its largest or its mean."""

    kernel: int
    stride: int
    kind: str = "max"


class Dense(NamedTuple):
    """Units that see everything."""

    units: int


class LayerSize(NamedTuple):
    """What a layer gives and what it costs."""

    layer: Conv | Pool | Dense
    shape: tuple[int, ...]  # channels, rows, columns; or units
    weights: int
    biases: int
    products: int  # multiplications by a weight, for one image

    @property
    def neurons(self) -> int:
        """The numbers that the layer gives."""
        return prod(self.shape)


# The sizes of Lecun and others (1998), with every filter of the third layer over all maps and max pooling.
LENET = (Conv(6, 5, padding=2), Pool(2, 2), Conv(16, 5), Pool(2, 2), Conv(120, 5), Dense(84), Dense(10))
# Krizhevsky, Sutskever and Hinton (2012): two groups, because it was split over two graphics cards.
ALEXNET = (
    Conv(96, 11, stride=4), Pool(3, 2),
    Conv(256, 5, padding=2, groups=2), Pool(3, 2),
    Conv(384, 3, padding=1), Conv(384, 3, padding=1, groups=2), Conv(256, 3, padding=1, groups=2), Pool(3, 2),
    Dense(4096), Dense(4096), Dense(1000),
)  # fmt: skip
# What this chapter trains.
DIGITS = (Conv(16, 5, padding=2), Pool(2, 2), Conv(32, 5, padding=2), Pool(2, 2), Dense(128), Dense(10))


def _stack(ask: Ask, value: Any) -> Any:
    known = isinstance(value, (list, tuple)) and all(isinstance(one, (Conv, Pool, Dense)) for one in value)
    ask.require(known and len(value) > 0, "be Conv, Pool and Dense layers", f"a {type(value).__name__}")
    return tuple(value)


@checked(layers=_stack, channels=at_least(1), size=at_least(1))
def layer_sizes(layers: Sequence[Any], channels: int, size: int) -> list[LayerSize]:
    """The shape, the weights, the biases and the products of each layer, for images of size × size.

    M by {eq}`eq-convolution-size`, weights and biases by {eq}`eq-convolution-count`; pooling has none.
    """
    rows: list[LayerSize] = []
    shape: tuple[int, ...] = (channels, size, size)
    for layer in layers:
        if isinstance(layer, Dense):
            weights, biases, products = prod(shape) * layer.units, layer.units, prod(shape) * layer.units
            shape = (layer.units,)
        else:
            require(len(shape) == 3, "layers", "have no image left after a dense layer", layer)
            padding = getattr(layer, "padding", 0)
            side = _fitting(shape[1], layer.kernel, layer.stride, padding)
            weights = biases = products = 0
            if isinstance(layer, Conv):
                biases = layer.filters
                weights = _weights(shape[0], layer)
                products = weights * side**2
            shape = (biases or shape[0], side, side)
        rows.append(LayerSize(layer, shape, weights, biases, products))
    return rows


def _fitting(size: int, kernel: int, stride: int, padding: int) -> int:
    if kernel > size + 2 * padding:
        refuse("size", f"leave room for a window of {kernel}", size)
    return bare(output_size)(size, kernel, stride, padding)


def _weights(channels: int, layer: Conv) -> int:
    return bare(convolution_parameters)(channels, layer.filters, layer.kernel, layer.groups, bias=False)


class Drop(nn.Module):
    """`dropout` as a layer: while training it draws from the generator that it was given."""

    @checked(share=Limits(at_least=0, below=1))
    def __init__(self, share: float, generator: torch.Generator) -> None:
        super().__init__()
        self.share, self.generator = share, generator

    @checked
    def forward(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """The numbers, some of them silenced while training."""
        return bare(dropout)(x, self.share, self.generator if self.training else None)


@checked(layers=_stack, channels=at_least(1), size=at_least(1), drop=Limits(at_least=0, below=1))
def network(
    layers: Sequence[Any],
    channels: int,
    size: int,
    generator: torch.Generator,
    activation: Callable[[], nn.Module] = nn.ReLU,
    norm: bool = False,
    drop: float = 0.0,
    device: Device = None,
) -> nn.Sequential:
    """The layers as a torch network, an activation after each with weights but the last.

    With ``norm`` each map of a convolution is normalised over the batch; ``drop`` silences dense units.
    """
    made: list[nn.Module] = []
    before: tuple[int, ...] = (channels, size, size)
    for row in bare(layer_sizes)(layers, channels, size):
        layer = row.layer
        if isinstance(layer, Conv):
            steps = (layer.kernel, generator, layer.stride, layer.padding)
            made.append(conv2d(before[0], layer.filters, *steps, device=device, groups=layer.groups))
            made += [nn.BatchNorm2d(layer.filters, device=device)] if norm else []
            made.append(activation())
        elif isinstance(layer, Pool):
            kind = nn.MaxPool2d if layer.kind == "max" else nn.AvgPool2d
            made.append(kind(layer.kernel, layer.stride))
        else:
            made += [nn.Flatten()] if len(before) == 3 else []
            made += [linear(prod(before), layer.units, generator, sqrt(2), device=device), activation()]
            made += [Drop(drop, generator)] if drop else []
        before = row.shape
    if isinstance(layers[-1], Dense):  # the last numbers are logits
        while not isinstance(made[-1], nn.Linear):
            made.pop()
    return nn.Sequential(*made)
