"""Real numbers against scipy: density, moments, inverse, and what draws look like."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from chapters_src.foundations import probability as law
from chapters_src.foundations.probability.gammas import log_standard_gamma
from tests.foundations.probability.catalogue import REALS, Given

each = pytest.mark.parametrize(("ours", "theirs"), REALS.values(), ids=REALS.keys())


@each
def test_density_and_moments(ours, theirs):
    x = np.append(theirs.ppf(np.linspace(0.001, 0.999, 200)), [-50.0, -1.5, 0.0, 1.0, 4.0, 50.0])
    np.testing.assert_allclose(ours.log_density(x), theirs.logpdf(x), rtol=1e-9, atol=1e-9)
    if np.isfinite(ours.variance):
        np.testing.assert_allclose([ours.mean, ours.variance], theirs.stats("mv"), rtol=1e-12, atol=1e-15)


@each
def test_density_is_the_slope_of_what_the_draws_accumulate(ours, theirs):
    a, b = theirs.ppf([0.2, 0.7])
    area = integrate.quad(lambda x: float(ours.density(x)), a, b)[0]
    assert area == pytest.approx(0.5, abs=1e-8)


@each
def test_draws(ours, theirs):
    draws = ours.sample(20_000, np.random.default_rng(2))
    assert draws.shape == (20_000,)
    assert stats.kstest(draws, theirs.cdf).pvalue > 1e-3
    wrong = stats.kstest(draws + 0.1 * draws.std().clip(max=1), theirs.cdf)
    assert wrong.pvalue < 1e-3  # the test would notice


def test_inverse_samplers_follow_the_uniform_numbers():
    u = np.linspace(0, 1, 50, endpoint=False)
    np.testing.assert_allclose(law.exponential(0.5).draw(50, Given(u)), stats.expon(scale=2).ppf(u))
    np.testing.assert_allclose(law.uniform(2.0, 5.0).draw(50, Given(u)), 2 + 3 * u)


def test_moments_that_do_not_exist():
    one, between, two = law.student_t(1), law.student_t(1.5), law.student_t(2.5)
    assert np.isnan(one.mean) and np.isnan(one.variance)
    assert between.mean == 0 and between.variance == np.inf
    assert law.student_t(2).variance == np.inf
    assert two.variance == pytest.approx(5.0)


def test_worked_numbers():
    assert law.normal(1, 4).density(3) == pytest.approx(np.exp(-0.5) / np.sqrt(8 * np.pi), rel=1e-14)
    assert law.gamma(3, 2).density(1) == pytest.approx(4 * np.exp(-2), rel=1e-12)
    assert law.beta(2, 3).density(0.5) == pytest.approx(1.5, rel=1e-12)
    assert law.student_t(1).density(1) == pytest.approx(1 / (2 * np.pi), rel=1e-12)
    assert law.chi_squared(2).density(4) == pytest.approx(0.5 * np.exp(-2), rel=1e-12)


@pytest.mark.parametrize("shape", [0.1, 0.5, 0.99, 1.0, 1.2, 40.0, 1e8])
def test_gamma_draws_for_all_shapes(shape):
    draws = law.gamma(shape).sample(50_000, np.random.default_rng(3))
    assert stats.kstest(draws, stats.gamma(shape).cdf).pvalue > 1e-3


def test_logarithms_of_gamma_draws_where_the_draws_round_to_0():
    shape = 1e-4
    logs = log_standard_gamma(shape, 5000, np.random.default_rng(3))
    assert np.mean(np.exp(logs) == 0) > 0.9
    # P(x < t) = tᵃ/Γ(a + 1) for small t, so −a log x is nearly exponential
    assert stats.kstest(-shape * logs, "expon").pvalue > 1e-3


def test_beta_draws_with_tiny_parameters_are_numbers():
    draws = law.beta(1e-4, 1e-4).sample(2000, np.random.default_rng(0))
    assert np.isfinite(draws).all() and ((draws >= 0) & (draws <= 1)).all()
    assert abs(draws.mean() - 0.5) < 0.05


@given(st.floats(0.1, 20), st.floats(0.1, 20), st.floats(0.01, 0.99))
def test_beta_is_symmetric(a, b, x):
    one, other = law.beta(a, b).log_density(x), law.beta(b, a).log_density(1 - x)
    assert one == pytest.approx(float(other), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: law.uniform(2, 1), r"^uniform: high must be above 2; got 1"),
        (lambda: law.normal(0, 0), r"^normal: variance must be above 0; got 0$"),
        (lambda: law.exponential(-1.0), r"^exponential: rate must be above 0; got -1.0$"),
        (lambda: law.gamma(0.0), r"^gamma: shape must be above 0; got 0.0$"),
        (lambda: law.beta(1.0, 0.0), r"^beta: b must be above 0; got 0.0$"),
        (lambda: law.student_t(0.0), r"^student_t: degrees must be above 0; got 0.0$"),
        (
            lambda: law.standard_gamma(1.0, 0, np.random.default_rng(0)),
            r"^standard_gamma: n must be at least 1",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
