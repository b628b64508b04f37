"""Simpler functions that touch a function at a point: tangent plane, quadratic, Taylor polynomial."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.calculus.differences import (
    difference_gradient,
    difference_hessian,
    difference_jacobian,
)

__all__ = ["linear_model", "quadratic_model", "taylor_polynomial"]


@checked
def linear_model(f: Callable[[Any], Any], x0: Float[ndarray, "d"]) -> Callable[[Any], Any]:
    """The tangent plane of f at x₀, as a function; f may have several outputs.

    x ↦ f(x₀) + J(x − x₀)                             {eq}`eq-calculus-linear`
    """
    value, J = f(x0), bare(difference_jacobian)(f, x0)
    return lambda x: value + (J @ (x - x0)).reshape(np.shape(value))


@checked
def quadratic_model(f: Callable[[Any], Any], x0: Float[ndarray, "d"]) -> Callable[[Any], float]:
    """The second-order Taylor polynomial of f at x₀, as a function of x.

    x ↦ f(x₀) + ∇f(x₀)ᵀv + ½vᵀHv,  v = x − x₀         {eq}`eq-calculus-quadratic`
    """
    value, slope = f(x0), bare(difference_gradient)(f, x0)
    H = bare(difference_hessian)(f, x0)
    return lambda x: value + slope @ (x - x0) + 0.5 * (x - x0) @ H @ (x - x0)


@checked
def taylor_polynomial(
    derivatives: Float[ndarray, "K"], x0: float, x: Float[ndarray, "..."]
) -> Float[ndarray, "..."]:
    """The polynomial whose value and derivatives at x₀ are given, the value first.

    Σₖ f⁽ᵏ⁾(x₀) (x − x₀)ᵏ / k!                        {eq}`eq-calculus-taylor`
    """
    terms = [slope * (x - x0) ** k / math.factorial(k) for k, slope in enumerate(derivatives)]
    return np.asarray(sum(terms))
