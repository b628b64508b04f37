"""The support vector machine with any kernel."""

from __future__ import annotations

from collections.abc import Callable

from chapters_src.core.contract import checked
from chapters_src.core.readers import above
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.support_vectors import SupportVectors, scores, smo, two_classes

__all__ = ["Kernel", "Score", "kernel_machine"]

Kernel = Callable[[ndarray, ndarray], ndarray]  # rows, rows -> a value for each pair
Score = Callable[[Float[ndarray, "m d"]], Float[ndarray, "m"]]


@checked(y=two_classes, C=above(0), tolerance=above(0))
def kernel_machine(
    k: Kernel, X: Float[ndarray, "n d"], y: Float[ndarray, "n"], C: float, tolerance: float = 1e-6
) -> tuple[SupportVectors, Score]:
    """Fit a support vector machine that sees its inputs only through k; the second part scores new inputs.

    s(x) = Σᵢ αᵢyᵢ k(xᵢ, x) + b                        {eq}`eq-kernels-machine`
    """
    fit = smo(k(X, X), y, C, tolerance)
    return fit, lambda new: scores(k(new, X), y, fit.alpha, fit.b)
