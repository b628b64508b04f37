"""The same machine sooner."""

from __future__ import annotations

from chapters_src.core.contract import checked
from chapters_src.core.readers import above
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.kernels.machines import Kernel, Score
from chapters_src.models.support_vectors import SupportVectors, scores, smo_fast, two_classes

__all__ = ["kernel_machine_fast"]


@checked(y=two_classes, C=above(0), tolerance=above(0))
def kernel_machine_fast(
    k: Kernel, X: Float[ndarray, "n d"], y: Float[ndarray, "n"], C: float, tolerance: float = 1e-6
) -> tuple[SupportVectors, Score]:
    """`kernel_machine` with the solver that remembers its errors."""
    fit = smo_fast(k(X, X), y, C, tolerance)
    return fit, lambda new: scores(k(new, X), y, fit.alpha, fit.b)
