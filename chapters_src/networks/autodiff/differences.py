"""Numerical differentiation: slopes from values of the function at neighbouring points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.autodiff.tracing import leaf

__all__ = [
    "METHODS",
    "best_step",
    "central_difference",
    "complex_step",
    "difference_gradient",
    "forward_difference",
]


def forward_difference(f: Callable[[Any], Any], x: Any, h: float, direction: Any = 1) -> Any:
    """The slope of a chord to one side, wrong by about ½h|f″| + 2u|f|/h, with u the rounding unit.

    (f(x + hv) − f(x)) / h                            {eq}`eq-autodiff-forward-difference`
    """
    x, h = _point("forward_difference", x, h, direction)
    return (f(x + h * direction) - f(x)) / h


def central_difference(f: Callable[[Any], Any], x: Any, h: float, direction: Any = 1) -> Any:
    """The slope of a chord across x, wrong by about h²|f‴|/6 + u|f|/h.

    (f(x + hv) − f(x − hv)) / 2h                      {eq}`eq-autodiff-central-difference`
    """
    x, h = _point("central_difference", x, h, direction)
    return (f(x + h * direction) - f(x - h * direction)) / (2 * h)


def complex_step(f: Callable[[Any], Any], x: Any, h: float, direction: Any = 1) -> Any:
    """A step into the complex plane: nothing is subtracted, so h may be tiny and the error is h²|f‴|/6 alone.

    Im f(x + ihv) / h                                 {eq}`eq-autodiff-complex-step`

    f has to be analytic: no `abs`, no comparison, no conjugate.
    """
    x, h = _point("complex_step", x, h, direction)
    value = np.asarray(f(x + 1j * h * direction))
    if not np.iscomplexobj(value):
        checks.fail("complex_step", "f", "carry complex numbers through", f"values of type {value.dtype}")
    return value.imag[()] / h


METHODS: dict[str, Callable[..., Any]] = {
    "forward": forward_difference,
    "central": central_difference,
    "complex step": complex_step,
}


def _point(function: str, x: Any, h: Any, direction: Any) -> tuple[Any, Any]:
    """x, and h in the precision of x, so that float32 stays float32."""
    x = leaf(function, "x", x)
    if np.shape(direction) not in ((), np.shape(x)):
        checks.fail(function, "direction", f"be 1 or have shape {np.shape(x)}, as x", np.shape(direction))
    step = x.dtype.type(checks.number(function, "h", h, above=0))
    if not step:
        checks.fail(function, "h", f"be large enough for {x.dtype}", h)
    return x, step


def difference_gradient(
    f: Callable[[Any], Any], x: Float[ndarray, "..."], h: float = 1e-6, method: str = "central"
) -> Float[ndarray, "..."]:
    """∇f from one or two values of f per entry of x: d + 1 or 2d runs of f, where reverse mode needs one.

    ∂f/∂xᵢ ≈ (f(x + heᵢ) − f(x − heᵢ)) / 2h           {eq}`eq-autodiff-difference-gradient`
    """
    if method not in METHODS:
        checks.fail("difference_gradient", "method", f"be one of {', '.join(METHODS)}", repr(method))
    x = leaf("difference_gradient", "x", x)
    result = np.empty_like(x)
    for index in np.ndindex(np.shape(x)):
        unit = np.zeros_like(x)
        unit[index] = 1
        slope = np.asarray(METHODS[method](f, x, h, unit))
        if slope.size != 1:
            checks.fail("difference_gradient", "what f returns", "be one number", f"shape {slope.shape}")
        result[index] = slope.item()
    return result


def best_step(method: str, dtype: Any = np.float64, scale: float = 1.0) -> float:
    """The h at which truncation and rounding are about equal, for a function with derivatives of size 1.

    h = 2√u (forward),  h = ∛(3u) (central)           {eq}`eq-autodiff-best-step`

    ``scale`` is the distance over which the function changes. The complex step has no best h: smaller is
    never worse until h itself underflows.
    """
    unit = float(np.finfo(np.dtype(dtype)).eps) / 2
    scale = checks.number("best_step", "scale", scale, above=0)
    if method == "forward":
        return 2 * unit**0.5 * scale
    if method == "central":
        return (3 * unit) ** (1 / 3) * scale
    return checks.fail("best_step", "method", "be forward or central", repr(method))
