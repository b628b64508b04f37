"""Exponential families: choose what y can be; mean, variance, loss and gradient follow from one function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.logistic import logit, sigmoid, softplus

__all__ = [
    "BERNOULLI",
    "GAUSSIAN",
    "POISSON",
    "Family",
    "glm_loss",
]

Elementwise = Callable[[Any], Any]


class Family(NamedTuple):
    """A distribution of y in its natural parameter a, p(y) = h(y)·exp(ya − A(a)), with its derivatives.

    A′(a) is the mean of y and A″(a) its variance       {eq}`eq-generalised-variance`
    """

    name: str
    log_partition: Elementwise  # A
    mean: Elementwise  # A′, the inverse link
    variance: Elementwise  # A″
    link: Elementwise  # the inverse of A′
    allows: Elementwise  # which y can occur
    support: str


def _exp(a: Any) -> Any:
    with np.errstate(over="ignore"):  # a step too far is noticed by its infinite loss, and halved
        return np.exp(a)


def _half_square(a: Any) -> Any:
    with np.errstate(over="ignore"):
        return a**2 / 2


def _bernoulli_variance(a: Any) -> Any:
    p = sigmoid(a)
    return p * (1 - p)


GAUSSIAN = Family(
    "Gaussian", _half_square, lambda a: a, np.ones_like, lambda m: m, np.isfinite, "real numbers"
)
BERNOULLI = Family(
    "Bernoulli", softplus, sigmoid, _bernoulli_variance, logit, lambda y: (y == 0) | (y == 1), "0 and 1"
)
POISSON = Family(
    "Poisson", _exp, _exp, _exp, np.log, lambda y: (y >= 0) & (y == np.floor(y)), "counts 0, 1, 2, …"
)


def only_possible(y: Float[ndarray, "n"], family: Family) -> None:
    """Refuse outputs that the family gives no probability to."""
    wrong = ~family.allows(y)
    if wrong.any():
        refuse("y", f"hold {family.support} for {family.name} outputs", f"{y[wrong][0]:g}")


def natural_parameter(
    X: Float[ndarray, "n d"], theta: Float[ndarray, "d"], offset: Float[ndarray, "n"] | None
) -> Float[ndarray, "n"]:
    """The linear model, plus what is known beforehand of each row: a = Xθ + offset."""
    return X @ theta if offset is None else X @ theta + offset


@checked(ridge=at_least(0))
def glm_loss(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    theta: Float[ndarray, "d"],
    family: Family,
    ridge: float = 0.0,
    offset: Float[ndarray, "n"] | None = None,
) -> float:
    """The mean of −log p(yᵢ), without the part that does not depend on θ, plus a penalty.

    L(θ) = (1/n) [Σᵢ A(aᵢ) − yᵢaᵢ + ½λ‖θ‖²],  a = Xθ + offset   {eq}`eq-generalised-loss`
    """
    only_possible(y, family)
    return penalised_loss(X, y, theta, family, ridge, offset)


def penalised_loss(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    theta: Float[ndarray, "d"],
    family: Family,
    ridge: float,
    offset: Float[ndarray, "n"] | None,
) -> float:
    """`glm_loss` of arguments that have been read; infinite where a step went much too far."""
    a = natural_parameter(X, theta, offset)
    with np.errstate(over="ignore", invalid="ignore"):
        return float((family.log_partition(a) - y * a).sum() + 0.5 * ridge * theta @ theta) / len(X)
