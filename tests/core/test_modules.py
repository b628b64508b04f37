"""Seeded layers: the numbers of torch's own functions on that generator, and nothing global drawn."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from chapters_src.core.modules import conv2d, linear, mlp, normal_weights


def seeded(n):
    return torch.Generator().manual_seed(n)


def test_weights_are_drawn_by_the_generator():
    layer = linear(5, 7, seeded(3), scale=0.5)
    expected = torch.randn(7, 5, generator=seeded(3)) * (0.5 / math.sqrt(5))
    assert torch.allclose(layer.weight, expected, atol=1e-7)
    assert not layer.bias.any() and layer.bias.shape == (7,)


def test_uniform_is_torchs_own_start():
    """Against nn.Linear, whose global generator is set to the same seed for a moment."""
    state = torch.get_rng_state()
    torch.manual_seed(4)
    theirs = nn.Linear(9, 3)
    torch.set_rng_state(state)
    mine = linear(9, 3, seeded(4), uniform=True)
    assert torch.allclose(mine.weight, theirs.weight) and torch.allclose(mine.bias, theirs.bias)


def test_nothing_global_is_drawn():
    before = torch.get_rng_state()
    linear(3, 4, seeded(0))
    mlp([3, 4, 2], seeded(0), uniform=True)
    assert torch.equal(before, torch.get_rng_state())


@given(inputs=st.integers(1, 40), outputs=st.integers(1, 40), scale=st.floats(0, 3))
def test_shapes_and_sizes(inputs, outputs, scale):
    layer = linear(inputs, outputs, seeded(0), scale)
    assert layer(torch.ones(2, inputs)).shape == (2, outputs)
    assert layer.weight.requires_grad and layer.in_features == inputs
    uniform = linear(inputs, outputs, seeded(0), scale, uniform=True)
    assert uniform.weight.abs().max() <= scale / math.sqrt(inputs) * (1 + 1e-6)


def test_variance_is_kept():
    """Variance 1 in, variance 1 out: that is what 1/inputs is for."""
    layer = linear(400, 300, seeded(0), dtype=torch.float64)
    out = layer(torch.randn(500, 400, generator=seeded(1), dtype=torch.float64))
    assert out.std().item() == pytest.approx(1, abs=0.02)


def test_mlp_is_layers_in_a_row():
    network = mlp([4, 8, 8, 3], seeded(2), nn.Tanh, scale=2.0)
    g, x = seeded(2), torch.randn(6, 4, generator=seeded(5))
    h = x
    for i, (a, b) in enumerate([(4, 8), (8, 8), (8, 3)]):
        h = linear(a, b, g, 2.0)(h)
        h = h.tanh() if i < 2 else h
    assert torch.equal(network(x), h)


def test_a_convolution_is_drawn_by_the_generator_and_is_torchs():
    layer = conv2d(3, 5, 3, seeded(3), stride=2, padding=1)
    weight = torch.randn(5, 3, 3, 3, generator=seeded(3)) * math.sqrt(2 / 27)
    x = torch.randn(2, 3, 8, 8, generator=seeded(1))
    assert torch.allclose(layer(x), nn.functional.conv2d(x, weight, stride=2, padding=1), atol=1e-6)
    assert not layer.bias.any() and layer.weight.requires_grad


def test_a_convolution_without_bias_and_on_meta():
    before = torch.get_rng_state()
    layer = conv2d(2, 4, 1, seeded(0), bias=False, dtype=torch.float64)
    assert layer.bias is None and layer.weight.dtype == torch.float64
    assert conv2d(2, 4, 3, seeded(0), device="meta").weight.device.type == "meta"
    assert torch.equal(before, torch.get_rng_state())


def test_meta_and_dtype():
    layer = linear(10**5, 10**6, seeded(0), device="meta")  # 400 GB elsewhere
    assert layer.weight.device.type == "meta"
    assert normal_weights((2, 3), 1.0, seeded(0), dtype=torch.float64).dtype == torch.float64
    assert mlp([2, 3], seeded(0), dtype=torch.float64)[0].bias.dtype == torch.float64


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear(0, 1, seeded(0)), "linear: inputs must be at least 1; got 0"),
        (lambda: linear(1, 2.0, seeded(0)), "linear: outputs must be a whole number at least 1; got 2.0"),
        (lambda: linear(1, 2, 3), "linear: generator must be a torch.Generator, as from device.seed"),
        (lambda: linear(1, 2, seeded(0), -1.0), "linear: scale must be at least 0; got -1"),
        (lambda: linear(1, 2, seeded(0), uniform=1), "linear: uniform must be True or False; got 1"),
        (lambda: linear(1, 2, seeded(0), device="moon"), "linear: device must name a device"),
        (lambda: linear(1, 2, seeded(0), dtype=torch.int64), "linear: dtype must be a torch dtype of floats"),
        (lambda: conv2d(1, 2, 0, seeded(0)), "conv2d: kernel must be at least 1; got 0"),
        (lambda: conv2d(1, 2, 3, seeded(0), padding=-1), "conv2d: padding must be at least 0; got -1"),
        (lambda: mlp([3], seeded(0)), r"mlp: widths must be two numbers or more, input first; got \[3\]"),
        (lambda: mlp("34", seeded(0)), "mlp: widths must be a sequence of whole numbers; got '34'"),
        (lambda: mlp([3, 0, 2], seeded(0)), "mlp: widths must be at least 1; got 0"),
        (lambda: mlp([3, 0], seeded(0)), "mlp: widths must be at least 1; got 0"),
        (lambda: mlp([3, 2], seeded(0), "relu"), "mlp: activation must be a function; got 'relu'"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
