"""How large things become: outputs, receptive fields and the number of weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least

__all__ = [
    "Window",
    "convolution_parameters",
    "output_size",
    "places",
    "receptive_field",
    "transposed_size",
]


class Window(NamedTuple):
    """One convolution or pooling, as far as the receptive field is concerned."""

    kernel: int
    stride: int = 1
    dilation: int = 1


@checked(size=at_least(1), kernel=at_least(1), stride=at_least(1), padding=at_least(0), dilation=at_least(1))
def output_size(
    size: int, kernel: int, stride: int = 1, padding: int = 0, dilation: int = 1, ceil: bool = False
) -> int:
    """The number of places at which a window fits, along one axis.

    M = ⌊(N + 2P − D(K − 1) − 1) / S⌋ + 1   {eq}`eq-convolution-size`

    With ``ceil`` the last window may hang over the right edge, as long as it starts before the right padding.
    """
    fitting = places(size, kernel, stride, padding, dilation, name="kernel")
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    hangs_over = ceil and room % stride > 0 and fitting * stride < size + padding
    return fitting + hangs_over


@checked(size=at_least(1), kernel=at_least(1), stride=at_least(1), padding=at_least(0), dilation=at_least(1))
def transposed_size(size: int, kernel: int, stride: int = 1, padding: int = 0, dilation: int = 1) -> int:
    """The least input that the convolution with the same numbers brings to this size.

    N = (M − 1)S + D(K − 1) + 1 − 2P   {eq}`eq-convolution-transposed-size`
    """
    least = (size - 1) * stride + dilation * (kernel - 1) + 1 - 2 * padding
    require(least >= 1, "padding", "leave something of the output", padding)
    return least


@checked
def receptive_field(layers: Sequence[Window]) -> int:
    """How many neighbouring inputs, along one axis, one output of a stack of layers can see.

    R = 1 + Σₗ Dₗ(Kₗ − 1) · S₁⋯Sₗ₋₁   {eq}`eq-convolution-field`
    """
    field, jump = 1, 1
    for kernel, stride, dilation in (Window(*one) for one in layers):
        require(min(kernel, stride, dilation) >= 1, "layers", "have sizes of at least 1", (kernel, stride))
        field += dilation * (kernel - 1) * jump
        jump *= stride  # neighbouring outputs are this many inputs apart
    return field


@checked(inputs=at_least(1), outputs=at_least(1), kernel=at_least(1), groups=at_least(1))
def convolution_parameters(inputs: int, outputs: int, kernel: int, groups: int = 1, bias: bool = True) -> int:
    """The weights and biases of a two-dimensional convolution with square kernels.

    C_out · C_in/G · K² + C_out   {eq}`eq-convolution-count`
    """
    require(inputs % groups == outputs % groups == 0, "groups", "divide inputs and outputs", groups)
    return outputs * (inputs // groups) * kernel**2 + outputs * bias


def places(length: int, taps: int, stride: int, padding: int, dilation: int, name: str = "W") -> int:
    """⌊(N + 2P − D(K − 1) − 1) / S⌋ + 1; a kernel that does not fit is refused by its name."""
    room = length + 2 * padding - dilation * (taps - 1) - 1
    require(room >= 0, name, "span no more than the padded input", f"{taps} taps, dilation {dilation}")
    return room // stride + 1
