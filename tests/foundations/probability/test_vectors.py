"""Vectors against scipy: density, moments and draws."""

import math

import numpy as np
import pytest
from scipy import stats

from chapters_src.foundations import probability as law
from tests.foundations.probability.catalogue import ALPHA, MEAN, SHARES, VECTORS, Given, S

each = pytest.mark.parametrize("ours", VECTORS.values(), ids=VECTORS.keys())


def test_normal_and_t_densities():
    X = np.random.default_rng(0).normal(size=(4, 30, 2)) * 3
    wanted = stats.multivariate_normal(MEAN, S).logpdf(X)
    np.testing.assert_allclose(VECTORS["multivariate normal"].log_density(X), wanted, rtol=1e-10)
    wanted = stats.multivariate_t(MEAN, S, 9).logpdf(X)
    np.testing.assert_allclose(VECTORS["multivariate t"].log_density(X), wanted, rtol=1e-10)


def test_one_dimension_is_the_scalar_law():
    x = np.linspace(-3, 3, 7)[:, None]
    flat = law.multivariate_t(np.zeros(1), np.eye(1), 4.0).log_density(x)
    np.testing.assert_allclose(flat, law.student_t(4).log_density(x[:, 0]), rtol=1e-12)
    flat = law.multivariate_normal(np.zeros(1), 4 * np.eye(1)).log_density(x)
    np.testing.assert_allclose(flat, law.normal(0, 4).log_density(x[:, 0]), rtol=1e-12)


def test_multinomial_mass():
    k = np.array([[7, 0, 0, 0], [1, 2, 0, 4], [0, 0, 1, 6], [3, 3, 0, 2], [7.5, -0.5, 0, 0]])
    theirs = stats.multinomial(7, SHARES).pmf(k[:3].astype(int))
    np.testing.assert_allclose(VECTORS["multinomial"].density(k[:3]), theirs, rtol=1e-12)
    assert (VECTORS["multinomial"].density(k[3:]) == 0).all()
    assert law.multinomial(10, np.full(4, 0.25)).density([2, 3, 1, 4]) * 4.0**10 == pytest.approx(12600)


def test_two_classes_are_the_binomial():
    k = np.arange(6)
    both = law.multinomial(5, np.array([0.3, 0.7])).density(np.column_stack([k, 5 - k]))
    np.testing.assert_allclose(both, law.binomial(5, 0.3).density(k), rtol=1e-12)


def test_categorical_is_a_look_up():
    np.testing.assert_allclose(law.categorical(SHARES).density(np.eye(4)), SHARES, atol=1e-15)
    assert law.categorical(SHARES).density([1, 1, 0, 0]) == 0


def test_dirichlet_density():
    x = np.random.default_rng(1).dirichlet(ALPHA, 20)
    np.testing.assert_allclose(
        law.dirichlet(ALPHA).log_density(x), [stats.dirichlet(ALPHA).logpdf(row) for row in x], rtol=1e-10
    )
    assert (law.dirichlet(ALPHA).density([[0.5, 0.5, 0.5], [0.3, 0.3, 0.401]]) == 0).all()
    pair = law.dirichlet(np.array([2.0, 3.0])).density(np.array([0.4, 0.6]))
    assert pair == pytest.approx(float(law.beta(2, 3).density(0.4)), rel=1e-12)


@each
def test_draws_have_the_moments(ours):
    draws = ours.sample(40_000, np.random.default_rng(4))
    spread = np.sqrt(np.diag(ours.variance)) / 200
    assert (np.abs(draws.mean(axis=0) - ours.mean) <= 5 * spread + 1e-12).all()
    np.testing.assert_allclose(np.cov(draws.T), ours.variance, atol=0.05 * np.abs(ours.variance).max())


def test_moments_against_scipy():
    np.testing.assert_allclose(
        VECTORS["multinomial"].variance, stats.multinomial(7, SHARES).cov(), atol=1e-15
    )
    np.testing.assert_allclose(VECTORS["dirichlet"].variance, stats.dirichlet(ALPHA).cov(), atol=1e-15)
    np.testing.assert_allclose(VECTORS["dirichlet"].mean, stats.dirichlet(ALPHA).mean())
    np.testing.assert_allclose(VECTORS["multivariate t"].variance, 9 / 7 * S)


def test_draws_lie_where_they_should():
    counts = VECTORS["multinomial"].sample(500, np.random.default_rng(0))
    assert (counts.sum(axis=1) == 7).all() and (counts[:, 2] == 0).all() and counts.dtype == np.int64
    shares = law.dirichlet(np.full(3, 1e-4)).sample(500, np.random.default_rng(0))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (VECTORS["categorical"].sample(50, np.random.default_rng(0)).sum(axis=1) == 1).all()


def test_a_class_without_mass_is_not_drawn():
    np.testing.assert_array_equal(law.categorical([0.0, 1.0]).draw(1, Given([0.0])), [[0, 1]])


def test_many_trials_are_drawn_in_blocks():
    counts = law.multinomial(700_000, SHARES).sample(3, np.random.default_rng(0))
    assert (counts.sum(axis=1) == 700_000).all()
    assert abs(counts[0, 3] / 700_000 - 0.7) < 0.005


def test_entries_of_t_are_far_out_together():
    rng = np.random.default_rng(5)
    x = law.multivariate_t(np.zeros(2), np.eye(2), 2.0).sample(20_000, rng)
    far = np.abs(x[:, 0]) > 5
    assert np.mean(np.abs(x[far, 1]) > 3) > 3 * np.mean(np.abs(x[:, 1]) > 3)


def test_moments_of_t_that_do_not_exist():
    assert np.isnan(law.multivariate_t(MEAN, S, 1.0).mean).all()
    wide = law.multivariate_t(MEAN, S, 1.5)
    assert (wide.mean == MEAN).all() and (np.diag(wide.variance) == math.inf).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: law.categorical([0.5, 0.6]), r"^categorical: p must be at least 0 and sum to 1"),
        (lambda: law.multinomial(2, [0.5, 0.6]), r"^multinomial: p must be at least 0 and sum to 1"),
        (lambda: law.dirichlet([1.0, 0.0]), r"^dirichlet: alpha must be above 0; got 0$"),
        (
            lambda: law.multivariate_normal([0, 0], [[1, 2], [2, 1]]),
            r"^multivariate_normal: covariance must be positive definite",
        ),
        (
            lambda: law.multivariate_normal([0, 0], np.eye(2)).density(np.zeros((3, 4))),
            r"^log_density: x must have 2 columns, one per entry of a draw; got shape \(3, 4\)$",
        ),
        (
            lambda: law.multivariate_t([0, 0], [[1, 2], [0, 1]], 3.0),
            r"^multivariate_t: scale must be symmetric",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
