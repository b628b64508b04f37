"""Generalised linear models: choose what y is, and the loss, the link and the algorithm follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse
from chapters_src.core.fit import Fit
from chapters_src.core.newton import lowered
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.least_squares import least_squares
from chapters_src.models.logistic import CERTAIN, grows_for_ever, has_no_minimum, logit, sigmoid, softplus

__all__ = ["BERNOULLI", "FAMILIES", "GAUSSIAN", "POISSON", "Family", "fit_glm", "glm_gradient", "glm_loss"]

Elementwise = Callable[[Any], Any]


class Family(NamedTuple):
    """A distribution of y in its natural parameter a, p(y) = h(y)·exp(ya − A(a)), with its derivatives.

    A′(a) is the mean of y and A″(a) its variance       {eq}`eq-classification-family`
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


def _bernoulli_variance(a: Any) -> Any:
    p = sigmoid(a)
    return p * (1 - p)


GAUSSIAN = Family(
    "Gaussian", lambda a: a**2 / 2, lambda a: a, np.ones_like, lambda m: m, np.isfinite, "real numbers"
)
BERNOULLI = Family(
    "Bernoulli", softplus, sigmoid, _bernoulli_variance, logit, lambda y: (y == 0) | (y == 1), "0 and 1"
)
POISSON = Family(
    "Poisson", _exp, _exp, _exp, np.log, lambda y: (y >= 0) & (y == np.floor(y)), "counts 0, 1, 2, …"
)
FAMILIES = {family.name: family for family in (GAUSSIAN, BERNOULLI, POISSON)}


def _allowed(y: ndarray, family: Family) -> None:
    wrong = ~family.allows(y)
    if wrong.any():
        refuse("y", f"hold {family.support} for {family.name} outputs", f"{y[wrong][0]:g}")


@checked(ridge=at_least(0))
def glm_loss(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    theta: Float[ndarray, "d"],
    family: Family,
    ridge: float = 0.0,
) -> float:
    """The mean of −log p(yᵢ), without the part that does not depend on θ, plus a penalty.

    L(θ) = (1/n) [Σᵢ A(aᵢ) − yᵢaᵢ + ½λ‖θ‖²],  a = Xθ   {eq}`eq-classification-glm`
    """
    _allowed(y, family)
    return _loss(X, y, theta, family, ridge)


def _loss(X: ndarray, y: ndarray, theta: ndarray, family: Family, ridge: float) -> float:
    a = X @ theta
    return float((family.log_partition(a) - y * a).sum() + 0.5 * ridge * theta @ theta) / len(X)


@checked(ridge=at_least(0))
def glm_gradient(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    theta: Float[ndarray, "d"],
    family: Family,
    ridge: float = 0.0,
) -> Float[ndarray, "d"]:
    """The gradient of `glm_loss`: predicted minus true, whatever the family.

    ∇L(θ) = (1/n) [Xᵀ(A′(Xθ) − y) + λθ]               {eq}`eq-classification-glm`
    """
    _allowed(y, family)
    return (X.T @ (family.mean(X @ theta) - y) + ridge * theta) / len(X)


@checked(ridge=at_least(0), steps=at_least(1), tolerance=at_least(0))
def fit_glm(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    family: Family,
    ridge: float = 0.0,
    steps: int = 50,
    tolerance: float = 1e-8,
) -> Fit:
    """Minimise `glm_loss` by least squares again and again, on a response and weights that follow the fit.

    θₜ₊₁ = argmin Σᵢ wᵢ(rᵢ − xᵢᵀθ)² + λ‖θ‖²,  w = A″(a),  r = a + (y − A′(a))/w   {eq}`eq-classification-irls`

    This is Newton's method, written so that `least_squares` can do the work. It starts where each mean is
    half way between yᵢ and the mean of y. A step that raises the loss is halved. As for `fit_logistic`,
    ``converged`` is False where the loss has no minimum.
    """
    _allowed(y, family)
    middle = (y + y.mean()) / 2
    if np.ptp(y) == 0 and (family.name == "Bernoulli" or (family.name == "Poisson" and y[0] == 0)):
        refuse("y", "vary, or the best parameters may be infinite", f"{y[0]:g} throughout")
    theta = _weighted_step(X, y, family.link(middle), family, ridge)
    losses, converged = [_loss(X, y, theta, family, ridge)], False
    unit = np.sqrt((X**2).mean(axis=0))  # θⱼ in units of its feature, whatever that is measured in
    while not converged and len(losses) <= steps:
        with np.errstate(invalid="ignore"):
            step = _weighted_step(X, y, X @ theta, family, ridge) - theta
            there, height = theta + step, losses[-1]
            lower = _loss(X, y, there, family, ridge)
            while not lowered(height, lower, 0.0) and np.abs(unit * step).max() > 1e-12:
                step = step / 2
                there = theta + step
                lower = _loss(X, y, there, family, ridge)
        converged = bool(np.abs(unit * step).max() <= tolerance * (1 + np.abs(unit * theta).max()))
        theta = there
        losses.append(lower)
    endless = ridge == 0 and _endless(X, y, theta, family)
    return Fit(theta, np.array(losses), converged and not endless, len(losses) - 1)


def _endless(X: ndarray, y: ndarray, theta: ndarray, family: Family) -> bool:
    """Whether the loss falls for ever: a plane between yes and no, or one beyond which all counts are 0."""
    a = X @ theta
    if family.name == "Bernoulli":
        return has_no_minimum(X, y, theta, 0.0)
    if family.name == "Poisson":
        return bool(a.min() < -CERTAIN) and grows_for_ever(-X[y == 0], level=X[y > 0])
    return False


def _weighted_step(X: ndarray, y: ndarray, a: ndarray, family: Family, ridge: float) -> ndarray:
    w = np.maximum(family.variance(a), 1e-300)  # a certain row has no weight, and no pull either
    root = np.sqrt(w)
    return least_squares(root[:, None] * X, root * a + (y - family.mean(a)) / root, ridge)
