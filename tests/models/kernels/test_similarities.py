"""Kernels against scikit-learn and against the features they stand for."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import pairwise

from chapters_src.models.kernels import (
    gaussian_kernel,
    polynomial_kernel,
    quadratic_features,
    spectrum_kernel,
)

rng = np.random.default_rng(0)
X, Z = rng.normal(size=(9, 4)), rng.normal(size=(6, 4))


@pytest.mark.parametrize(("degree", "offset"), [(1, 0.0), (2, 1.0), (3, 0.5)])
def test_polynomials_agree_with_scikit_learn(degree, offset):
    theirs = pairwise.polynomial_kernel(X, Z, degree=degree, gamma=1.0, coef0=offset)
    np.testing.assert_allclose(polynomial_kernel(X, Z, degree, offset), theirs, rtol=1e-12)


@pytest.mark.parametrize("gamma", [0.01, 1.0, 30.0])
def test_the_gaussian_agrees_with_scikit_learn(gamma):
    np.testing.assert_allclose(gaussian_kernel(X, Z, gamma), pairwise.rbf_kernel(X, Z, gamma), atol=1e-12)
    assert (np.diag(gaussian_kernel(X * 1e6, X * 1e6, gamma)) <= 1).all()


def test_quadratic_features_have_the_quadratic_kernel():
    np.testing.assert_allclose(
        quadratic_features(X) @ quadratic_features(Z).T, polynomial_kernel(X, Z), rtol=1e-12
    )
    assert quadratic_features(X).shape == (9, math.comb(4 + 2, 2))


def test_the_gaussian_is_a_sum_of_products():
    x, z, gamma = 0.7, -1.3, 0.8
    terms = [(2 * gamma * x * z) ** k / math.factorial(k) for k in range(40)]
    total = math.exp(-gamma * (x**2 + z**2)) * sum(terms)
    assert gaussian_kernel([[x]], [[z]], gamma)[0, 0] == pytest.approx(total, abs=1e-14)


words = st.lists(st.text(alphabet="abc", max_size=8), min_size=1, max_size=4)


@given(words, words, st.integers(1, 3))
def test_the_string_kernel_counts_pieces(first, second, length):
    table = {}
    for text in first + second:
        for i in range(len(text) - length + 1):
            table.setdefault(text[i : i + length], len(table))

    def counts(texts):
        rows = np.zeros((len(texts), len(table)))
        for row, text in zip(rows, texts, strict=True):
            for i in range(len(text) - length + 1):
                row[table[text[i : i + length]]] += 1
        return rows

    np.testing.assert_array_equal(spectrum_kernel(first, second, length), counts(first) @ counts(second).T)


def test_the_string_kernel_agrees_with_scikit_learn():
    texts = ["kernel", "colonel", "kern", "the kernel of a kernel"]
    rows = CountVectorizer(analyzer="char", ngram_range=(3, 3)).fit_transform(texts).toarray()
    np.testing.assert_array_equal(spectrum_kernel(texts, texts, 3), rows @ rows.T)


@given(st.integers(0, 1000), st.floats(0.05, 5))
def test_no_eigenvalue_is_negative(seed, gamma):
    rows = np.random.default_rng(seed).normal(size=(12, 2))
    for K in (gaussian_kernel(rows, rows, gamma), polynomial_kernel(rows, rows, 3)):
        assert np.linalg.eigvalsh(K)[0] >= -1e-9 * np.abs(K).max()


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="gaussian_kernel: gamma must be above 0"):
        gaussian_kernel(X, Z, 0.0)
    with pytest.raises(ValueError, match="polynomial_kernel: Z must"):
        polynomial_kernel(X, Z[:, :2])
    with pytest.raises(ValueError, match="spectrum_kernel: length must be at least 1"):
        spectrum_kernel(["a"], ["b"], 0)
    with pytest.raises(ValueError, match="spectrum_kernel: first must be a list of strings"):
        spectrum_kernel("kernel", ["kern"])
