"""Distances and projections against a numerical search, and what must hold for any of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import null_space
from scipy.optimize import minimize

from chapters_src.foundations.tensors import project, signed_distance

seeds = st.integers(0, 2**32 - 1)


def random_plane(seed, n=5, d=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=d), float(rng.normal())


def test_worked_number():
    assert signed_distance([[6.0, 3.0]], [3.0, 4.0], -10.0) == pytest.approx([4.0], abs=1e-15)
    assert project([[6.0, 3.0]], [3.0, 4.0], -10.0)[0] == pytest.approx([3.6, -0.2], abs=1e-15)


@pytest.mark.parametrize("seed", range(4))
def test_no_point_of_the_flat_found_by_a_search_is_nearer(seed):
    X, w, b = random_plane(seed)
    flat, start = null_space(w[None]), -b * w / (w @ w)  # directions within the hyperplane, and a point on it
    for x, distance, foot in zip(X, signed_distance(X, w, b), project(X, w, b), strict=True):
        found = minimize(lambda t, x=x: np.sum((x - start - flat @ t) ** 2), np.zeros(3), tol=1e-14)
        assert np.sqrt(found.fun) == pytest.approx(abs(distance), abs=1e-7)
        np.testing.assert_allclose(start + flat @ found.x, foot, atol=1e-5)


@given(seeds, st.integers(1, 6))
def test_feet_lie_on_the_hyperplane_and_stay(seed, d):
    X, w, b = random_plane(seed, d=d)
    feet = project(X, w, b)
    np.testing.assert_allclose(feet @ w + b, 0, atol=1e-12)
    np.testing.assert_allclose(project(feet, w, b), feet, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(X - feet, axis=1), np.abs(signed_distance(X, w, b)), atol=1e-12)


@given(seeds, st.floats(1e-3, 1e3))
def test_a_positive_factor_changes_nothing_and_a_negative_one_the_sign(seed, factor):
    X, w, b = random_plane(seed)
    distance = signed_distance(X, w, b)
    np.testing.assert_allclose(signed_distance(X, factor * w, factor * b), distance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(signed_distance(X, -factor * w, -factor * b), -distance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(project(X, -factor * w, -factor * b), project(X, w, b), atol=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_lengths_that_cannot_be_squared(scale):
    w = scale * np.array([3.0, 4.0])
    assert signed_distance([[6.0, 3.0]], w, -10 * scale) == pytest.approx([4.0])
    assert project([[6.0, 3.0]], w, -10 * scale)[0] == pytest.approx([3.6, -0.2])


@pytest.mark.parametrize("function", [signed_distance, project])
def test_what_is_refused(function):
    with pytest.raises(ValueError, match=rf"^{function.__name__}: w must have an entry other than 0"):
        function([[1.0, 2.0]], [0.0, 0.0], 1.0)
    with pytest.raises(ValueError, match=rf"^{function.__name__}: w must have shape \(2,\)"):
        function([[1.0, 2.0]], [1.0, 2.0, 3.0], 1.0)
