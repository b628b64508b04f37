"""Layers whose first weights come from a generator that the caller names, and small networks of them.

torch draws the weights of its layers from one global generator. Here they are drawn where the generator
lives, which is the CPU unless said, and then moved: a seed means the same weights on every device.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor

__all__ = ["conv2d", "linear", "mlp", "normal_weights"]


@checked(scale=at_least(0))
def normal_weights(
    shape: Sequence[int],
    scale: float,
    generator: torch.Generator,
    device: Device = None,
    dtype: Dtype = None,
) -> Float[Tensor, "..."]:
    """Numbers from N(0, scale²), drawn by the generator and moved to the device."""
    return _drawn(shape, lambda x: x.normal_(0, scale, generator=generator), generator, device, dtype)


@checked(inputs=at_least(1), outputs=at_least(1), scale=at_least(0))
def linear(
    inputs: int,
    outputs: int,
    generator: torch.Generator,
    scale: float = 1.0,
    uniform: bool = False,
    device: Device = None,
    dtype: Dtype = None,
) -> nn.Linear:
    """A linear layer with weights from N(0, scale²/inputs) and biases 0.

    With ``uniform`` weights and biases are uniform on ±scale/√inputs, as those of torch's own layers.
    """
    size = scale / math.sqrt(inputs)
    # Made without values, because torch would draw them from its global generator.
    made = nn.Linear(inputs, outputs, device="meta", dtype=dtype)
    if uniform:
        fill = lambda x: x.uniform_(-size, size, generator=generator)  # noqa: E731
        weight, bias = (_drawn(one.shape, fill, generator, device, dtype) for one in (made.weight, made.bias))
    else:
        weight = normal_weights((outputs, inputs), size, generator, device, dtype)
        bias = torch.zeros(outputs, device=device, dtype=dtype)
    made.weight, made.bias = nn.Parameter(weight), nn.Parameter(bias)
    return made


@checked(widths=at_least(1), scale=at_least(0))
def mlp(
    widths: Sequence[int],
    generator: torch.Generator,
    activation: Callable[[], nn.Module] = nn.ReLU,
    scale: float = 1.0,
    uniform: bool = False,
    device: Device = None,
    dtype: Dtype = None,
) -> nn.Sequential:
    """`linear` layers of these widths, input first, with an activation between two of them."""
    require(len(widths) >= 2, "widths", "be two numbers or more, input first", widths)
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        layers += [linear(inputs, outputs, generator, scale, uniform, device, dtype), activation()]
    return nn.Sequential(*layers[:-1])


@checked(
    inputs=at_least(1),
    outputs=at_least(1),
    kernel=at_least(1),
    stride=at_least(1),
    padding=at_least(0),
    scale=at_least(0),
    groups=at_least(1),
)
def conv2d(
    inputs: int,
    outputs: int,
    kernel: int,
    generator: torch.Generator,
    stride: int = 1,
    padding: int = 0,
    scale: float = math.sqrt(2),
    bias: bool = True,
    device: Device = None,
    dtype: Dtype = None,
    groups: int = 1,
) -> nn.Conv2d:
    """A convolution with weights from N(0, scale²/(inputs/groups · kernel²)) and biases 0.

    The scale √2 keeps the size of signals through ReLUs.
    """
    require(inputs % groups == outputs % groups == 0, "groups", "divide inputs and outputs", groups)
    made = nn.Conv2d(
        inputs, outputs, kernel, stride, padding, groups=groups, bias=bias, device="meta", dtype=dtype
    )
    size = scale / math.sqrt(inputs // groups * kernel**2)
    made.weight = nn.Parameter(normal_weights(made.weight.shape, size, generator, device, dtype))
    if bias:
        made.bias = nn.Parameter(torch.zeros(outputs, device=device, dtype=dtype))
    return made


def layers_of(theta: Any, widths: Sequence[int]) -> list[tuple[Any, Any]]:
    """W and b of every layer as views of one vector, an array or a tensor: W row by row, then b."""
    layers, at = [], 0
    for inputs, units in pairwise(widths):
        end = at + inputs * units
        layers.append((theta[at:end].reshape(inputs, units), theta[end : end + units]))
        at = end + units
    return layers


def _drawn(
    shape: Sequence[int],
    fill: Callable[[torch.Tensor], torch.Tensor],
    generator: torch.Generator,
    device: Device,
    dtype: Dtype,
) -> torch.Tensor:
    """A tensor filled where the generator is; on the meta device there is nothing to fill."""
    place = torch.device("cpu" if device is None else device)
    if place.type == "meta":
        return torch.empty(tuple(shape), device=place, dtype=dtype)
    return fill(torch.empty(tuple(shape), device=generator.device, dtype=dtype)).to(place)
