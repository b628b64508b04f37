"""Slopes from values of a function at neighbouring points: along a direction, by every input, and twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked, require, unread
from chapters_src.core.readers import Ask, above, numeric_array
from chapters_src.core.shapes import Float, ndarray

__all__ = [
    "along_x",
    "central_difference",
    "difference_gradient",
    "difference_hessian",
    "difference_jacobian",
    "float_point",
    "forward_difference",
]


@unread
def float_point(ask: Ask, value: Any) -> Any:
    """Read a point: floats keep their precision, so that float32 stays float32; integers become float64."""
    point = numeric_array(ask, value)
    dtype = getattr(ask.given.get(ask.name), "dtype", np.dtype(np.float64))
    return point.astype(dtype if np.dtype(dtype).kind == "f" else np.float64)[()]


@unread
def along_x(ask: Ask, value: Any) -> Any:
    """Read a direction to move x in: 1, or an array in the shape of x."""
    x, direction = ask.arguments["x"], numeric_array(ask, value)
    if direction.shape not in ((), np.shape(x)):
        ask.fail(f"be 1 or have shape {np.shape(x)}, as x", direction.shape)
    return direction.astype(x.dtype)[()]


def _step(x: Any, h: float) -> Any:
    """h in the precision of x."""
    step = x.dtype.type(h)
    require(step, "h", f"be large enough for {x.dtype}", h)
    return step


@checked(x=float_point, h=above(0), direction=along_x)
def forward_difference(f: Callable[[Any], Any], x: Any, h: float, direction: Any = 1) -> Any:
    """The slope of a chord to one side, wrong by about ½h|f″| + 2u|f|/h, with u the rounding unit.

    (f(x + hv) − f(x)) / h                            {eq}`eq-calculus-differences`
    """
    h = _step(x, h)
    return (f(x + h * direction) - f(x)) / h


@checked(x=float_point, h=above(0), direction=along_x)
def central_difference(f: Callable[[Any], Any], x: Any, h: float, direction: Any = 1) -> Any:
    """The slope of a chord across x, wrong by about h²|f‴|/6 + u|f|/h.

    (f(x + hv) − f(x − hv)) / 2h                      {eq}`eq-calculus-differences`
    """
    h = _step(x, h)
    return (f(x + h * direction) - f(x - h * direction)) / (2 * h)


@checked(x=float_point, h=above(0))
def difference_gradient(
    f: Callable[[Any], Any],
    x: Any,
    h: float = 1e-6,
    difference: Callable[..., Any] = central_difference,
) -> Float[ndarray, "..."]:
    """∇f from one difference per entry of x, in the shape of x.

    (∇f)ᵢ = ∂f/∂xᵢ ≈ (f(x + heᵢ) − f(x − heᵢ)) / 2h    {eq}`eq-calculus-gradient`
    """
    gradient = np.empty_like(x)
    for index in np.ndindex(np.shape(x)):
        unit = np.zeros_like(x)
        unit[index] = 1
        slope = np.asarray(bare(difference)(f, x, h, unit))
        require(slope.size == 1, "what f returns", "be one number", f"shape {slope.shape}")
        gradient[index] = slope.item()
    return gradient


@checked(h=above(0))
def difference_jacobian(
    f: Callable[[Any], Any], x: Float[ndarray, "d"], h: float = 1e-6
) -> Float[ndarray, "m d"]:
    """The Jacobian, outputs × inputs: column j is how all outputs answer to input j.

    J = [∂f/∂x₁ … ∂f/∂x_d]                            {eq}`eq-calculus-jacobian`
    """
    return np.column_stack(
        [np.atleast_1d(bare(central_difference)(f, x, h, unit)) for unit in np.eye(len(x))]
    )


@checked(h=above(0))
def difference_hessian(
    f: Callable[[Any], Any], x: Float[ndarray, "d"], h: float = 1e-4
) -> Float[ndarray, "d d"]:
    """All second derivatives: the Jacobian of the gradient.

    Hᵢⱼ = ∂²f/∂xᵢ∂xⱼ                                  {eq}`eq-calculus-hessian`

    Two subtractions cost twice the digits, so h is larger than for a gradient.
    """
    return bare(difference_jacobian)(lambda point: bare(difference_gradient)(f, point, h), x, h)
