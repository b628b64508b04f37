"""Variational inference by climbing the bound, on posteriors that are not Gaussian: two modes, a banana."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray

__all__ = [
    "Banana",
    "GaussianFit",
    "GridPosterior",
    "banana",
    "fit_gaussian",
    "grid_posterior",
]

LOG_2PI = float(np.log(2 * np.pi))
MOST_NODES = 20_000

Density = Callable[[Float[ndarray, "m d"]], Float[ndarray, "m"]]
Gradient = Callable[[Float[ndarray, "m d"]], Float[ndarray, "m d"]]


class Banana(NamedTuple):
    """A bent posterior: z ~ N(0, τ²I) in the plane, x | z ~ N(z₂ + cz₁², σ²); made by `banana`.

    Its functions take the rows of z, shape (m, 2).
    """

    x: float
    bend: float
    variance: float
    prior_variance: float

    def log_joint(self, z: Float[ndarray, "m 2"]) -> Float[ndarray, "m"]:
        """log p(x, z), which is the log posterior but for log p(x)."""
        z = checks.matrix("Banana.log_joint", "z", z, columns=2)
        miss = self.x - z[:, 1] - self.bend * z[:, 0] ** 2
        likelihood = -0.5 * (LOG_2PI + np.log(self.variance) + miss**2 / self.variance)
        return likelihood - LOG_2PI - np.log(self.prior_variance) - (z**2).sum(1) / (2 * self.prior_variance)

    def gradient(self, z: Float[ndarray, "m 2"]) -> Float[ndarray, "m 2"]:
        """∇_z log p(x, z)."""
        z = checks.matrix("Banana.gradient", "z", z, columns=2)
        pull = (self.x - z[:, 1] - self.bend * z[:, 0] ** 2) / self.variance
        return np.column_stack([2 * self.bend * z[:, 0] * pull, pull]) - z / self.prior_variance


def banana(x: float = 1.0, bend: float = 0.5, variance: float = 0.25, prior_variance: float = 4.0) -> Banana:
    """See one number, z₂ + cz₁² plus noise, and ask for both z: a curve of them explains it.

    log p(x, z) = log N(x; z₂ + cz₁², σ²) + log N(z; 0, τ²I)
    """
    return Banana(
        checks.number("banana", "x", x),
        checks.number("banana", "bend", bend),
        checks.number("banana", "variance", variance, above=0),
        checks.number("banana", "prior_variance", prior_variance, above=0),
    )


class GridPosterior(NamedTuple):
    """The evidence and the first two moments of a posterior, by brute force."""

    log_evidence: float
    mean: Float[ndarray, "d"]
    covariance: Float[ndarray, "d d"]
    evaluations: int


def grid_posterior(
    log_joint: Density, low: Float[ndarray, "d"], high: Float[ndarray, "d"], points: int = 400
) -> GridPosterior:
    """Add up the joint density on a grid: exact to rounding in one or two dimensions, hopeless in ten.

    p(x) = Σ p(x, zᵢ) Δz

    The sum converges faster than any power of the spacing, if the density is smooth and gone at the edges.
    """
    name = "grid_posterior"
    low = checks.vector(name, "low", low)
    high = checks.vector(name, "high", high, length=len(low), per="entry of low")
    if not (low < high).all():
        checks.fail(name, "high", "be above low in every entry", high.tolist())
    points = checks.integer(name, "points", points, at_least=3)
    if points ** len(low) > 4_000_000:
        checks.fail(name, "points", "leave at most 4,000,000 places on the grid", points)
    axes = [np.linspace(a, b, points) for a, b in zip(low, high, strict=True)]
    z = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(low))
    values = _values(name, log_joint, z)
    top = values.max()
    weights = np.exp(values - top)
    total = weights.sum()
    weights = weights / total
    mean = weights @ z
    cell = float(np.prod((high - low) / (points - 1)))
    off = z - mean
    return GridPosterior(
        float(top + np.log(total * cell)), mean, (weights[:, None] * off).T @ off, len(values)
    )


def _values(function: str, log_joint: Density, z: Float[ndarray, "m d"]) -> Float[ndarray, "m"]:
    if not callable(log_joint):
        checks.fail(function, "log_joint", "be a function of rows of z", f"a {type(log_joint).__name__}")
    return checks.vector(function, "log_joint(z)", log_joint(z), length=len(z), per="row of z")


class GaussianFit(NamedTuple):
    """The Gaussian with the largest bound near the start, what it took, and every one on the way."""

    mean: Float[ndarray, "d"]
    covariance: Float[ndarray, "d d"]
    elbo: float
    evaluations: int
    means: Float[ndarray, "t d"]
    covariances: Float[ndarray, "t d d"]
    elbos: Float[ndarray, "t"]
    counts: Float[ndarray, "t"]


def fit_gaussian(
    log_joint: Density,
    gradient: Gradient,
    mean: Float[ndarray, "d"],
    covariance: Float[ndarray, "d d"],
    points: int = 5,
    independent: bool = False,
    steps: int = 200,
) -> GaussianFit:
    """Climb the ELBO over q = N(μ, LLᵀ) from a start, with L-BFGS and exact gradients.

    ELBO(μ, L) = E_ε[log p(x, μ + Lε)] + Σⱼ log Lⱼⱼ + d/2 log 2πe
    ∇_μ = E[g],  ∇_L = E[gεᵀ] + diag(1/Lⱼⱼ),  g = ∇ log p(x, μ + Lε)      {eq}`eq-elbo-reparameterised`

    ε ~ N(0, I) does not depend on what is optimised, so the gradient goes inside the expectation, which is a
    product of Gauss–Hermite rules with ``points`` nodes a dimension. ``independent`` keeps L diagonal. A
    value and a gradient count as one evaluation each.
    """
    name = "fit_gaussian"
    for argument, function in (("log_joint", log_joint), ("gradient", gradient)):
        if not callable(function):
            checks.fail(name, argument, "be a function of rows of z", f"a {type(function).__name__}")
    mean = checks.vector(name, "mean", mean)
    d = len(mean)
    covariance = checks.matrix(name, "covariance", covariance, rows=d, columns=d)
    points = checks.integer(name, "points", points, at_least=2, at_most=100)
    steps = checks.integer(name, "steps", steps, at_least=1)
    if points**d > MOST_NODES:
        checks.fail(name, "points", f"leave at most {MOST_NODES:,} nodes in {d} dimensions", points)
    slack = 1e-12 * float(np.abs(covariance).max())
    symmetric = np.allclose(covariance, covariance.T, rtol=1e-9, atol=slack)
    if not (symmetric and np.linalg.eigvalsh(covariance)[0] > 0):
        checks.fail(name, "covariance", "be symmetric and positive definite", "a matrix that is not")
    eps, weights = _nodes(points, d)
    rows, columns = np.diag_indices(d) if independent else np.tril_indices(d)
    diagonal = rows == columns
    root = np.linalg.cholesky(covariance)
    count = 0

    def unpack(theta: ndarray) -> tuple[ndarray, ndarray]:
        L = np.zeros((d, d))
        L[rows, columns] = np.where(diagonal, np.exp(np.where(diagonal, theta[d:], 0.0)), theta[d:])
        return theta[:d], L

    def negative(theta: ndarray) -> tuple[float, ndarray]:
        nonlocal count
        m, L = unpack(theta)
        z = m + eps @ L.T
        values = _values(name, log_joint, z)
        g = checks.matrix(name, "gradient(z)", gradient(z), rows=len(z), columns=d)
        count += 2 * len(z)
        bound = float(weights @ values + theta[d:][diagonal].sum()) + 0.5 * d * (1 + LOG_2PI)
        slope = ((weights[:, None] * g).T @ eps)[rows, columns]
        # the diagonal is kept as its logarithm, so that no step can make it negative
        slope = np.where(diagonal, slope * L[rows, columns] + 1, slope)
        return -bound, -np.concatenate([weights @ g, slope])

    start = root[rows, columns]
    here = np.concatenate([mean, np.where(diagonal, np.log(np.where(diagonal, start, 1.0)), start)])
    path = [(here, -negative(here)[0], count)]

    def remember(intermediate_result: object) -> None:
        path.append((intermediate_result.x.copy(), -float(intermediate_result.fun), count))  # type: ignore[attr-defined]

    options = {"maxiter": steps, "gtol": 1e-9, "ftol": 1e-15}
    minimize(negative, here, jac=True, method="L-BFGS-B", callback=remember, options=options)
    means, roots = zip(*(unpack(theta) for theta, _, _ in path), strict=True)
    covariances = np.array([L @ L.T for L in roots])
    elbos, counts = np.array([value for _, value, _ in path]), np.array([float(c) for _, _, c in path])
    return GaussianFit(
        means[-1].copy(),
        covariances[-1],
        float(elbos[-1]),
        count,
        np.array(means),
        covariances,
        elbos,
        counts,
    )


def _nodes(points: int, d: int) -> tuple[Float[ndarray, "m d"], Float[ndarray, "m"]]:
    """Nodes and weights for an expectation over N(0, I)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    weights = weights / weights.sum()
    return np.array(list(product(nodes, repeat=d))), np.prod(list(product(weights, repeat=d)), axis=1)
