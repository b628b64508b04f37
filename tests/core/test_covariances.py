"""Covariance matrices: what passes, and what is said of the rest."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.core.contract import checked
from chapters_src.core.covariances import positive_definite, positive_semidefinite
from chapters_src.core.shapes import Float, ndarray

S = np.array([[2.0, 1.0], [1.0, 2.0]])
FLAT = np.ones((2, 2))


@checked(S=positive_definite)
def strict(S: Float[ndarray, "d d"]) -> Float[ndarray, "d d"]:
    return S


@checked(S=positive_semidefinite)
def loose(S: Float[ndarray, "d d"]) -> Float[ndarray, "d d"]:
    return S


@checked(S=positive_definite)
def several(S: Float[ndarray, "K d d"]) -> Float[ndarray, "K d d"]:
    return S


@pytest.mark.parametrize("size", [1e-200, 1e-12, 1.0, 1e12, 1e200])
def test_covariances_of_any_size_pass_as_they_are(size):
    for take, value in ((strict, size * S), (loose, size * FLAT), (several, size * np.array([S, S]))):
        assert take(value) is value


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: strict(S[:1]), r"^strict: S must have two axes, shape \(d, d\); got shape \(1, 2\)$"),
        (
            lambda: strict([[1.0, 0.5], [0.0, 1.0]]),
            r"^strict: S must be symmetric; got a matrix that is not$",
        ),
        (lambda: strict([[1e-20, 5e-21], [0.0, 1e-20]]), r"^strict: S must be symmetric"),
        (
            lambda: strict(np.diag([1.0, -3.0])),
            r"^strict: S must be positive definite; got an eigenvalue of -3$",
        ),
        (lambda: strict(np.zeros((2, 2))), r"^strict: S must be positive definite; got an eigenvalue of 0$"),
        (lambda: several([S, -S]), r"^several: S must be positive definite; got an eigenvalue of -3$"),
        (
            lambda: loose(np.diag([1.0, -1e-3])),
            r"^loose: S must have no negative eigenvalues; got one of -0.001$",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
