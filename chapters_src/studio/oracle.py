"""Derivatives that do not come from the algebra they check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

COMPLEX_STEP = 1e-30  # nothing is subtracted, so the step may be far below rounding


def autograd_gradient(f: Callable[..., Any], x: Any, *constants: Any) -> np.ndarray:
    """∇f at x by reverse-mode differentiation in float64; it has the shape of x.

    ``f(x, *constants)`` is called with float64 tensors, so it must use operators and methods that torch has
    (``@``, ``.sum()``, ``.T``, ``.exp()``) and return one number.
    """
    import torch

    point, value = _traced("autograd_gradient", f, x, constants)
    return np.asarray(torch.autograd.grad(value, point)[0].numpy())


def autograd_hessian(f: Callable[..., Any], x: Any, *constants: Any) -> np.ndarray:
    """∇²f at x by differentiating twice in float64; for x of shape (d,) it is (d, d)."""
    import torch

    _traced("autograd_hessian", f, x, constants)
    fixed = [_tensor(constant) for constant in constants]
    hessian: Any = torch.autograd.functional.hessian(lambda t: f(t, *fixed).reshape(()), _tensor(x))
    return np.asarray(hessian.numpy())


def complex_step_gradient(f: Callable[..., Any], x: Any, *constants: Any) -> np.ndarray:
    """∇f at x from ∂f/∂xᵢ = Im f(x + ih eᵢ)/h: exact to rounding, because nothing is subtracted.

    f must be analytic numpy code: no ``abs``, ``norm``, ``conj`` or comparison.
    """
    point = _point("complex_step_gradient", x).astype(complex)
    gradient = np.empty(point.shape)
    for index in np.ndindex(point.shape):
        moved = point.copy()
        moved[index] += 1j * COMPLEX_STEP
        value = np.asarray(f(moved, *constants))
        if value.size != 1 or not np.iscomplexobj(value):
            raise ValueError(
                "complex_step_gradient: f must be analytic in x and return one number; "
                f"got shape {value.shape}, {value.dtype}"
            )
        gradient[index] = value.item().imag / COMPLEX_STEP
    return gradient


def finite_difference_gradient(
    f: Callable[..., Any], x: Any, *constants: Any, step: float = 2.0**-5
) -> np.ndarray:
    """∇f at x from central differences at h, h/2 and h/4, with h = ``step`` · max(1, |xᵢ|).

    Richardson's combination cancels the h² and h⁴ terms of the error, so that h can be large and little is
    lost to rounding: about 12 digits for a smooth f. Take a smaller step near the edge of f's domain.
    """
    point = _point("finite_difference_gradient", x)
    if not step > 0:
        raise ValueError(f"finite_difference_gradient: step must be positive; got {step}")

    def slope(index: tuple[int, ...], h: float) -> float:
        up, down = point.copy(), point.copy()
        up[index] += h
        down[index] -= h
        # the step that was really taken, after rounding
        return float((f(up, *constants) - f(down, *constants)) / (up[index] - down[index]))

    gradient = np.empty(point.shape)
    for index in np.ndindex(point.shape):
        h = step * max(1.0, abs(float(point[index])))
        coarse, middle, fine = (slope(index, h / k) for k in (1, 2, 4))
        first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
        gradient[index] = (16 * second - first) / 15
    if not np.isfinite(gradient).all():
        raise ValueError(
            "finite_difference_gradient: f must be finite around x; take a smaller step; got NaN or inf"
        )
    return gradient


def _point(caller: str, x: Any) -> np.ndarray:
    point = np.array(x, dtype=float)
    if point.size == 0 or not np.isfinite(point).all():
        raise ValueError(f"{caller}: x must be finite and not empty; got {x!r}")
    return point


def _tensor(value: Any) -> Any:
    import torch

    return torch.tensor(np.array(value, dtype=float))


def _traced(caller: str, f: Callable[..., Any], x: Any, constants: tuple[Any, ...]) -> tuple[Any, Any]:
    point = _tensor(_point(caller, x)).requires_grad_()
    value = f(point, *map(_tensor, constants))
    if not getattr(value, "requires_grad", False):
        raise ValueError(f"{caller}: f must depend on x through torch operations; got {type(value).__name__}")
    if value.numel() != 1:
        raise ValueError(f"{caller}: f must return one number; got shape {tuple(value.shape)}")
    return point, value
