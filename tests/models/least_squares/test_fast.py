"""A triangle gives every θ the sum of squares of the problem it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.models.least_squares import fast as module
from chapters_src.models.least_squares.fast import reduced_rows


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 90), st.integers(1, 5), st.sampled_from([(), (1,), (3,)]))
def test_same_sum_of_squares_for_every_theta(seed, n, d, outputs):
    rng = np.random.default_rng(seed)
    X, y, theta = (rng.standard_normal(shape) for shape in ((n, d), (n, *outputs), (d, *outputs)))
    R, z = reduced_rows(X, y)
    assert np.sum((R @ theta - z) ** 2) == pytest.approx(np.sum((X @ theta - y) ** 2), rel=1e-11)
    assert len(R) <= 2 * (d + (outputs or (1,))[0])


@pytest.mark.parametrize("n", [29, 30, 31, 60, 61, 95])
def test_blocks_of_rows_leave_nothing_out(monkeypatch, n):
    monkeypatch.setattr(module, "BLOCK", 30)
    rng = np.random.default_rng(n)
    X, y, theta = rng.standard_normal((n, 3)), rng.standard_normal(n), rng.standard_normal(3)
    R, z = reduced_rows(X, y)
    assert R.shape == (4, 3)
    assert np.sum((R @ theta - z) ** 2) == pytest.approx(np.sum((X @ theta - y) ** 2), rel=1e-12)
    np.testing.assert_allclose(R.T @ z, X.T @ y, atol=1e-12)


def test_it_is_a_triangle_with_the_singular_values_of_X():
    X = np.random.default_rng(0).standard_normal((25_000, 4))
    R, z = reduced_rows(X, X[:, 0])
    np.testing.assert_allclose(R, np.triu(R))
    np.testing.assert_allclose(np.linalg.svd(R)[1], np.linalg.svd(X, full_matrices=False)[1], rtol=1e-12)
    assert z.shape == (5,)
