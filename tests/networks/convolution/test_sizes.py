"""Sizes against torch's own, against brute force, and the published counts."""

from itertools import product

import numpy as np
import pytest
import torch
from torch import nn

from chapters_src.networks.convolution import (
    Window,
    convolution_parameters,
    output_size,
    receptive_field,
    transposed_size,
)

GRID = [
    (size, kernel, stride, padding, dilation)
    for size, kernel, stride, padding, dilation in product(
        range(5, 20), range(1, 6), (1, 2, 3), (0, 1, 2), (1, 2)
    )
    if dilation * (kernel - 1) + 1 <= size + 2 * padding
]


def test_output_size_is_torchs():
    for size, kernel, stride, padding, dilation in GRID:
        layer = nn.Conv1d(1, 1, kernel, stride, padding, dilation, device="meta")
        theirs = layer(torch.empty(1, 1, size, device="meta")).shape[-1]
        assert output_size(size, kernel, stride, padding, dilation) == theirs


def test_ceil_is_torchs():
    differ = 0
    for size, kernel, stride, padding, dilation in GRID:
        if padding > kernel // 2:
            continue  # torch refuses these for pooling
        layer = nn.MaxPool1d(kernel, stride, padding, dilation, ceil_mode=True)
        ours = output_size(size, kernel, stride, padding, dilation, ceil=True)
        assert ours == layer(torch.zeros(1, 1, size)).shape[-1]
        differ += ours != output_size(size, kernel, stride, padding, dilation)
    assert differ > 100


def test_size_by_trying_every_place():
    for size, kernel, stride, padding, dilation in GRID:
        ends = [i + dilation * (kernel - 1) for i in range(0, 100, stride)]
        assert output_size(size, kernel, stride, padding, dilation) == sum(
            e < size + 2 * padding for e in ends
        )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((32, 3), 30),
        ((32, 5), 28),
        ((32, 5, 1, 2), 32),
        ((227, 11, 4), 55),
        ((32, 2, 2), 16),
        ((55, 3, 2), 27),
    ],
)
def test_published_sizes(arguments, expected):
    assert output_size(*arguments) == expected


def test_pooling_five_by_two():
    assert (output_size(5, 2, 2), output_size(5, 2, 2, ceil=True)) == (2, 3)


def test_transposed_size_is_torchs_and_comes_back():
    for size, kernel, stride, padding, dilation in GRID:
        layer = nn.ConvTranspose1d(1, 1, kernel, stride, padding, dilation=dilation, device="meta")
        if (size - 1) * stride + dilation * (kernel - 1) + 1 - 2 * padding < 1:
            continue
        ours = transposed_size(size, kernel, stride, padding, dilation)
        assert ours == layer(torch.empty(1, 1, size, device="meta")).shape[-1]
        assert output_size(ours, kernel, stride, padding, dilation) == size


def test_receptive_field_by_gradient():
    rng = np.random.default_rng(0)
    for _ in range(20):
        layers = [Window(*map(int, rng.integers(1, 4, 3))) for _ in range(3)]
        x = torch.zeros(1, 1, 400, dtype=torch.float64, requires_grad=True)
        z = x
        for kernel, stride, dilation in layers:
            weight = torch.ones(1, 1, kernel, dtype=torch.float64)
            z = nn.functional.conv1d(z, weight, stride=stride, dilation=dilation)
        z[0, 0, z.shape[-1] // 2].backward()
        seen = x.grad[0, 0].nonzero()
        assert receptive_field(layers) == seen.max() - seen.min() + 1


def test_receptive_field_worked():
    assert [receptive_field([Window(3)] * depth) for depth in range(1, 5)] == [3, 5, 7, 9]
    assert receptive_field([Window(3, 1, 2)]) == 5
    assert receptive_field([Window(3, 1, 2**i) for i in range(4)]) == 31
    assert receptive_field([]) == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [((3, 1, 5), 76), ((3, 10, 5), 760), ((3, 32, 3), 896), ((64, 16, 1), 1040), ((3, 96, 11), 34_944)],
)
def test_published_counts(arguments, expected):
    assert convolution_parameters(*arguments) == expected


def test_counts_are_torchs():
    for inputs, outputs, kernel, groups, bias in [
        (6, 4, 3, 2, True),
        (8, 8, 5, 8, False),
        (1, 7, 2, 1, True),
    ]:
        layer = nn.Conv2d(inputs, outputs, kernel, groups=groups, bias=bias, device="meta")
        total = sum(one.numel() for one in layer.parameters())
        assert convolution_parameters(inputs, outputs, kernel, groups, bias) == total


def test_refusals():
    with pytest.raises(ValueError, match="output_size: kernel must span no more than the padded input"):
        output_size(4, 3, dilation=2)
    assert output_size(5, 3, dilation=2) == 1
    with pytest.raises(ValueError, match="transposed_size: padding must leave something"):
        transposed_size(1, 2, padding=1)
    assert transposed_size(1, 3, padding=1) == 1
    with pytest.raises(ValueError, match="groups must divide"):
        convolution_parameters(6, 4, 3, groups=3)
    with pytest.raises(ValueError, match="receptive_field: layers must have sizes"):
        receptive_field([Window(3, 0)])
