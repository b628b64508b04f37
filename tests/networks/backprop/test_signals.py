"""Sizes against products known by hand and against torch; dead units by construction."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.networks.backprop.layers import initialise
from chapters_src.networks.backprop.passes import forward, loss_and_gradients
from chapters_src.networks.backprop.signals import dead_units, signal_sizes
from chapters_src.networks.shallow import layers_from

torch.set_num_threads(1)


def problem(seed=0, n=20, sizes=(4, 6, 5, 3)):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, sizes[0])), rng.integers(0, sizes[-1], n)
    return X, y, [(W, 0.3 * rng.normal(size=b.shape)) for W, b in initialise(sizes, rng)]


def test_sizes_of_a_linear_chain_are_known():
    """With φ the identity above 0 and positive numbers everywhere, every size is a product."""
    X, y = np.full((4, 1), 2.0), np.zeros((4, 1))
    layers = [(np.array([[3.0]]), np.zeros(1)), (np.array([[5.0]]), np.zeros(1))]
    sizes = signal_sizes(layers, X, y, "relu", "squared")
    np.testing.assert_allclose(sizes.h, [2, 6])  # x, 3x
    np.testing.assert_allclose(sizes.delta, [2 * 30 * 5 / 4, 2 * 30 / 4])  # for each of four examples
    np.testing.assert_allclose(sizes.gradient, [2 * 30 * 5 * 2, 2 * 30 * 6])  # 2(ŷ−y)·5·x and 2(ŷ−y)·h


@pytest.mark.parametrize("phi", ["tanh", "relu"])
def test_sizes_are_those_of_backpropagation(phi):
    X, y, layers = problem()
    sizes = signal_sizes(layers, X, y, phi)
    _, gradients = loss_and_gradients(layers, X, y, phi)
    np.testing.assert_allclose(sizes.gradient, [np.sqrt(np.mean(W**2)) for W, _ in gradients], rtol=1e-12)
    leaves = [torch.tensor(part) for pair in layers for part in pair]
    h, stages = torch.tensor(X), []
    for l in range(len(layers)):
        a = ((getattr(torch, phi)(h) if l else h) @ leaves[2 * l] + leaves[2 * l + 1]).requires_grad_()
        a.retain_grad()
        stages.append(a)
        h = a
    torch.nn.functional.cross_entropy(h, torch.tensor(y)).backward()
    np.testing.assert_allclose(
        sizes.delta, [float(a.grad.square().mean().sqrt()) for a in stages], rtol=1e-12
    )


def test_with_hinges_the_adjoint_scales_with_the_weights_and_the_gradients_stay_level():
    X, y = np.random.default_rng(0).normal(size=(16, 16)), np.arange(16) % 3
    layers = initialise([16] * 10 + [3], np.random.default_rng(1))
    one = signal_sizes(layers, X, y, "relu")
    half = [(W / 2, b) if l else (W, b) for l, (W, b) in enumerate(layers[:-1])]
    two = signal_sizes([*half, layers[-1]], X, y, "relu")
    np.testing.assert_allclose(two.h[1:] / one.h[1:], 0.5 ** np.arange(len(one.h) - 1), rtol=1e-12)
    ratio = (two.delta / two.delta[-1]) / (one.delta / one.delta[-1])
    assert (np.diff(np.log2(ratio[1:-1])) > 0).all() and ratio[0] < 0.5**6


def test_sizes_do_not_underflow():
    X, y, layers = problem(sizes=(4, 4, 4, 3))
    tiny = [(1e-170 * W, b * 0) for W, b in layers]
    sizes = signal_sizes(tiny, X, y)
    assert sizes.h[1] > 0
    assert sizes.gradient[-1] >= 0


def test_dead_units_are_those_that_never_fire():
    X, _, layers = problem(n=50)
    (W, b), *rest = layers
    b = b.copy()
    b[:2] = -1e3
    trace = forward([(W, b), *rest], X)
    shares = dead_units(trace)
    assert shares[0] == pytest.approx(2 / 6)
    assert shares.shape == (2,)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: signal_sizes(problem()[2], *problem()[:2], loss="1"), "signal_sizes: loss must be one of"),
        (lambda: dead_units(None), "dead_units: trace must be a Trace"),
        (lambda: dead_units(forward(layers_from(np.ones(15), (4, 3)), problem()[0])), "with a hidden layer"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
