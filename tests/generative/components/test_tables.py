"""Correspondence analysis against the chi-square test, published numbers and reciprocal averaging."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from chapters_src import data
from chapters_src.generative.components import correspondence

TABLE = data.eyes_and_hair().counts


def test_total_inertia_is_chi_square_over_n():
    found = correspondence(TABLE)
    chi2 = stats.chi2_contingency(TABLE, correction=False).statistic
    assert found.inertias.sum() == pytest.approx(chi2 / TABLE.sum(), rel=1e-12)


def test_fishers_correlation():
    """Published for this table: canonical correlations 0.446, 0.173 and 0.029."""
    np.testing.assert_allclose(np.sqrt(correspondence(TABLE).inertias), [0.4464, 0.1735, 0.0293], atol=5e-5)


def test_against_reciprocal_averaging():
    """Scores of the rows from those of the columns and back, until they come to rest."""
    P = TABLE / TABLE.sum()
    r, c = P.sum(axis=1), P.sum(axis=0)
    y = np.arange(5.0)
    for _ in range(300):
        x = P @ y / r
        y = P.T @ x / c
        y -= c @ y
        y /= np.sqrt(c @ y**2)
    found = correspondence(TABLE)
    rho = np.sqrt(found.inertias[0])
    assert abs(found.columns[:, 0] @ (c * y)) == pytest.approx(rho, rel=1e-9)
    assert np.sqrt(r @ (P @ y / r) ** 2) == pytest.approx(rho, rel=1e-9)


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_distances_are_chi_square_distances_of_profiles(seed, I, J):
    counts = np.random.default_rng(seed).integers(1, 40, size=(I, J)).astype(float)
    found = correspondence(counts)
    P = counts / counts.sum()
    r, c = P.sum(axis=1), P.sum(axis=0)
    profiles = P / r[:, None]
    apart = np.sum((profiles[0] - profiles[1]) ** 2 / c)
    assert np.sum((found.rows[0] - found.rows[1]) ** 2) == pytest.approx(apart, rel=1e-8, abs=1e-12)
    np.testing.assert_allclose(r @ found.rows, 0, atol=1e-12)
    np.testing.assert_allclose((found.rows**2 * r[:, None]).sum(axis=0), found.inertias, atol=1e-12)
    np.testing.assert_allclose((found.columns**2 * c[:, None]).sum(axis=0), found.inertias, atol=1e-12)
    # a row stands at the average of its columns, stretched along each axis
    rho = np.sqrt(found.inertias)
    np.testing.assert_allclose(profiles @ found.columns, found.rows * rho, atol=1e-10)


def test_independence_has_no_inertia():
    assert correspondence(np.outer([1, 2, 3], [4, 5.0])).inertias.sum() < 1e-20


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1.0, 2.0]], "at least two rows"),
        ([[1.0, -2.0], [1.0, 1.0]], "counts of 0 or more"),
        ([[0.0, 0.0], [1.0, 1.0]], "no row and no column of zeros"),
    ],
)
def test_messages(counts, message):
    with pytest.raises(ValueError, match=f"correspondence: counts must .*{message}"):
        correspondence(np.array(counts))
