"""The tuned training against torch, batch for batch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.optimisation.search import cosine_rate, softmax_epochs

X = np.random.default_rng(0).normal(size=(23, 4))
y = np.random.default_rng(1).integers(3, size=23)


def theirs(rate, ridge, epochs, batch_size, seed):
    rng, W = np.random.default_rng(seed), torch.zeros(4, 3, dtype=torch.float64, requires_grad=True)
    after, t = [], 0
    for _ in range(epochs):
        order = rng.permutation(23)
        for start in range(0, 23, batch_size):
            rows = order[start : start + batch_size]
            logits = torch.tensor(X[rows]) @ W
            loss = torch.nn.functional.cross_entropy(logits, torch.tensor(y[rows])) + ridge * (W**2).sum()
            (gradient,) = torch.autograd.grad(loss, W)
            W = (W - rate(t) * gradient).detach().requires_grad_()
            t += 1
        after.append(W.detach().numpy().copy())
    return np.array(after)


@pytest.mark.parametrize(("ridge", "batch_size"), [(0.0, 5), (0.1, 23), (0.02, 7)])
def test_is_mini_batch_descent(ridge, batch_size):
    rate = lambda t: cosine_rate(t, 0.7, 12)  # noqa: E731
    ours = softmax_epochs(X, y, 3, rate, ridge, 3, batch_size, np.random.default_rng(5))
    np.testing.assert_allclose(ours, theirs(rate, ridge, 3, batch_size, 5), atol=1e-12)


def test_longer_runs_begin_like_shorter_ones():
    short, long = (
        softmax_epochs(X, y, 3, lambda t: 0.5, 0.01, epochs, 5, np.random.default_rng(2)) for epochs in (2, 6)
    )
    np.testing.assert_array_equal(short, long[:2])


def test_what_overflows_keeps_its_last_weights():
    wild = softmax_epochs(X, y, 3, lambda t: 1e200, 1e10, 4, 5, np.random.default_rng(2))
    assert wild.shape == (4, 4, 3) and np.isfinite(wild).all()
    np.testing.assert_array_equal(wild[1], wild[3])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ridge": -1.0}, "softmax_epochs: ridge must"),
        ({"epochs": 0}, "softmax_epochs: epochs must be at least 1"),
        ({"batch_size": 0}, "softmax_epochs: batch_size must be at least 1"),
        ({"K": 2}, "softmax_epochs: y must hold class numbers from 0 to 1"),
    ],
)
def test_bad_input(change, message):
    rng = np.random.default_rng(0)
    good = {"K": 3, "rate": lambda t: 0.1, "ridge": 0.0, "epochs": 1, "batch_size": 5, "rng": rng}
    with pytest.raises(ValueError, match=message):
        softmax_epochs(X, y, **{**good, **change})
