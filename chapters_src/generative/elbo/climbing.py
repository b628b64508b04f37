"""Variational inference by climbing the bound, on posteriors that are not Gaussian: two modes, a banana."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.covariances import positive_definite
from chapters_src.core.fit import Fit
from chapters_src.core.quadrature import normal_rule
from chapters_src.core.readers import Ask, above, at_least, between, numeric_array
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.information import LOG_2PI

__all__ = [
    "Banana",
    "GaussianFit",
    "GridPosterior",
    "banana",
    "fit_gaussian",
    "grid_posterior",
]

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

    @checked
    def log_joint(self, z: Float[ndarray, "m 2"]) -> Float[ndarray, "m"]:
        """log p(x, z), which is the log posterior but for log p(x)."""
        miss = self.x - z[:, 1] - self.bend * z[:, 0] ** 2
        likelihood = -0.5 * (LOG_2PI + np.log(self.variance) + miss**2 / self.variance)
        return likelihood - LOG_2PI - np.log(self.prior_variance) - (z**2).sum(1) / (2 * self.prior_variance)

    @checked
    def gradient(self, z: Float[ndarray, "m 2"]) -> Float[ndarray, "m 2"]:
        """∇_z log p(x, z)."""
        pull = (self.x - z[:, 1] - self.bend * z[:, 0] ** 2) / self.variance
        return np.column_stack([2 * self.bend * z[:, 0] * pull, pull]) - z / self.prior_variance


@checked(variance=above(0), prior_variance=above(0))
def banana(x: float = 1.0, bend: float = 0.5, variance: float = 0.25, prior_variance: float = 4.0) -> Banana:
    """See one number, z₂ + cz₁² plus noise, and ask for both z: a curve of them explains it.

    log p(x, z) = log N(x; z₂ + cz₁², σ²) + log N(z; 0, τ²I)
    """
    return Banana(x, bend, variance, prior_variance)


class GridPosterior(NamedTuple):
    """The evidence and the first two moments of a posterior, by brute force."""

    log_evidence: float
    mean: Float[ndarray, "d"]
    covariance: Float[ndarray, "d d"]
    evaluations: int


@checked(points=at_least(3))
def grid_posterior(
    log_joint: Density, low: Float[ndarray, "d"], high: Float[ndarray, "d"], points: int = 400
) -> GridPosterior:
    """Add up the joint density on a grid: exact to rounding in one or two dimensions, hopeless in ten.

    p(x) = Σ p(x, zᵢ) Δz

    The sum converges faster than any power of the spacing, if the density is smooth and gone at the edges.
    """
    if not (low < high).all():
        refuse("high", "be above low in every entry", high.tolist())
    require(points ** len(low) <= 4_000_000, "points", "leave at most 4,000,000 places on the grid", points)
    axes = [np.linspace(a, b, points) for a, b in zip(low, high, strict=True)]
    z = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(low))
    values = _returned("log_joint(z)", log_joint(z), (len(z),))
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


def _returned(name: str, value: Any, shape: tuple[int, ...]) -> ndarray:
    """What a given function returned, once it is known to be finite and to have a row per row of z."""
    result = numeric_array(Ask(name), value)
    require(result.shape == shape, name, f"have shape {shape}, one per row of z", result.shape)
    return result


class GaussianFit(Fit):
    """A fit whose θ is (d, d + 1): the mean m of q = N(m, LLᵀ) and then L. The losses are minus the bound."""

    __slots__ = ()

    @property
    def mean(self) -> Float[ndarray, "d"]:
        """m."""
        return self.theta[:, 0]

    @property
    def covariance(self) -> Float[ndarray, "d d"]:
        """LLᵀ."""
        return self.theta[:, 1:] @ self.theta[:, 1:].T

    @property
    def elbo(self) -> float:
        """The bound that was reached."""
        return -float(self.losses[-1])


@checked(covariance=positive_definite, points=between(2, 100), steps=at_least(1))
def fit_gaussian(
    log_joint: Density,
    gradient: Gradient,
    mean: Float[ndarray, "d"],
    covariance: Float[ndarray, "d d"],
    points: int = 5,
    independent: bool = False,
    steps: int = 200,
) -> GaussianFit:
    """Climb the ELBO over q = N(m, LLᵀ) from a start, with L-BFGS and exact gradients.

    ELBO(m, L) = E_ε[log p(x, m + Lε)] + Σⱼ log Lⱼⱼ + d/2 log 2πe
    ∇_m = E[g],  ∇_L = E[gεᵀ] + diag(1/Lⱼⱼ),  g = ∇ log p(x, m + Lε)      {eq}`eq-elbo-reparameterised`

    ε ~ N(0, I) does not depend on what is optimised, so the gradient goes inside the expectation, which is a
    product of Gauss–Hermite rules with ``points`` nodes per dimension. ``independent`` keeps L diagonal.
    """
    d = len(mean)
    require(
        points**d <= MOST_NODES, "points", f"leave at most {MOST_NODES:,} nodes in {d} dimensions", points
    )
    eps, weights = _nodes(points, d)
    rows, columns = np.diag_indices(d) if independent else np.tril_indices(d)
    diagonal = rows == columns
    root = np.linalg.cholesky(covariance)

    def unpack(theta: ndarray) -> tuple[ndarray, ndarray]:
        L = np.zeros((d, d))
        L[rows, columns] = np.where(diagonal, np.exp(np.where(diagonal, theta[d:], 0.0)), theta[d:])
        return theta[:d], L

    def negative(theta: ndarray) -> tuple[float, ndarray]:
        m, L = unpack(theta)
        z = m + eps @ L.T
        values = _returned("log_joint(z)", log_joint(z), (len(z),))
        g = _returned("gradient(z)", gradient(z), (len(z), d))
        bound = float(weights @ values + theta[d:][diagonal].sum()) + 0.5 * d * (1 + LOG_2PI)
        slope = ((weights[:, None] * g).T @ eps)[rows, columns]
        # the diagonal is kept as its logarithm, so that no step can make it negative
        slope = np.where(diagonal, slope * L[rows, columns] + 1, slope)
        return -bound, -np.concatenate([weights @ g, slope])

    start = root[rows, columns]
    here = np.concatenate([mean, np.where(diagonal, np.log(np.where(diagonal, start, 1.0)), start)])
    path, losses = [here], [negative(here)[0]]

    def remember(intermediate_result: Any) -> None:
        path.append(intermediate_result.x.copy())
        losses.append(float(intermediate_result.fun))

    options = {"maxiter": steps, "gtol": 1e-9, "ftol": 1e-15}
    end = minimize(negative, here, jac=True, method="L-BFGS-B", callback=remember, options=options)
    thetas = np.array([np.column_stack(unpack(theta)) for theta in path])
    # at the last digits the line search may give up although the slope is gone
    converged = bool(end.success or np.abs(end.jac).max() < 1e-6)
    return GaussianFit(thetas[-1].copy(), np.array(losses), converged, len(losses) - 1, thetas)


def _nodes(points: int, d: int) -> tuple[Float[ndarray, "m d"], Float[ndarray, "m"]]:
    """Nodes and weights for an expectation over N(0, I)."""
    nodes, weights = normal_rule(points)
    return np.array(list(product(nodes, repeat=d))), np.prod(list(product(weights, repeat=d)), axis=1)
