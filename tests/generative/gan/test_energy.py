"""The energy distance against scipy, by hand, and by the properties of a distance."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import energy_distance as scipy_energy_distance

from chapters_src.generative.gan.energy import energy_distance, expected_energy_distance

seeds = st.integers(0, 2**32 - 1)


def clouds(seed, n=30, m=20, d=3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal((m, d)) + 0.5


def test_by_hand():
    """0 and 2 against 1: the mean distance across is 1, within the first pair 1, within the second 0."""
    assert energy_distance(np.array([[0.0], [2.0]]), np.array([[1.0]])) == pytest.approx(1.0, abs=1e-15)


@given(seeds)
def test_one_dimension_against_scipy(seed):
    """scipy integrates the squared difference of the distribution functions and takes a root."""
    X, Y = clouds(seed, d=1)
    assert energy_distance(X, Y) == pytest.approx(scipy_energy_distance(X[:, 0], Y[:, 0]) ** 2, rel=1e-9)


@given(seeds, st.integers(1, 64))
def test_blocks_do_not_matter(seed, block):
    X, Y = clouds(seed)
    expected = 2 * cdist(X, Y).mean() - cdist(X, X).mean() - cdist(Y, Y).mean()
    assert energy_distance(X, Y, block) == pytest.approx(expected, rel=1e-10, abs=1e-14)


@given(seeds)
def test_it_is_symmetric_never_negative_and_zero_for_the_same_points(seed):
    X, Y = clouds(seed)
    assert energy_distance(X, Y) == pytest.approx(energy_distance(Y, X), rel=1e-10)
    assert energy_distance(X, Y) > 0
    assert energy_distance(X, X[::-1]) == pytest.approx(0, abs=1e-14)


def test_float32_and_float64_are_measured_alike():
    """Points a millionth apart, far from the origin: the short cut through ‖a‖² + ‖b‖² would see noise."""
    X = 1000 + 1e-6 * np.random.default_rng(0).standard_normal((60, 2))
    expected = 2 / 60 * cdist(X - 1000, X - 1000).sum() / (60 * 59)
    assert expected_energy_distance(X, 60, 60) == pytest.approx(expected, rel=1e-5)
    single = torch.randn(40, 2, generator=torch.Generator().manual_seed(0))
    assert energy_distance(single, single.double() + 1) == energy_distance(
        single.double(), single.double() + 1
    )


@settings(max_examples=5)
@given(seeds)
def test_what_to_expect_of_two_samples_of_one_distribution(seed):
    rng = np.random.default_rng(seed)
    found = [energy_distance(rng.standard_normal((50, 2)), rng.standard_normal((80, 2))) for _ in range(120)]
    expected = expected_energy_distance(rng.standard_normal((1500, 2)), 50, 80)
    # two standard normal points in the plane are √π apart on average
    assert expected == pytest.approx((1 / 50 + 1 / 80) * np.pi**0.5, rel=0.05)
    assert np.mean(found) == pytest.approx(expected, rel=0.25)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: energy_distance(np.ones((3, 2)), np.ones((3, 1))),
            "energy_distance: Y must have shape .m, 2., one per column of X",
        ),
        (lambda: energy_distance(np.ones(3), np.ones((3, 1))), "energy_distance: X must have two axes"),
        (lambda: energy_distance([[np.nan]], [[1.0]]), "energy_distance: X must be finite"),
        (
            lambda: energy_distance([[1.0]], torch.ones(2, 1, device="meta")),
            "energy_distance: Y must have values",
        ),
        (lambda: energy_distance([[1.0]], [[1.0]], 0), "energy_distance: block must be at least 1"),
        (lambda: energy_distance([[1.0]], [["a"]]), "energy_distance: Y must hold real numbers"),
        (lambda: energy_distance([[1.0]], [[1.0]], 2.0), "energy_distance: block must be a whole number"),
        (lambda: expected_energy_distance([[1.0]], 2, 2), "expected_energy_distance: X must have two rows"),
        (
            lambda: expected_energy_distance(np.ones((3, 1)), 0, 2),
            "expected_energy_distance: n must be at least 1",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(
    st.one_of(
        st.none(),
        st.text(max_size=3),
        st.floats(),
        st.just([]),
        st.just([[1.0], [2.0, 3.0]]),
        st.builds(object),
    )
)
def test_anything_else_is_refused(bad):
    for call in (
        lambda: energy_distance(bad, np.ones((2, 2))),
        lambda: energy_distance(np.ones((2, 2)), bad),
    ):
        with pytest.raises(ValueError, match=r"(X|Y) must"):
            call()
