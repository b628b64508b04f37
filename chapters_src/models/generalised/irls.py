"""Fitting a generalised linear model by least squares, again and again, and how far to trust the answer."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.fit import Fit
from chapters_src.core.newton import lowered
from chapters_src.core.readers import above, at_least, squares_that_last
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.generalised.families import (
    Family,
    natural_parameter,
    only_possible,
    penalised_loss,
)
from chapters_src.models.least_squares import least_squares
from chapters_src.models.logistic import grows_for_ever, has_no_minimum, may_run_away

__all__ = ["dispersion", "fit_glm", "glm_standard_errors"]


def reweighted_step(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    a: Float[ndarray, "n"],
    family: Family,
    ridge: float = 0.0,
    offset: Float[ndarray, "n"] | None = None,
) -> Float[ndarray, "d"]:
    """The θ of one weighted least-squares fit, from the natural parameters of the moment.

    argmin Σᵢ wᵢ(rᵢ − xᵢᵀθ)² + λ‖θ‖²,  w = A″(a),  r = a + (y − A′(a))/w   {eq}`eq-generalised-irls`
    """
    known = 0.0 if offset is None else offset
    w = np.maximum(family.variance(a), 1e-300)  # a certain row has no weight, and no pull either
    root = np.sqrt(w)
    return least_squares(root[:, None] * X, root * (a - known) + (y - family.mean(a)) / root, ridge)


@checked(X=squares_that_last, ridge=at_least(0), steps=at_least(1), tolerance=at_least(0))
def fit_glm(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    family: Family,
    ridge: float = 0.0,
    steps: int = 50,
    tolerance: float = 1e-8,
    offset: Float[ndarray, "n"] | None = None,
) -> Fit:
    """Minimise `glm_loss` by `reweighted_step` until θ stands still; a step that raises the loss is halved.

    θₜ₊₁ = argmin Σᵢ wᵢ(rᵢ − xᵢᵀθ)² + λ‖θ‖²               {eq}`eq-generalised-irls`

    It starts where each mean is half way between yᵢ and the mean of y. ``converged`` is False where the loss
    has no minimum.
    """
    only_possible(y, family)
    if np.ptp(y) == 0 and (family.name == "Bernoulli" or (family.name == "Poisson" and y[0] == 0)):
        refuse("y", "vary, or the best parameters may be infinite", f"{y[0]:g} throughout")
    theta = reweighted_step(X, y, family.link((y + y.mean()) / 2), family, ridge, offset)
    losses, converged = [penalised_loss(X, y, theta, family, ridge, offset)], False
    unit = np.sqrt((X**2).mean(axis=0))  # θⱼ in units of its feature, whatever that is measured in
    while not converged and len(losses) <= steps:
        a = natural_parameter(X, theta, offset)
        step = reweighted_step(X, y, a, family, ridge, offset) - theta
        lower = penalised_loss(X, y, theta + step, family, ridge, offset)
        while not lowered(losses[-1], lower, 0.0) and np.abs(unit * step).max() > 1e-12:
            step = step / 2
            lower = penalised_loss(X, y, theta + step, family, ridge, offset)
        converged = bool(np.abs(unit * step).max() <= tolerance * (1 + np.abs(unit * theta).max()))
        theta = theta + step
        losses.append(lower)
    endless = ridge == 0 and _endless(X, y, natural_parameter(X, theta, offset), theta, family, tolerance)
    return Fit(theta, np.array(losses), converged and not endless, len(losses) - 1)


def _endless(X: ndarray, y: ndarray, a: ndarray, theta: ndarray, family: Family, tolerance: float) -> bool:
    """Whether the loss falls for ever: a plane between yes and no, or one beyond which all counts are 0."""
    if family.name == "Bernoulli":
        return has_no_minimum(X, y, theta, 0.0, tolerance)
    if family.name == "Poisson":
        return may_run_away(-a.min(), tolerance) and grows_for_ever(-X[y == 0], level=X[y > 0])
    return False


@checked
def dispersion(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    theta: Float[ndarray, "d"],
    family: Family,
    offset: Float[ndarray, "n"] | None = None,
) -> float:
    """How many times larger the scatter about the fit is than the family says: near 1 if the family is right.

    φ̂ = 1/(n − d) · Σᵢ (yᵢ − A′(aᵢ))² / A″(aᵢ)               {eq}`eq-generalised-dispersion`
    """
    n, d = X.shape
    require(n > d, "X", "have more rows than columns", f"shape {X.shape}")
    a = natural_parameter(X, theta, offset)
    return float(((y - family.mean(a)) ** 2 / family.variance(a)).sum() / (n - d))


@checked(phi=above(0))
def glm_standard_errors(
    X: Float[ndarray, "n d"],
    theta: Float[ndarray, "d"],
    family: Family,
    offset: Float[ndarray, "n"] | None = None,
    phi: float = 1.0,
) -> Float[ndarray, "d"]:
    """How far each fitted parameter would vary from sample to sample, for large n and a true model.

    se(θ̂ⱼ) = √(φ [(Xᵀ diag(A″(a)) X)⁻¹]ⱼⱼ)                  {eq}`eq-generalised-errors`
    """
    w = family.variance(natural_parameter(X, theta, offset))
    information = (X.T * w) @ X
    singular = not np.linalg.cond(information) <= 1e14
    require(not singular, "X", "have independent columns and variances above 0", "a singular Hessian")
    return np.sqrt(phi * np.diag(np.linalg.inv(information)))
