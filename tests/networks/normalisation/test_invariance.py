"""One normalised unit: its gradient against torch, and the three facts about directions."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.networks.normalisation import descend_normalised, normalised_unit_loss


def problem(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=3), rng.normal(size=(9, 3)), rng.normal(size=9)


@given(seed=st.integers(0, 1000))
def test_loss_and_gradient_are_those_of_torch(seed):
    w, X, y = problem(seed)
    loss, gradient = normalised_unit_loss(w, X, y)
    leaf = torch.tensor(w, requires_grad=True)
    a = torch.tensor(X) @ leaf
    theirs = ((a - a.mean()) / a.std(correction=0) - torch.tensor(y)).square().mean()
    theirs.backward()
    assert loss == pytest.approx(theirs.item())
    np.testing.assert_allclose(gradient, leaf.grad, atol=1e-9)


@given(seed=st.integers(0, 1000), c=st.floats(0.1, 10))
def test_only_the_direction_counts(seed, c):
    w, X, y = problem(seed)
    loss, gradient = normalised_unit_loss(w, X, y)
    far_loss, far_gradient = normalised_unit_loss(c * w, X, y)
    assert far_loss == pytest.approx(loss)
    np.testing.assert_allclose(far_gradient, gradient / c, atol=1e-8)
    assert gradient @ w == pytest.approx(0, abs=1e-9)


def test_without_decay_the_length_grows_by_pythagoras():
    w, X, y = problem(1)
    path = descend_normalised(w, X, y, 0.5, 20)
    squared = np.sum(path**2, axis=1)
    gradients = [normalised_unit_loss(at, X, y)[1] for at in path[:-1]]
    np.testing.assert_allclose(np.diff(squared), [0.25 * g @ g for g in gradients], atol=1e-10)


def test_descent_finds_the_direction_of_least_squares():
    """The best normalised unit points where centred least squares does."""
    w, X, noise = problem(2)
    y = X @ [1.0, -2.0, 0.5] + noise
    y = (y - y.mean()) / y.std()
    best = np.linalg.lstsq(X - X.mean(axis=0), y, rcond=None)[0]
    found = descend_normalised(w, X, y, 0.5, 60)[-1]
    assert found @ best / np.linalg.norm(found) / np.linalg.norm(best) == pytest.approx(1, abs=1e-6)


def test_decay_shrinks_the_weights():
    w, X, y = problem(3)
    plain, decayed = (descend_normalised(w, X, y, 0.1, 1, decay=decay)[-1] for decay in (0.0, 0.5))
    np.testing.assert_allclose(plain - decayed, 0.1 * 0.5 * w)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learning_rate": 0.0}, "descend_normalised: learning_rate must be above 0; got 0"),
        ({"decay": -1.0}, "descend_normalised: decay must be at least 0"),
        ({"w": np.ones(2)}, "descend_normalised: X must have shape"),
    ],
)
def test_bad_input(change, message):
    w, X, y = problem(0)
    with pytest.raises(ValueError, match=message):
        descend_normalised(**{"w": w, "X": X, "y": y, "learning_rate": 0.1, "steps": 2, **change})
