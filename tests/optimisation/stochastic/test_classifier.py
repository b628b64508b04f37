"""The classifier against torch.nn, scikit-learn, finite differences, and the meta device."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from chapters_src import data
from chapters_src.optimisation.adaptive import Adam
from chapters_src.optimisation.stochastic.batches import fit_batches
from chapters_src.optimisation.stochastic.classifier import classifier_accuracy as accuracy
from chapters_src.optimisation.stochastic.classifier import classifier_loss, logits, objective, start
from chapters_src.studio.oracle import finite_difference_gradient

SHAPES = [(4, 3), (4, 2, 3), (4, 2, 2, 3)]
rng = np.random.default_rng(0)
X, y = rng.normal(size=(12, 4)), rng.integers(0, 3, 12)


def as_module(theta, sizes):
    """The same network from torch.nn's own layers."""
    layers, at = [], 0
    for a, b in pairwise(sizes):
        linear = torch.nn.Linear(a, b).double()
        linear.weight.data = torch.tensor(theta[at : at + a * b].reshape(a, b).T)
        linear.bias.data = torch.tensor(theta[at + a * b : at + (a + 1) * b])
        layers += [linear, torch.nn.Tanh()]
        at += (a + 1) * b
    return torch.nn.Sequential(*layers[:-1])


@pytest.mark.parametrize("sizes", SHAPES)
def test_logits_as_torch_nn(sizes):
    theta = start(sizes, np.random.default_rng(1)) + 0.1
    expected = as_module(theta, sizes)(torch.tensor(X)).detach().numpy()
    np.testing.assert_allclose(logits(torch.tensor(theta), torch.tensor(X), sizes), expected, rtol=1e-12)
    assert accuracy(theta, X, y, sizes, "cpu") == np.mean(expected.argmax(axis=1) == y)


@pytest.mark.parametrize("sizes", SHAPES)
def test_gradient(sizes):
    theta = start(sizes, np.random.default_rng(2))
    both = objective(X, y, sizes, "cpu")
    rows = np.array([0, 3, 7])
    loss, gradient = both(theta, rows)
    numeric = finite_difference_gradient(lambda t: both(t, rows)[0], theta)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-7, atol=1e-9)
    scores = as_module(theta, sizes)(torch.tensor(X[rows])).detach().numpy()
    by_hand = np.mean(np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(3), y[rows]])
    assert loss == pytest.approx(by_hand, rel=1e-12)


def test_softmax_gradient_in_closed_form():
    theta = start((4, 3), np.random.default_rng(3))
    _, gradient = objective(X, y, (4, 3), "cpu")(theta, np.arange(12))
    scores = X @ theta[:12].reshape(4, 3) + theta[12:]
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    miss = (p - np.eye(3)[y]) / 12
    np.testing.assert_allclose(gradient, np.append(X.T @ miss, miss.sum(axis=0)), rtol=1e-11)


def test_start_has_the_spread_it_promises():
    theta = start((400, 50, 10), np.random.default_rng(0))
    assert theta.shape == (401 * 50 + 51 * 10,)
    assert theta[: 400 * 50].std() == pytest.approx(1 / 20, rel=0.02)
    np.testing.assert_array_equal(theta[400 * 50 : 401 * 50], 0)


@pytest.mark.parametrize("sizes", SHAPES)
def test_runs_wherever_its_tensors_are(sizes):
    """On the meta device, where a tensor left on the CPU raises."""
    size = len(start(sizes, np.random.default_rng(0)))
    theta = torch.empty(size, device="meta", requires_grad=True)
    inputs = torch.empty(12, 4, device="meta")
    labels = torch.empty(12, dtype=torch.long, device="meta")
    loss = classifier_loss(theta, inputs, labels, sizes)
    (gradient,) = torch.autograd.grad(loss, theta)
    assert loss.device.type == gradient.device.type == "meta"
    assert gradient.shape == (size,)
    with pytest.raises(RuntimeError):
        classifier_loss(theta, inputs, torch.zeros(12, dtype=torch.long), sizes)


def test_learns_digits_as_well_as_scikit_learn():
    images = data.digits()
    inputs, labels = images.X, images.labels
    train, test = np.arange(0, 1797, 2), np.arange(1, 1797, 2)
    theirs = LogisticRegression(max_iter=1000).fit(inputs[train], labels[train])
    fit = fit_batches(
        objective(inputs[train], labels[train], (64, 10), "cpu"),
        len(train),
        np.zeros(650),
        Adam(0.02),
        30,
        64,
        np.random.default_rng(0),
    )
    ours = accuracy(fit.theta, inputs[test], labels[test], (64, 10), "cpu")
    assert ours == pytest.approx(theirs.score(inputs[test], labels[test]), abs=0.015)
    assert ours > 0.94


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: start((4,), rng), "start: sizes must be the widths of two layers or more"),
        (lambda: start((4, 0), rng), "start: sizes must be at least 1"),
        (lambda: start((4, 3), 0), "start: rng must be"),
        (lambda: objective(X, y, (5, 3)), r"objective: X must have shape \(n, 5\)"),
        (lambda: objective(X, y[:-1], (4, 3)), r"objective: y must have shape \(12,\), one per row of X"),
        (lambda: objective(X, y, (4, 2)), "objective: y must hold classes from 0 to 1"),
        (lambda: objective(X, y + 0.5, (4, 9)), "objective: y must hold whole numbers"),
        (lambda: objective(X, y, (4, 3), "nowhere"), "objective: device must name a device"),
        (lambda: accuracy(np.ones(3), X, y, (4, 3)), r"logits: theta must have shape \(15,\)"),
        (lambda: logits(torch.ones(15), torch.ones(2, 3), (4, 3)), r"logits: X must have shape \(n, 4\)"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
