"""The flow that gradient descent follows more closely than its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, at_least, between
from chapters_src.core.shapes import Float, ndarray

__all__ = ["descended", "flowed", "modified_gradient"]

Field = Callable[[Any], Any]


@checked(eta=at_least(0))
def modified_gradient(gradient: Field, hessian: Field, eta: float) -> Field:
    """The gradient of the loss that descent with rate η goes down, up to terms in η².

    ∇(L + (η/4)‖∇L‖²) = g + (η/2) H g                  {eq}`eq-regularisation-modified`
    """
    return lambda theta: (g := gradient(theta)) + eta / 2 * hessian(theta) @ g


@checked(eta=above(0), steps=at_least(0))
def descended(gradient: Field, theta: Float[ndarray, "d"], eta: float, steps: int) -> Float[ndarray, "d"]:
    """Where so many steps of gradient descent end."""
    for _ in range(steps):
        theta = theta - eta * gradient(theta)
    return theta


@checked(duration=between(0, 1e6))
def flowed(gradient: Field, theta: Float[ndarray, "d"], duration: float) -> Float[ndarray, "d"]:
    """Where dθ/dt = −gradient(θ) is after this time."""
    down = lambda _, at: -np.asarray(gradient(at))  # noqa: E731
    return solve_ivp(down, (0, duration), theta, rtol=1e-10, atol=1e-12).y[:, -1]
