"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso, Ridge

from chapters_src.models.least_squares import least_squares
from chapters_src.models.shrinkage import exercises
from tests.verdicts import rejected

# --- one coefficient of the lasso


def test_one_coefficient_by_scikit_learn():
    X, y = np.ones((4, 1)), np.array([1.0, 2.0, 3.0, 4.0])
    theta = Lasso(alpha=12 / 8, fit_intercept=False, tol=1e-12).fit(X, y).coef_[0]
    assert exercises.one_coefficient.check(theta).accepted
    assert exercises.one_coefficient.check("1").accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        ("0", "really larger"),
        ("-1/2", "never crosses zero"),
        ("-3.5", "not on the coefficient"),
        ("2.5", "without the penalty"),
        (10 / 16, "that is ridge"),
        ("4", "squared length 4"),
        ("7", "cannot make the coefficient larger"),
    ],
)
def test_one_coefficient_wrong(answer, hint):
    rejected(exercises.one_coefficient, answer, hint)


# --- every patient twice


def test_twice_the_patients():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 3)), rng.normal(size=10)
    twice = least_squares(np.vstack([X, X]), np.tile(y, 2), 2 * 0.7)
    np.testing.assert_allclose(twice, least_squares(X, y, 0.7), atol=1e-12)
    assert exercises.twice_the_patients.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "has doubled"), ("b", "once more"), ("d", "same minimiser")]
)
def test_twice_the_patients_wrong(letter, why):
    rejected(exercises.twice_the_patients, letter, why)


# --- the forgotten factor


def test_forgotten_factor():
    assert exercises.forgotten_factor.false == 3
    assert exercises.forgotten_factor.check("3").accepted


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("2", "follows from line 1"), ("4", "false as that is")],
)
def test_forgotten_factor_wrong(line, why):
    rejected(exercises.forgotten_factor, line, why)


# --- weighted ridge


def test_weighted_ridge():
    def with_scikit_learn(X, y, w, lam):
        return Ridge(alpha=lam, fit_intercept=False, solver="cholesky").fit(X, y, sample_weight=w).coef_

    def with_roots(X, y, w, lam):
        return least_squares(np.sqrt(w)[:, None] * X, np.sqrt(w) * y, lam)

    assert exercises.weighted_ridge.check(with_scikit_learn).accepted
    assert exercises.weighted_ridge.check(with_roots).accepted
    assert not exercises.weighted_ridge.check(...).attempted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda X, y, w, lam: least_squares(X, y, lam), "without weights"),
        (lambda X, y, w, lam: least_squares(w[:, None] * X, w * y, lam), "squared after scaling"),
        (lambda X, y, w, lam: least_squares(np.sqrt(w)[:, None] * X, np.sqrt(w) * y), "where is the penalty"),
        (
            lambda X, y, w, lam: least_squares(np.sqrt(1 / w)[:, None] * X, np.sqrt(1 / w) * y, lam),
            "count more, not less",
        ),
    ],
)
def test_weighted_ridge_wrong(wrong, hint):
    rejected(exercises.weighted_ridge, wrong, hint)


# --- a coefficient that changes its mind


def test_sign_change():
    X = np.array([[1.0, 1.1], [2.0, 2.0], [3.0, 2.9]])
    assert exercises.sign_change.check((X, X @ [-1.0, 2.0], 1.0)).accepted
    assert not exercises.sign_change.check(...).attempted


@pytest.mark.parametrize(
    ("attempt", "complaint"),
    [
        ((np.eye(2), np.ones(2), 1.0), "the same sign"),
        ((np.eye(2), np.array([0.0, 1.0]), 1.0), "oo close to zero"),
        ((np.ones((3, 2)), np.ones(3), 1.0), "independent"),
        ((np.ones((7, 2)), np.ones(7), 1.0), "at most six rows"),
        ((np.eye(2), np.ones(2), -1.0), "lam positive"),
        (np.eye(2), "three things"),
    ],
)
def test_sign_change_wrong(attempt, complaint):
    rejected(exercises.sign_change, attempt, complaint)
