"""Training against scikit-learn and torch, and a gradient check that has to find what is wrong."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neural_network import MLPClassifier

from chapters_src import data
from chapters_src.models.logistic import accuracy
from chapters_src.networks.backprop import training
from chapters_src.networks.backprop.layers import initialise
from chapters_src.networks.backprop.passes import LOSSES, backward, forward, loss_and_gradients
from chapters_src.networks.backprop.training import (
    dead_units,
    fit,
    gradient_check,
    objective,
    predicted_classes,
    signal_sizes,
)
from chapters_src.networks.shallow import flat, layers_from
from chapters_src.optimisation.adaptive import Adam
from chapters_src.optimisation.stochastic import SGD
from chapters_src.studio.oracle import finite_difference_gradient

torch.set_num_threads(1)
SIZES = (4, 6, 5, 3)


def problem(seed=0, n=20, sizes=SIZES):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, sizes[0])), rng.integers(0, sizes[-1], n)
    layers = [(W, 0.3 * rng.normal(size=b.shape)) for W, b in initialise(sizes, rng)]
    return X, y, layers


def test_objective_gives_the_gradient_of_its_loss():
    X, y, layers = problem()
    both, rows = objective(X, y, SIZES, "tanh"), np.array([0, 3, 7])
    value, gradient = both(flat(layers), rows)
    numeric = finite_difference_gradient(lambda theta: both(theta, rows)[0], flat(layers))
    np.testing.assert_allclose(gradient, numeric, rtol=1e-7, atol=1e-9)
    assert value == pytest.approx(loss_and_gradients(layers, X[rows], y[rows], "tanh")[0], rel=1e-14)


def test_objective_hands_out_arrays_of_its_own():
    X, y, layers = problem()
    both = objective(X, y, SIZES)
    _, first = both(flat(layers), np.arange(5))
    kept = first.copy()
    both(flat(layers) + 1.0, np.arange(5, 10))
    np.testing.assert_array_equal(first, kept)


def test_overflow_is_an_infinite_loss():
    X, y, layers = problem()
    assert objective(X, y, SIZES)(1e200 * flat(layers), np.arange(5))[0] == np.inf


@pytest.mark.parametrize("phi", ["relu", "tanh", "gelu", "sigmoid"])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_check_passes_what_is_right(phi, loss):
    X, y, layers = problem()
    target = y if loss == "cross-entropy" else np.eye(3)[y]
    gradients = loss_and_gradients(layers, X, target, phi, loss)[1]
    errors = gradient_check(layers, X, target, gradients, np.random.default_rng(0), phi, loss)
    assert errors.shape == (3, 2)
    assert errors.max() < (1e-3 if phi == "relu" else 1e-6)


@settings(max_examples=40)
@given(st.integers(0, 2), st.integers(0, 1), st.floats(0.01, 10), st.integers(0, 2**32 - 1))
def test_the_check_finds_what_is_wrong_and_where(layer, part, change, seed):
    X, y, layers = problem(seed)
    gradients = [list(pair) for pair in loss_and_gradients(layers, X, y, "tanh")[1]]
    gradients[layer][part] = gradients[layer][part] * (1 + change)
    errors = gradient_check(layers, X, y, [tuple(g) for g in gradients], np.random.default_rng(seed), "tanh")
    right = np.ones((3, 2), dtype=bool)
    right[layer, part] = False
    assert errors[~right] == pytest.approx(change / (1 + change), rel=1e-2)
    assert errors[right].max() < 1e-4


def test_gradient_check_moves_one_part_by_the_step(monkeypatch):
    X, y, layers = problem()
    gradients, seen = loss_and_gradients(layers, X, y, "tanh")[1], []
    monkeypatch.setattr(
        training, "forward", lambda moved, X, phi: seen.append(moved) or forward(moved, X, phi)
    )
    gradient_check(layers, X, y, gradients, np.random.default_rng(0), "tanh", step=1e-3)
    lengths = [np.linalg.norm(flat(moved) - flat(layers)) for moved in seen]
    np.testing.assert_allclose(lengths, 1e-3, rtol=1e-9)
    assert len(seen) == 4 * len(layers)


def test_training_steps_are_torch_s():
    """The same start, the same batches and plain SGD: after two epochs the same weights."""
    X, y, layers = problem(n=30)
    ours = fit(layers, X, y, SGD(0.1), 2, 10, np.random.default_rng(3))
    tensors = [torch.tensor(part, requires_grad=True) for pair in layers for part in pair]
    optimiser, rng = torch.optim.SGD(tensors, lr=0.1), np.random.default_rng(3)
    for _ in range(2):
        order = rng.permutation(30)
        for rows in (order[:10], order[10:20], order[20:]):
            h = torch.tensor(X[rows])
            for l in range(3):
                h = (torch.relu(h) if l else h) @ tensors[2 * l] + tensors[2 * l + 1]
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(h, torch.tensor(y[rows])).backward()
            optimiser.step()
    theirs = np.concatenate([t.detach().numpy().ravel() for t in tensors])
    np.testing.assert_allclose(flat(ours.layers), theirs, rtol=1e-10, atol=1e-13)
    assert ours.losses.shape == (6,)


def test_a_backward_of_ones_own_is_used():
    X, y, layers = problem()
    theta, rows = flat(layers), np.arange(5)

    def doubled(trace, layers, delta):
        return [(2 * W, 2 * b) for W, b in backward(trace, layers, delta)]

    value, gradient = objective(X, y, SIZES, backward=doubled)(theta, rows)
    same, plain = objective(X, y, SIZES)(theta, rows)
    assert value == pytest.approx(same, rel=1e-14)
    np.testing.assert_allclose(gradient, 2 * plain, rtol=1e-12, atol=1e-15)


def test_watch_sees_the_start_and_every_epoch():
    X, y, layers = problem()
    seen = fit(layers, X, y, SGD(0.1), 3, 7, np.random.default_rng(0), watch=lambda now: flat(now).copy())
    assert len(seen.watched) == 4
    np.testing.assert_array_equal(seen.watched[0], flat(layers))
    np.testing.assert_array_equal(seen.watched[-1], flat(seen.layers))
    assert seen.losses.shape == (9,)


def test_divergence_ends_early_with_finite_layers():
    X, y, layers = problem()
    wild = fit(
        layers,
        X,
        np.eye(3)[y],
        SGD(1e6),
        50,
        20,
        np.random.default_rng(0),
        objective=partial(objective, loss="squared"),
    )
    assert wild.losses[-1] == np.inf
    assert np.isfinite(flat(wild.layers)).all()


def test_learns_digits_as_well_as_scikit_learn():
    images = data.digits()
    X_train, X_test, y_train, y_test = data.train_test_split(
        images.X, images.labels, test_fraction=0.25, rng=np.random.default_rng(0)
    )
    layers = initialise((64, 64, 10), np.random.default_rng(0))
    ours = fit(layers, X_train, y_train, Adam(3e-3), 40, 32, np.random.default_rng(0))
    score = accuracy(y_test, predicted_classes(ours.layers, X_test))
    theirs = MLPClassifier(
        (64,), alpha=0, batch_size=32, max_iter=40, learning_rate_init=3e-3, random_state=0
    )
    with pytest.warns(UserWarning, match="Maximum iterations"):
        theirs.fit(X_train, y_train)
    assert score >= 0.97
    assert score == pytest.approx(theirs.score(X_test, y_test), abs=0.015)


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


X, y, LAYERS = problem()
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: objective(X, y, (5, 3)), r"objective: X must have shape \(n, 5\)"),
        (lambda: objective(X, y[:-1], SIZES), r"cross_entropy_loss: y must have shape \(20,\)"),
        (lambda: objective(X, y + 9, SIZES), "cross_entropy: y must hold class numbers from 0 to 2"),
        (lambda: objective(X, y, SIZES, "none"), "objective: phi must be one of"),
        (lambda: objective(X, y, SIZES, loss="none"), "objective: loss must be one of"),
        (lambda: fit(LAYERS, X, y, SGD(0.1), 0, 5, RNG), "fit: epochs must be at least 1"),
        (lambda: fit(LAYERS, X, y, 0.1, 1, 5, RNG), "fit: optimiser must be an Optimiser"),
        (lambda: fit(LAYERS, X, y, SGD(0.1), 1, 50, RNG), "minibatches: batch_size must be"),
        (lambda: fit(LAYERS, X, y, SGD(0.1), 1, 5, 0), "fit: rng must be"),
        (lambda: fit([], X, y, SGD(0.1), 1, 5, RNG), "fit: layers must be a list of pairs"),
        (lambda: predicted_classes(LAYERS, X[:, :2]), r"predicted_classes: X must have shape \(n, 4\)"),
        (lambda: gradient_check(LAYERS, X, y, LAYERS[:1], RNG), "gradients must have the shapes"),
        (lambda: gradient_check(LAYERS, X, y, LAYERS, 0), "gradient_check: rng must be"),
        (lambda: gradient_check(LAYERS, X, y, LAYERS, RNG, step=0.0), "gradient_check: step must be above 0"),
        (lambda: gradient_check(LAYERS, X, y, LAYERS, RNG, loss="l"), "gradient_check: loss must be one of"),
        (
            lambda: gradient_check(initialise(SIZES, RNG, dtype=np.float32), X, y, LAYERS, RNG),
            "gradient_check: layers must be float64",
        ),
        (lambda: signal_sizes(LAYERS, X, y, loss="1"), "signal_sizes: loss must be one of"),
        (lambda: dead_units(None), "dead_units: trace must be a Trace"),
        (lambda: dead_units(forward(layers_from(np.ones(15), (4, 3)), X)), "with a hidden layer"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
