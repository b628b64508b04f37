"""The machine with a kernel against scikit-learn's."""

import numpy as np
import pytest
from sklearn.svm import SVC

from chapters_src.models.kernels import (
    gaussian_kernel,
    kernel_machine,
    polynomial_kernel,
    quadratic_features,
)
from chapters_src.models.support_vectors import max_margin

rng = np.random.default_rng(0)
X, new = rng.normal(size=(80, 2)), rng.normal(size=(30, 2))
y = np.where((X**2).sum(axis=1) + 0.3 * rng.normal(size=80) < 1.4, 1.0, -1.0)


@pytest.mark.parametrize(("gamma", "C"), [(0.1, 1.0), (1.0, 10.0), (20.0, 1.0)])
def test_gaussian_machine_agrees_with_scikit_learn(gamma, C):
    fit, score = kernel_machine(lambda A, B: gaussian_kernel(A, B, gamma), X, y, C, tolerance=1e-9)
    theirs = SVC(C=C, gamma=gamma, tol=1e-10).fit(X, y)
    assert fit.converged
    np.testing.assert_allclose(score(new), theirs.decision_function(new), atol=1e-6)
    assert set(fit.support) == set(theirs.support_)


def test_the_quadratic_kernel_is_a_linear_machine_on_the_features():
    _, score = kernel_machine(polynomial_kernel, X, y, 2.0, tolerance=1e-10)
    boundary = max_margin(quadratic_features(X), y, 2.0, tolerance=1e-10)
    np.testing.assert_allclose(score(new), quadratic_features(new) @ boundary.w + boundary.b, atol=1e-6)


def test_a_ring_is_no_obstacle():
    _, score = kernel_machine(polynomial_kernel, X, y, 10.0)
    circle = 2 * np.column_stack([np.cos(np.arange(6)), np.sin(np.arange(6))])
    assert score(np.zeros((1, 2)))[0] > 0 and (score(circle) < 0).all()


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="kernel_machine: C must be above 0"):
        kernel_machine(polynomial_kernel, X, y, 0.0)
    with pytest.raises(ValueError, match="kernel_machine: y must hold"):
        kernel_machine(polynomial_kernel, X, np.arange(80.0), 1.0)
