"""Least squares: the coefficients that miss least when "least" means squared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.least_squares.fast import triangle

__all__ = [
    "Descent",
    "fit_gradient_descent",
    "gaussian_log_likelihood",
    "least_squares",
    "mean_squared_error",
    "mean_squared_error_gradient",
    "mean_squared_error_hessian",
    "noise_variance",
    "normal_equations",
    "polynomial_features",
    "r_squared",
    "step_size_bound",
    "sum_squared_error",
    "with_bias",
]


def with_bias(X: Float[ndarray, "n d"]) -> Float[ndarray, "n d+1"]:
    """Put a column of ones first, so that θ₀ needs no treatment of its own.

    x̃ = (1, x₁, …, x_d)                               {eq}`eq-least-squares-bias`
    """
    X = checks.matrix("with_bias", "X", X)
    return np.column_stack([np.ones(len(X)), X])


def polynomial_features(x: Float[ndarray, "n"], degree: int) -> Float[ndarray, "n {degree}+1"]:
    """The powers of x as columns: a polynomial is linear in its coefficients.

    φ(x) = (x⁰, x¹, …, x^K),  K = ``degree``          {eq}`eq-least-squares-polynomial`
    """
    x = checks.vector("polynomial_features", "x", x)
    degree = checks.integer("polynomial_features", "degree", degree, at_least=0)
    with np.errstate(over="ignore"):
        powers = np.vander(x, degree + 1, increasing=True)
    if not np.isfinite(powers[:, -1]).all():
        checks.fail("polynomial_features", "degree", "keep every power of x finite", degree)
    return powers


def _problem(
    function: str, X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"]
) -> tuple[Float[ndarray, "n d"], Float[ndarray, "n *k"]]:
    X = checks.matrix(function, "X", X)
    return X, checks.vector_or_matrix(function, "y", y, rows=len(X), per="row of X")


def _residual(
    function: str, X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], theta: Float[ndarray, "d *k"]
) -> tuple[Float[ndarray, "n d"], Float[ndarray, "n *k"]]:
    """X and Xθ − y, with nothing broadcast: y of shape (n,) against Xθ of shape (n, 1) would be (n, n)."""
    X, y = _problem(function, X, y)
    theta = checks.array(function, "theta", theta)
    expected = (X.shape[1], *y.shape[1:])
    if theta.shape != expected:
        outputs = ", one column per column of y" if y.ndim == 2 else ""
        checks.fail(function, "theta", f"have shape {expected}, one per column of X{outputs}", theta.shape)
    return X, X @ theta - y


def sum_squared_error(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], theta: Float[ndarray, "d *k"]
) -> float:
    """The squared errors of all examples and outputs, added up.

    S(θ) = ‖Xθ − y‖²                                  {eq}`eq-least-squares-sum`
    """
    _, error = _residual("sum_squared_error", X, y, theta)
    return float(np.sum(error**2))


def mean_squared_error(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], theta: Float[ndarray, "d *k"]
) -> float:
    """The squared error of an average example, its outputs added up.

    L(θ) = ‖Xθ − y‖² / n                              {eq}`eq-least-squares-sum`

    Same minimiser as the sum, but another gradient: a learning rate that suits one does not suit the other.
    """
    X, error = _residual("mean_squared_error", X, y, theta)
    return float(np.sum(error**2)) / len(X)


def mean_squared_error_gradient(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], theta: Float[ndarray, "d *k"]
) -> Float[ndarray, "d *k"]:
    """The gradient of the mean squared error, in the shape of θ.

    ∇L(θ) = (2/n) Xᵀ(Xθ − y)                          {eq}`eq-least-squares-gradient`

    Xθ − y comes first: two products with X cost 4nd, while XᵀX alone would cost 2nd².
    """
    X, error = _residual("mean_squared_error_gradient", X, y, theta)
    return 2.0 / len(X) * (X.T @ error)


def mean_squared_error_hessian(X: Float[ndarray, "n d"]) -> Float[ndarray, "d d"]:
    """The second derivatives of the mean squared error, the same at every θ.

    ∇²L = (2/n) XᵀX                                   {eq}`eq-least-squares-hessian`
    """
    X = checks.matrix("mean_squared_error_hessian", "X", X)
    return 2.0 / len(X) * (X.T @ X)


def least_squares(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], ridge: float = 0.0
) -> Float[ndarray, "d *k"]:
    """Minimise ‖Xθ − y‖² + λ‖θ‖² exactly, with λ = ``ridge``; the shortest such θ if there are several.

    θ̂ = (XᵀX + λI)⁻¹Xᵀy = V diag(s / (s² + λ)) Uᵀy,  X = U diag(s) Vᵀ      {eq}`eq-least-squares-ridge`

    The singular values are those of a `triangle`, not of XᵀX, because forming XᵀX squares the condition
    number.
    """
    X, y = _problem("least_squares", X, y)
    ridge = checks.number("least_squares", "ridge", ridge, at_least=0)
    R, z = triangle(X, y)
    U, s, Vt = np.linalg.svd(R, full_matrices=False)
    # What rounding alone could have produced counts as zero, as numpy.linalg.lstsq has it.
    keep = s > np.finfo(float).eps * max(X.shape) * s[0]
    s = s[keep]
    return Vt[keep].T @ ((U[:, keep] / (s + ridge / s)).T @ z)


def normal_equations(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], ridge: float = 0.0
) -> Float[ndarray, "d *k"]:
    """Solve the normal equations as they stand: short, quick, and wrong for nearly dependent columns.

    (XᵀX + λI) θ = Xᵀy                                {eq}`eq-least-squares-normal`

    With cond(X) = 10⁸ no digit is left, because cond(XᵀX) = cond(X)². Kept to show that; use `least_squares`.
    """
    X, y = _problem("normal_equations", X, y)
    ridge = checks.number("normal_equations", "ridge", ridge, at_least=0)
    d = X.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        square, product = X.T @ X, X.T @ y
    if not (np.isfinite(square).all() and np.isfinite(product).all()):
        checks.fail(
            "normal_equations", "X", "be small enough to square", f"a largest entry of {np.abs(X).max():g}"
        )
    try:
        return np.linalg.solve(square + ridge * np.eye(d), product)
    except np.linalg.LinAlgError:
        rank = np.linalg.matrix_rank(X)
        rule = "have independent columns, because XᵀX is singular otherwise and has no inverse"
        nearly = ", but nearly dependent ones" if rank == d else ""
        checks.fail("normal_equations", "X", rule, f"rank {rank} with {d} columns{nearly}")


def step_size_bound(X: Float[ndarray, "n d"]) -> float:
    """The learning rate from which on gradient descent on the mean squared error no longer converges.

    η < 2 / λ_max(∇²L) = n / σ_max(X)²                {eq}`eq-least-squares-bound`
    """
    X = checks.matrix("step_size_bound", "X", X)
    if not X.any():
        checks.fail("step_size_bound", "X", "have an entry other than 0, or every step size will do", "zeros")
    R, _ = triangle(X, np.zeros(len(X)))
    largest = float(np.linalg.norm(R, 2))
    return len(X) / largest / largest


class Descent(NamedTuple):
    """What gradient descent did: where it ended, and every θ and loss on the way, the start included."""

    theta: Float[ndarray, "d"]
    path: Float[ndarray, "t d"]
    losses: Float[ndarray, "t"]
    converged: bool
    steps: int


def fit_gradient_descent(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    learning_rate: float,
    steps: int = 15_000,
    tolerance: float = 1e-20,
    theta: Float[ndarray, "d"] | None = None,
) -> Descent:
    """Walk down the mean squared error from ``theta`` (zeros unless said) until a step gets tiny.

    θₜ₊₁ = θₜ − η∇L(θₜ),  until ‖θₜ₊₁ − θₜ‖² < ε       {eq}`eq-least-squares-descent`

    A learning rate above `step_size_bound` makes θ grow until it overflows; the walk then ends at the last
    finite θ with ``converged`` False.
    """
    name = "fit_gradient_descent"
    X = checks.matrix(name, "X", X)
    n, d = X.shape
    y = checks.vector(name, "y", y, length=n, per="row of X")
    eta = checks.number(name, "learning_rate", learning_rate, above=0)
    steps = checks.integer(name, "steps", steps, at_least=1)
    tolerance = checks.number(name, "tolerance", tolerance, at_least=0)
    start = np.zeros(d) if theta is None else theta
    here = checks.vector(name, "theta", start, length=d, per="column of X")
    error = X @ here - y
    path, losses, converged = [here], [float(error @ error) / n], False
    with np.errstate(over="ignore", invalid="ignore"):
        while not converged and len(path) <= steps:
            step = -eta * (2.0 / n) * (X.T @ error)
            here = here + step
            error = X @ here - y
            loss = float(error @ error) / n
            if not (np.isfinite(loss) and np.isfinite(here).all()):
                break
            path.append(here)
            losses.append(loss)
            converged = bool(step @ step < tolerance)
    return Descent(path[-1].copy(), np.array(path), np.array(losses), converged, len(path) - 1)


def r_squared(y: Float[ndarray, "n"], y_hat: Float[ndarray, "n"]) -> float:
    """The share of the variation of y that the predictions explain; negative if the mean of y does better.

    R² = 1 − Σᵢ(yᵢ − ŷᵢ)² / Σᵢ(yᵢ − ȳ)²               {eq}`eq-least-squares-r-squared`
    """
    y = checks.vector("r_squared", "y", y)
    y_hat = checks.vector("r_squared", "y_hat", y_hat, length=len(y), per="entry of y")
    if np.ptp(y) == 0:
        checks.fail("r_squared", "y", "vary, or there is nothing to explain", f"{y[0]:g} throughout")
    return 1.0 - float(np.sum((y - y_hat) ** 2) / np.sum((y - y.mean()) ** 2))


def noise_variance(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], theta: Float[ndarray, "d *k"]
) -> float:
    """The noise variance under which y is most likely, given θ: the mean of the squared residuals.

    σ̂² = (1/n) Σᵢ(yᵢ − xᵢᵀθ)²                         {eq}`eq-least-squares-variance`

    Divided by n, not by n − d, so too small on average where θ was fitted to the same data.
    """
    _, error = _residual("noise_variance", X, y, theta)
    return float(np.mean(error**2))


def gaussian_log_likelihood(y: Float[ndarray, "n"], y_hat: Float[ndarray, "n"], variance: float) -> float:
    """The log-density of y, in nats, when y is ŷ plus independent Gaussian noise.

    ℓ = Σᵢ [−½ log 2πσ² − (yᵢ − ŷᵢ)² / 2σ²]           {eq}`eq-least-squares-likelihood`
    """
    name = "gaussian_log_likelihood"
    y = checks.vector(name, "y", y)
    y_hat = checks.vector(name, "y_hat", y_hat, length=len(y), per="entry of y")
    variance = checks.number(name, "variance", variance, above=0)
    squares = float(np.sum((y - y_hat) ** 2))
    return -0.5 * len(y) * float(np.log(2 * np.pi * variance)) - squares / (2 * variance)
