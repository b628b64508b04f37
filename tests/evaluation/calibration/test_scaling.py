"""Temperature, sigmoid and rising function, against scipy, torch and scikit-learn."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression, minimize_scalar
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from chapters_src.evaluation.calibration import (
    fit_isotonic,
    fit_platt,
    fit_temperature,
    pool_adjacent_violators,
)


def overconfident(n=300, K=4, factor=3.0, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, K)) * 2
    p = np.exp(a) / np.exp(a).sum(axis=1, keepdims=True)
    y = np.array([rng.choice(K, p=row) for row in p])
    return factor * a, y


def nll(tau, a, y):
    return torch.nn.functional.cross_entropy(torch.tensor(a / tau), torch.tensor(y)).item()


@pytest.mark.parametrize("factor", [0.3, 1.0, 5.0])
def test_temperature_is_where_scipy_finds_the_least_loss(factor):
    a, y = overconfident(factor=factor)
    found = minimize_scalar(
        lambda log_tau: nll(np.exp(log_tau), a, y), bounds=(-5, 5), options={"xatol": 1e-9}
    )
    assert fit_temperature(a, y) == pytest.approx(np.exp(found.x), rel=1e-4)
    # the gradient by torch vanishes there
    beta = torch.tensor(1 / fit_temperature(a, y), dtype=torch.float64, requires_grad=True)
    torch.nn.functional.cross_entropy(beta * torch.tensor(a), torch.tensor(y)).backward()
    assert abs(beta.grad.item()) < 1e-9


def test_scaling_the_logits_scales_the_temperature():
    a, y = overconfident()
    assert fit_temperature(7 * a, y) == pytest.approx(7 * fit_temperature(a, y))
    assert fit_temperature(a + 100, y) == pytest.approx(fit_temperature(a, y))


def test_a_model_that_is_always_right_or_of_no_use_is_refused():
    a, _ = overconfident()
    with pytest.raises(ValueError, match="fit_temperature: y must have a best temperature"):
        fit_temperature(a, a.argmax(axis=1))
    with pytest.raises(ValueError, match="fit_temperature: a must be of some use"):
        fit_temperature(a, np.r_[a.argmin(axis=1)[:290], a.argmax(axis=1)[290:]])


def scores(n=200, seed=1):
    rng = np.random.default_rng(seed)
    s = np.round(rng.normal(size=n), 1)  # with ties
    return s, (rng.uniform(size=n) < 1 / (1 + np.exp(1 - 2 * s))).astype(float)


def test_platt_is_scikit_learns_logistic_regression():
    s, y = scores()
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(s[:, None], y)
    np.testing.assert_allclose(fit_platt(s, y), [theirs.intercept_[0], theirs.coef_[0, 0]], rtol=1e-4)


def test_platt_refuses_a_score_that_separates():
    with pytest.raises(ValueError, match="fit_platt: y must not be separated"):
        fit_platt([-2.0, -1, 1, 2], [0, 0, 1, 1])


lists = st.lists(st.floats(-5, 5), min_size=1, max_size=25)


@given(lists, st.randoms())
def test_pooling_is_scipys_isotonic_regression(values, random):
    y, w = np.array(values), np.array([random.uniform(0.1, 3) for _ in values])
    np.testing.assert_allclose(pool_adjacent_violators(y), isotonic_regression(y).x, atol=1e-9)
    np.testing.assert_allclose(pool_adjacent_violators(y, w), isotonic_regression(y, weights=w).x, atol=1e-9)


@given(lists)
def test_pooling_rises_and_keeps_the_mean(values):
    g = pool_adjacent_violators(values)
    assert (np.diff(g) >= 0).all()
    assert g.mean() == pytest.approx(np.mean(values), abs=1e-9)
    np.testing.assert_allclose(pool_adjacent_violators(g), g, atol=1e-12)


def test_pooling_by_hand():
    assert pool_adjacent_violators([1, 3, 2, 4, 3, 2]).tolist() == [1, 2.5, 2.5, 3, 3, 3]
    assert pool_adjacent_violators([2, 1], [3, 1]).tolist() == [1.75, 1.75]


def test_isotonic_is_scikit_learns():
    s, y = scores()
    new = np.linspace(-5, 5, 400)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(s, y)
    np.testing.assert_allclose(fit_isotonic(s, y)(new), theirs.predict(new), atol=1e-12)


def test_weights_must_be_positive():
    with pytest.raises(ValueError, match="pool_adjacent_violators: w must be above 0"):
        pool_adjacent_violators([1.0, 2], [1.0, 0])
