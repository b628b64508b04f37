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
from chapters_src.networks.backprop.passes import LOSSES, forward, loss_and_gradients
from chapters_src.networks.backprop.training import (
    fit,
    gradient_check,
    predicted_classes,
)
from chapters_src.networks.shallow import flat, layers_from
from chapters_src.optimisation.adaptive import Adam
from chapters_src.optimisation.stochastic import SGD

torch.set_num_threads(1)
SIZES = (4, 6, 5, 3)


def problem(seed=0, n=20, sizes=SIZES):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, sizes[0])), rng.integers(0, sizes[-1], n)
    layers = [(W, 0.3 * rng.normal(size=b.shape)) for W, b in initialise(sizes, rng)]
    return X, y, layers


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


def test_the_error_is_relative_to_the_larger_of_the_two():
    X, y, layers = problem()
    short = [(W / 4, 0 * b) for W, b in loss_and_gradients(layers, X, y, "tanh")[1]]
    errors = gradient_check(layers, X, y, short, np.random.default_rng(0), "tanh")
    np.testing.assert_allclose(errors, [[0.75, 1.0]] * 3, rtol=1e-5)


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
    np.testing.assert_allclose(ours.theta, theirs, rtol=1e-10, atol=1e-13)
    assert ours.losses.shape == (6,)


def test_gradients_of_ones_own_are_used():
    """Half the gradient at twice the rate is the same walk."""
    X, y, layers = problem()

    def halved(layers, X, y):
        value, gradients = loss_and_gradients(layers, X, y, "tanh")
        return value, [(W / 2, b / 2) for W, b in gradients]

    one = fit(layers, X, y, SGD(0.2), 2, 7, np.random.default_rng(0), halved)
    two = fit(layers, X, y, SGD(0.1), 2, 7, np.random.default_rng(0), partial(loss_and_gradients, phi="tanh"))
    np.testing.assert_allclose(one.theta, two.theta, rtol=1e-12, atol=1e-14)
    assert not np.allclose(one.theta, fit(layers, X, y, SGD(0.1), 2, 7, np.random.default_rng(0)).theta)


def test_training_changes_nothing_it_was_given():
    X, y, layers = problem()
    before = flat(layers).copy()
    fit(layers, X, y, SGD(0.5), 2, 5, np.random.default_rng(0))
    np.testing.assert_array_equal(flat(layers), before)


def test_divergence_ends_early_with_finite_layers():
    X, y, layers = problem()
    squared = partial(loss_and_gradients, loss="squared")
    wild = fit(layers, X, np.eye(3)[y], SGD(1e6), 50, 20, np.random.default_rng(0), squared)
    assert not wild.converged
    assert wild.losses[-1] == np.inf
    assert np.isfinite(wild.theta).all()


def test_learns_digits_as_well_as_scikit_learn():
    images = data.digits()
    X_train, X_test, y_train, y_test = data.train_test_split(
        images.X, images.labels, test_fraction=0.25, rng=np.random.default_rng(0)
    )
    layers = initialise((64, 64, 10), np.random.default_rng(0))
    ours = fit(layers, X_train, y_train, Adam(3e-3), 40, 32, np.random.default_rng(0))
    score = accuracy(y_test, predicted_classes(layers_from(ours.theta, (64, 64, 10)), X_test))
    theirs = MLPClassifier(
        (64,), alpha=0, batch_size=32, max_iter=40, learning_rate_init=3e-3, random_state=0
    )
    with pytest.warns(UserWarning, match="Maximum iterations"):
        theirs.fit(X_train, y_train)
    assert score >= 0.97
    assert score == pytest.approx(theirs.score(X_test, y_test), abs=0.015)


X, y, LAYERS = problem()
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fit(LAYERS, X, y, SGD(0.1), 0, 5, RNG), "fit: epochs must be at least 1"),
        (lambda: fit(LAYERS, X, y, 0.1, 1, 5, RNG), "fit: optimiser must be an Optimiser"),
        (lambda: fit(LAYERS, X, y, SGD(0.1), 1, 50, RNG), "minibatches: batch_size must be"),
        (lambda: fit(LAYERS, X, y, SGD(0.1), 1, 5, 0), "fit: rng must be"),
        (
            lambda: fit(LAYERS, X, np.tile(y, 2), SGD(0.1), 1, 5, RNG),
            "fit: y must have 20 rows, one per row of X; got 40",
        ),
        (lambda: fit(LAYERS, X, y[1:], SGD(0.1), 1, 5, RNG), "fit: y must have 20 rows.*got 19"),
        (lambda: fit(LAYERS, X, 1, SGD(0.1), 1, 5, RNG), "fit: y must have 20 rows.*got none"),
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
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
