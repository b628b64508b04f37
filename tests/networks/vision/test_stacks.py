"""Sizes and counts against torch's layers and published numbers."""

from math import prod

import pytest
import torch
from torch import nn

from chapters_src.core.device import seed
from chapters_src.networks.vision import ALEXNET, DIGITS, LENET, Conv, Dense, Drop, Pool, layer_sizes, network

torch.set_num_threads(1)


@pytest.mark.parametrize(("layers", "channels", "size"), [(LENET, 1, 28), (ALEXNET, 3, 227), (DIGITS, 1, 28)])
def test_the_built_network_has_the_counted_sizes(layers, channels, size):
    rows = layer_sizes(layers, channels, size)
    model = network(layers, channels, size, seed(0), norm=True, drop=0.5, device="meta")
    seen, kinds = [], (nn.Conv2d, nn.MaxPool2d, nn.AvgPool2d, nn.Linear)
    for one in model:
        if isinstance(one, kinds):
            one.register_forward_hook(lambda layer, x, y: seen.append((layer, tuple(y.shape[1:]))))
    model.eval()(torch.zeros(2, channels, size, size, device="meta"))
    assert [shape for _, shape in seen] == [row.shape for row in rows]
    for (layer, _), row in zip(seen, rows, strict=True):
        counts = [p.numel() for p in layer.parameters()] or [0, 0]
        assert counts == [row.weights, row.biases]
        assert row.neurons == prod(row.shape)


def test_published_numbers():
    alex = layer_sizes(ALEXNET, 3, 227)
    assert (alex[0].neurons, alex[0].weights, alex[0].weights + alex[0].biases) == (290_400, 34_848, 34_944)
    assert [row.shape[1] for row in alex[:4]] == [55, 27, 27, 13]
    assert sum(row.weights + row.biases for row in alex) == 60_965_224
    assert alex[0].products == 290_400 * 363
    assert sum(row.weights + row.biases for row in layer_sizes(LENET, 1, 28)) == 61_706


def test_pooling_formulas():
    assert layer_sizes([Pool(2, 2)], 5, 32)[0].shape == (5, 16, 16)
    assert layer_sizes([Pool(3, 2)], 96, 55)[0].shape == (96, 27, 27)


def test_layers_in_order_and_no_activation_at_the_end():
    kinds = [type(one) for one in network(DIGITS, 1, 28, seed(0), nn.Tanh, norm=True, drop=0.2)]
    block = [nn.Conv2d, nn.BatchNorm2d, nn.Tanh, nn.MaxPool2d]
    assert kinds == [*block, *block, nn.Flatten, nn.Linear, nn.Tanh, Drop, nn.Linear]
    means = network([Pool(2, 2, "mean"), Dense(2)], 1, 4, seed(0))
    assert isinstance(means[0], nn.AvgPool2d)


def test_a_seed_means_the_same_network():
    one, two = (network(LENET, 1, 28, seed(3)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))


def test_drop_is_off_outside_training():
    drop, x = Drop(0.5, seed(0)), torch.ones(1000)
    assert 350 < int((drop(x) == 0).sum()) < 650
    assert torch.equal(drop.eval()(x), x)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="layer_sizes: size must leave room for a window of 5; got 3"):
        layer_sizes(LENET, 1, 6)
    with pytest.raises(ValueError, match="layer_sizes: layers must have no image left after a dense layer"):
        layer_sizes([Dense(3), Conv(2, 3)], 1, 8)
    with pytest.raises(
        ValueError, match="layer_sizes: layers must be Conv, Pool and Dense layers; got a list"
    ):
        layer_sizes([5], 1, 8)
