"""Counts against scipy: mass, moments, the inverse, and what draws look like."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from chapters_src.foundations import probability as law
from tests.foundations.probability.catalogue import COUNTS, Given

each = pytest.mark.parametrize(("ours", "theirs"), COUNTS.values(), ids=COUNTS.keys())


@each
def test_mass_and_moments(ours, theirs):
    k = np.unique(np.append(theirs.ppf([0.001, 0.1, 0.5, 0.9, 0.999]), np.arange(-2.0, 20)))
    np.testing.assert_allclose(ours.log_density(k), theirs.logpmf(k), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose([ours.mean, ours.variance], theirs.stats("mv"), rtol=1e-12)


@each
def test_no_mass_between_whole_numbers(ours, theirs):
    assert (ours.density([0.5, -1.0, 1e-9]) == 0).all()


inverted = pytest.mark.parametrize(
    ("ours", "theirs"), [pair for name, pair in COUNTS.items() if name not in ("bernoulli", "certain")]
)


@inverted
def test_draws_are_the_inverse_of_the_cumulative_function(ours, theirs):
    u = np.random.default_rng(0).random(2000)
    u = np.append(u, [0.0, 1e-12, 1 - 1e-9])
    k = ours.draw(len(u), Given(u))
    # k is the least count whose cumulative mass exceeds u; the tables add rounding in the last digits
    assert (theirs.cdf(k) > u - 1e-9).all()
    assert (theirs.cdf(k - 1) <= u + 1e-9).all()


def test_a_trial_succeeds_below_p():
    np.testing.assert_array_equal(law.bernoulli(0.3).draw(3, Given([0.0, 0.29, 0.3])), [1, 1, 0])


@inverted
def test_the_table_leaves_nothing_out(ours, theirs):
    last = 1 - 2.0**-53
    k = ours.draw(1, Given([last]))[0]
    assert k >= theirs.ppf(1 - 1e-12)
    assert theirs.logpmf(k) > -60  # nor does rounding reach its far end


def test_a_count_without_mass_is_not_drawn():
    assert law.binomial(5, 1.0).draw(1, Given([0.0]))[0] == 5
    assert law.negative_binomial(2, 1.0).draw(1, Given([1 - 2.0**-53]))[0] == 0


@each
def test_draws(ours, theirs):
    draws = ours.sample(20_000, np.random.default_rng(1))
    assert draws.dtype == np.int64 and draws.shape == (20_000,)
    error = np.sqrt(theirs.var() / 20_000)
    assert abs(draws.mean() - theirs.mean()) <= 5 * error
    most = theirs.median()
    share = theirs.cdf(most)
    assert abs(np.mean(draws <= most) - share) <= 5 * np.sqrt(share * (1 - share) / 20_000) + 1e-12


def test_worked_numbers():
    assert law.binomial(10, 0.3).density(3) == pytest.approx(120 * 0.3**3 * 0.7**7, rel=1e-12)
    assert law.poisson(3).density(2) == pytest.approx(4.5 * np.exp(-3), rel=1e-12)
    assert law.negative_binomial(3, 0.4).density(2) == pytest.approx(6 * 0.4**3 * 0.6**2, rel=1e-12)
    assert law.negative_binomial(3, 0.4).density(np.arange(400)).sum() == pytest.approx(1, abs=1e-12)


@given(st.integers(0, 6), st.floats(0, 1))
def test_binomial_by_listing_all_sequences(trials, p):
    mass = np.zeros(trials + 1)
    for sequence in itertools.product((0, 1), repeat=trials):
        mass[sum(sequence)] += np.prod([p if x else 1 - p for x in sequence])
    np.testing.assert_allclose(law.binomial(trials, p).density(np.arange(trials + 1)), mass, atol=1e-12)


@given(st.floats(0.05, 0.95))
def test_one_success_is_geometric(p):
    k = np.arange(60)
    np.testing.assert_allclose(
        law.negative_binomial(1, p).log_density(k), law.geometric(p).log_density(k), rtol=1e-9, atol=1e-9
    )


@given(st.floats(0.1, 5.0), st.integers(20, 2000))
def test_le_cam_bounds_the_error_of_the_poisson_limit(rate, n):
    k = np.arange(n + 1)
    apart = np.abs(law.binomial(n, rate / n).density(k) - law.poisson(rate).density(k)).sum()
    apart += stats.poisson.sf(n, rate)
    assert apart <= 2 * rate**2 / n


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: law.bernoulli(1.1), r"^bernoulli: p must be at least 0 and at most 1; got 1.1$"),
        (lambda: law.binomial(-1, 0.5), r"^binomial: trials must be at least 0; got -1$"),
        (lambda: law.geometric(0.0), r"^geometric: p must be at least 1e-15 and at most 1; got 0.0$"),
        (lambda: law.negative_binomial(0, 0.5), r"^negative_binomial: r must be above 0; got 0$"),
        (lambda: law.poisson(-1.0), r"^poisson: rate must be at least 0; got -1.0$"),
        (
            lambda: law.poisson(1e14).sample(3, np.random.default_rng(0)),
            r"^sample: n must come from a law of at most 10000000 likely values; got about 8000",
        ),
        (lambda: law.poisson(1.0).sample(0, np.random.default_rng(0)), r"^sample: n must be at least 1"),
        (lambda: law.poisson(1.0).log_density([np.nan]), r"^log_density: x must be finite"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
