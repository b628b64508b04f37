"""Iterated least squares against statsmodels, with exposures, scatter and errors."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import PoissonRegressor

from chapters_src import data
from chapters_src.models.generalised import (
    BERNOULLI,
    GAUSSIAN,
    POISSON,
    dispersion,
    fit_glm,
    glm_loss,
    glm_standard_errors,
)
from chapters_src.models.generalised.irls import reweighted_step
from chapters_src.models.least_squares import with_bias

THEIRS = {"Gaussian": sm.families.Gaussian, "Bernoulli": sm.families.Binomial, "Poisson": sm.families.Poisson}


def problem(seed, family, n=120):
    rng = np.random.default_rng(seed)
    X, theta, offset = with_bias(rng.uniform(-1, 1, (n, 2))), rng.uniform(-1, 1, 3), rng.uniform(-1, 1, n)
    mean = family.mean(X @ theta + offset)
    draws = {
        "Gaussian": lambda: rng.normal(mean, 1.5),
        "Bernoulli": lambda: (rng.random(n) < mean).astype(float),
        "Poisson": lambda: rng.poisson(mean).astype(float),
    }
    return X, draws[family.name](), offset


@pytest.mark.parametrize("family", [GAUSSIAN, BERNOULLI, POISSON], ids=lambda family: family.name)
@pytest.mark.parametrize("seed", range(3))
def test_statsmodels_finds_the_same(family, seed):
    X, y, offset = problem(seed, family)
    ours = fit_glm(X, y, family, offset=offset)
    theirs = sm.GLM(y, X, family=THEIRS[family.name](), offset=offset).fit(tol=1e-12, maxiter=200)
    assert ours.converged
    np.testing.assert_allclose(ours.theta, theirs.params, atol=1e-9)
    phi = dispersion(X, y, ours.theta, family, offset)
    assert phi == pytest.approx(theirs.pearson_chi2 / theirs.df_resid, rel=1e-9)
    scale = phi if family is GAUSSIAN else 1.0
    errors = glm_standard_errors(X, ours.theta, family, offset, scale)
    np.testing.assert_allclose(errors, theirs.bse, rtol=1e-6)  # their weights are a step older
    scaled = sm.GLM(y, X, family=THEIRS[family.name](), offset=offset).fit(scale="X2")
    np.testing.assert_allclose(glm_standard_errors(X, ours.theta, family, offset, phi), scaled.bse, rtol=1e-6)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_an_offset_is_an_exposure(seed):
    """Counts over tᵢ units with offset log tᵢ are rates y/t with weights t, as scikit-learn has them."""
    X, _, offset = problem(seed, POISSON)
    t = np.exp(offset)
    y = np.random.default_rng(seed).poisson(3 * t).astype(float)
    theirs = PoissonRegressor(alpha=0, tol=1e-10, max_iter=10_000).fit(X[:, 1:], y / t, sample_weight=t)
    ours = fit_glm(X, y, POISSON, offset=offset).theta
    np.testing.assert_allclose(ours, np.r_[theirs.intercept_, theirs.coef_], atol=1e-4)


def test_a_constant_offset_moves_the_intercept_alone():
    X, y, _ = problem(1, POISSON)
    plain, moved = fit_glm(X, y, POISSON).theta, fit_glm(X, y, POISSON, offset=np.full(120, 0.7)).theta
    np.testing.assert_allclose(plain - moved, [0.7, 0, 0], atol=1e-9)


def test_the_loss_knows_the_offset():
    X, y, offset = problem(2, POISSON)
    theta, h = np.array([0.2, -0.3, 0.5]), 1e-6
    slope = [
        (
            glm_loss(X, y, theta + h * e, POISSON, 0.3, offset)
            - glm_loss(X, y, theta - h * e, POISSON, 0.3, offset)
        )
        / (2 * h)
        for e in np.eye(3)
    ]
    expected = (X.T @ (np.exp(X @ theta + offset) - y) + 0.3 * theta) / len(X)
    np.testing.assert_allclose(slope, expected, atol=1e-8)


def test_one_step_by_hand():
    """All means 3: weights 3, response log 3 + (y − 3)/3, whose line has slope (1 + 2/3)/2."""
    X, y = np.array([[1.0, -1], [1, 0], [1, 1]]), np.array([1.0, 2, 6])
    step = reweighted_step(X, y, np.full(3, np.log(3)), POISSON)
    np.testing.assert_allclose(step, [np.log(3), 5 / 6], atol=1e-12)


def test_published_fit_of_the_ships():
    """McCullagh and Nelder: dispersion 1.69; coefficients as every textbook prints them."""
    table = data.ships()
    kind, year, period, months = table.X.T
    dummies = [kind == k for k in range(1, 5)] + [year == y for y in (1965, 1970, 1975)]
    X = np.column_stack([np.ones(34), *dummies, period == 1975]).astype(float)
    fit = fit_glm(X, table.y, POISSON, offset=np.log(months))
    printed = [-6.406, -0.543, -0.687, -0.076, 0.326, 0.697, 0.818, 0.453, 0.384]
    np.testing.assert_allclose(fit.theta, printed, atol=6e-4)
    assert dispersion(X, table.y, fit.theta, POISSON, np.log(months)) == pytest.approx(1.69, abs=0.005)


@pytest.mark.parametrize("size", [1e154, 1e160, 1e300])
@pytest.mark.filterwarnings("error")
def test_outputs_too_large_are_refused_without_a_warning(size):
    X = with_bias(np.linspace(-1, 1, 6)[:, None])
    with pytest.raises(ValueError, match=r"^fit_glm: y must be of a size"):
        fit_glm(X, size * np.arange(1.0, 7), GAUSSIAN)


def test_a_group_without_a_single_count_never_comes_to_rest():
    X = np.array([[1.0, 0], [1, 0], [1, 1], [1, 1]])
    assert not fit_glm(X, np.array([2.0, 3, 0, 0]), POISSON).converged
    assert fit_glm(X, np.array([2.0, 3, 0, 1]), POISSON).converged


def test_who_stops_early_has_not_converged_where_there_is_no_minimum():
    X = np.array([[1.0, 1], [1, 0], [1, 0], [1, 1]])
    for family, y in ((BERNOULLI, [0.0, 0, 0, 1]), (POISSON, [2.0, 0, 0, 1])):
        assert not fit_glm(X, y, family, tolerance=0.5).converged
    assert fit_glm(X, [0.0, 1, 0, 1], BERNOULLI, tolerance=0.5).converged


@pytest.mark.parametrize("family", [BERNOULLI, POISSON])
def test_a_feature_whose_squares_vanish_is_refused(family):
    X, y, _ = problem(3, family)[:3]
    with pytest.raises(ValueError, match=r"^fit_glm: X must have columns that reach 1e-150, or are zero"):
        fit_glm(X * [1.0, 1e-170, 1.0], y, family)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y, o: fit_glm(X, y, POISSON, offset=o[:4]), "fit_glm: offset must have shape (120,)"),
        (
            lambda X, y, o: dispersion(X[:3], y[:3], np.zeros(3), POISSON),
            "X must have more rows than columns",
        ),
        (
            lambda X, y, o: glm_standard_errors(X[:, [0, 0]], np.zeros(2), POISSON),
            "glm_standard_errors: X must have independent columns",
        ),
        (lambda X, y, o: glm_standard_errors(X, np.zeros(3), POISSON, phi=0.0), "phi must be above 0"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        call(*problem(0, POISSON))
    assert message in str(caught.value)
