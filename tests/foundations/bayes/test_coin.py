"""The coin, against quadrature, scipy's Beta distribution and exact fractions."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from chapters_src.foundations.bayes import (
    beta_log_evidence,
    beta_mean,
    beta_mode,
    beta_posterior,
    log_odds_mode,
)

shapes = st.floats(0.6, 20.0)
counts = st.integers(0, 15)


@settings(max_examples=12, deadline=None)
@given(shapes, shapes, counts, counts)
def test_posterior_against_quadrature(a, b, heads, tails):
    def joint(theta):
        return theta**heads * (1 - theta) ** tails * stats.beta.pdf(theta, a, b)

    total = integrate.quad(joint, 0, 1, limit=200)[0]
    assert beta_log_evidence(a, b, heads, tails) == pytest.approx(np.log(total), rel=1e-5, abs=1e-6)
    posterior = stats.beta(*beta_posterior(a, b, heads, tails))
    for theta in (0.1, 0.5, 0.83):
        assert joint(theta) / total == pytest.approx(posterior.pdf(theta), rel=1e-5)


@settings(max_examples=40)
@given(shapes, shapes)
def test_mean_against_scipy(a, b):
    assert beta_mean(a, b) == pytest.approx(stats.beta(a, b).mean(), rel=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.floats(1.05, 20.0), st.floats(1.05, 20.0))
def test_modes_against_a_search(a, b):
    found = optimize.minimize_scalar(
        lambda t: -stats.beta.logpdf(t, a, b),
        bounds=(1e-9, 1 - 1e-9),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert beta_mode(a, b) == pytest.approx(found.x, abs=1e-5)

    def minus_log_density(phi):  # scipy's density of θ, times dθ/dφ
        theta = 1 / (1 + np.exp(-phi))
        return -stats.beta.logpdf(theta, a, b) - np.log(theta * (1 - theta))

    found = optimize.minimize_scalar(
        minus_log_density, bounds=(-12, 12), method="bounded", options={"xatol": 1e-9}
    )
    assert log_odds_mode(a, b) == pytest.approx(found.x, abs=1e-5)


def test_flat_prior_gives_maximum_likelihood_as_mode_and_laplace_as_mean():
    a, b = beta_posterior(1, 1, 7, 3)
    assert beta_mode(a, b) == 7 / 10
    assert beta_mean(a, b) == 8 / 12
    assert beta_mode(*beta_posterior(1, 1, 3, 0)) == 1.0
    assert beta_mean(*beta_posterior(1, 1, 3, 0)) == 4 / 5


def test_evidence_of_a_flat_prior_is_one_over_all_counts():
    # Under the flat prior each number of heads among n tosses is equally probable.
    for heads in range(11):
        sequence = Fraction(1, 11 * comb(10, heads))
        assert beta_log_evidence(1, 1, heads, 10 - heads) == pytest.approx(np.log(float(sequence)), rel=1e-12)


@settings(max_examples=40)
@given(shapes, shapes, counts, counts)
def test_evidence_is_the_product_of_predictions(a, b, heads, tails):
    """Toss by toss, each predicted from those before it."""
    total, here = 0.0, (a, b)
    for head in [True] * heads + [False] * tails:
        p = beta_mean(*here)
        total += np.log(p if head else 1 - p)
        here = beta_posterior(*here, int(head), int(not head))
    assert here == pytest.approx(beta_posterior(a, b, heads, tails))
    assert beta_log_evidence(a, b, heads, tails) == pytest.approx(total, rel=1e-9, abs=1e-9)


def test_what_has_no_mode():
    with pytest.raises(ValueError, match=r"^beta_mode: a must exceed 1, or b must, because a flat density"):
        beta_mode(1, 1)
    with pytest.raises(ValueError, match=r"^beta_mode: b must be at least 1; got 0.5"):
        beta_mode(2, 0.5)
    with pytest.raises(ValueError, match=r"^beta_posterior: heads must be at least 0; got -1"):
        beta_posterior(1, 1, -1, 2)
    with pytest.raises(ValueError, match=r"^beta_mean: a must be above 0; got 0"):
        beta_mean(0, 1)
