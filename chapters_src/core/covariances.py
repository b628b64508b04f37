"""Readers of symmetric matrices such as covariances, one or several side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.readers import Ask

__all__ = ["positive_definite", "positive_semidefinite", "symmetric"]


def positive_definite(ask: Ask, S: Any) -> Any:
    """Read symmetric matrices whose eigenvalues are above 0, or say which is not."""
    symmetric(ask, S)
    try:
        np.linalg.cholesky(S)
    except np.linalg.LinAlgError:
        ask.fail("be positive definite", f"an eigenvalue of {np.linalg.eigvalsh(S).min():.3g}")
    return S


def positive_semidefinite(ask: Ask, S: Any) -> Any:
    """Read symmetric matrices whose eigenvalues are 0 or more, as exactly as they can be computed."""
    symmetric(ask, S)
    least = float(np.linalg.eigvalsh(S).min())
    ask.require(
        least >= -1e-12 * float(np.abs(S).max()), "have no negative eigenvalues", f"one of {least:.3g}"
    )
    return S


def symmetric(ask: Ask, S: Any) -> Any:
    """Read square matrices that are equal to their transposes, up to rounding."""
    ask.require(S.shape[-1] == S.shape[-2], "be square", f"shape {S.shape}")
    slack = 1e-12 * float(np.abs(S).max())  # in units of the matrix: a small one may not be crooked
    ask.require(
        np.allclose(S, np.swapaxes(S, -1, -2), rtol=1e-9, atol=slack), "be symmetric", "a matrix that is not"
    )
    return S
