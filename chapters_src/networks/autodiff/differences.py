"""Numerical differentiation: slopes from values of the function at neighbouring points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import Ask, above, one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.autodiff.leaves import leaf

__all__ = [
    "METHODS",
    "best_step",
    "central_difference",
    "complex_step",
    "difference_gradient",
    "forward_difference",
]


def float_point(ask: Ask, x: Any) -> Any:
    """Read a point: floats as they are, so that float32 stays float32, and integers as float64."""
    return leaf(ask.name, x)


def along_x(ask: Ask, direction: Any) -> Any:
    """Read a direction to move x in: 1, or an array in the shape of x."""
    x = ask.arguments["x"]
    direction = leaf(ask.name, direction)
    if np.shape(direction) not in ((), np.shape(x)):
        ask.fail(f"be 1 or have shape {np.shape(x)}, as x", np.shape(direction))
    return direction.astype(x.dtype)


def _step(x: Any, h: float) -> Any:
    """h in the precision of x."""
    step = x.dtype.type(h)
    require(step, "h", f"be large enough for {x.dtype}", h)
    return step


@checked(x=float_point, h=above(0), direction=along_x)
def forward_difference(f: Callable[[Any], Any], x: Any, h: float, direction: Any = 1) -> Any:
    """The slope of a chord to one side, wrong by about ½h|f″| + 2u|f|/h, with u the rounding unit.

    (f(x + hv) − f(x)) / h                            {eq}`eq-autodiff-forward-difference`
    """
    h = _step(x, h)
    return (f(x + h * direction) - f(x)) / h


@checked(x=float_point, h=above(0), direction=along_x)
def central_difference(f: Callable[[Any], Any], x: Any, h: float, direction: Any = 1) -> Any:
    """The slope of a chord across x, wrong by about h²|f‴|/6 + u|f|/h.

    (f(x + hv) − f(x − hv)) / 2h                      {eq}`eq-autodiff-central-difference`
    """
    h = _step(x, h)
    return (f(x + h * direction) - f(x - h * direction)) / (2 * h)


@checked(x=float_point, h=above(0), direction=along_x)
def complex_step(f: Callable[[Any], Any], x: Any, h: float, direction: Any = 1) -> Any:
    """A step into the complex plane: nothing is subtracted, so h may be tiny and the error is h²|f‴|/6 alone.

    Im f(x + ihv) / h                                 {eq}`eq-autodiff-complex-step`

    f has to be analytic: no `abs`, no comparison, no conjugate.
    """
    h = _step(x, h)
    value = np.asarray(f(x + 1j * h * direction))
    require(np.iscomplexobj(value), "f", "carry complex numbers through", f"values of type {value.dtype}")
    return value.imag[()] / h


METHODS: dict[str, Callable[..., Any]] = {
    "forward": forward_difference,
    "central": central_difference,
    "complex step": complex_step,
}


@checked(x=float_point, h=above(0), method=one_of(METHODS))
def difference_gradient(
    f: Callable[[Any], Any], x: Any, h: float = 1e-6, method: str = "central"
) -> Float[ndarray, "..."]:
    """∇f from one or two values of f per entry of x: d + 1 or 2d runs of f, where reverse mode needs one.

    ∂f/∂xᵢ ≈ (f(x + heᵢ) − f(x − heᵢ)) / 2h           {eq}`eq-autodiff-difference-gradient`
    """
    result = np.empty_like(x)
    for index in np.ndindex(np.shape(x)):
        unit = np.zeros_like(x)
        unit[index] = 1
        slope = np.asarray(bare(METHODS[method])(f, x, h, unit))
        require(slope.size == 1, "what f returns", "be one number", f"shape {slope.shape}")
        result[index] = slope.item()
    return result


@checked(method=one_of(("forward", "central")), scale=above(0))
def best_step(method: str, dtype: Any = np.float64, scale: float = 1.0) -> float:
    """The h at which truncation and rounding are about equal, for a function with derivatives of size 1.

    h = 2√u (forward),  h = ∛(3u) (central)           {eq}`eq-autodiff-best-step`

    ``scale`` is the distance over which the function changes. The complex step has no best h: smaller is
    never worse until h itself underflows.
    """
    unit = float(np.finfo(np.dtype(dtype)).eps) / 2
    return scale * (2 * unit**0.5 if method == "forward" else (3 * unit) ** (1 / 3))
