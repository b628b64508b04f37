"""Numerical differentiation: the step that suits a difference, and a step that needs no subtraction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import above, one_of
from chapters_src.foundations.calculus import (
    along_x,
    central_difference,
    float_point,
    forward_difference,
)

__all__ = ["METHODS", "best_step", "complex_step"]


@checked(x=float_point, h=above(0), direction=along_x)
def complex_step(f: Callable[[Any], Any], x: Any, h: float, direction: Any = 1) -> Any:
    """A step into the complex plane: nothing is subtracted, so h may be tiny and the error is h²|f‴|/6 alone.

    Im f(x + ihv) / h                                 {eq}`eq-autodiff-complex-step`

    f has to be analytic: no `abs`, no comparison, no conjugate.
    """
    step = x.dtype.type(h)
    if not step:
        refuse("h", f"be large enough for {x.dtype}", h)
    value = np.asarray(f(x + 1j * step * direction))
    if not np.iscomplexobj(value):
        refuse("f", "carry complex numbers through", f"values of type {value.dtype}")
    return value.imag[()] / step


METHODS: dict[str, Callable[..., Any]] = {
    "forward": forward_difference,
    "central": central_difference,
    "complex step": complex_step,
}


@checked(method=one_of(("forward", "central")), scale=above(0))
def best_step(method: str, dtype: Any = np.float64, scale: float = 1.0) -> float:
    """The h at which truncation and rounding are about equal, for a function with derivatives of size 1.

    h = 2√u (forward),  h = ∛(3u) (central)           {eq}`eq-autodiff-best-step`

    ``scale`` is the distance over which the function changes. The complex step has no best h: smaller is
    never worse until h itself underflows.
    """
    unit = float(np.finfo(np.dtype(dtype)).eps) / 2
    return scale * (2 * unit**0.5 if method == "forward" else (3 * unit) ** (1 / 3))
