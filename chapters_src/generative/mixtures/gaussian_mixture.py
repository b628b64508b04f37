"""Gaussian mixtures by expectation–maximisation: coordinate ascent on the evidence lower bound."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked, refuse
from chapters_src.core.covariances import positive_definite
from chapters_src.core.fit import Fit
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import Ask, at_least, squares_that_fit
from chapters_src.core.shapes import Float, ndarray
from chapters_src.foundations.information import LOG_2PI

__all__ = [
    "Mixture",
    "fit_em",
    "fit_mixture",
    "log_likelihood",
    "maximised",
    "mixture",
    "mixture_elbo",
    "responsibilities",
    "start_mixture",
]

FLOOR = 1e-6  # added to every variance, as scikit-learn's reg_covar


class Mixture(NamedTuple):
    """K Gaussians and how often each is drawn; made by `mixture`, `start_mixture` or a fit."""

    weights: Float[ndarray, "K"]
    means: Float[ndarray, "K d"]
    covariances: Float[ndarray, "K d d"]

    @property
    def K(self) -> int:
        """How many Gaussians there are."""
        return np.size(self.weights)

    @property
    def d(self) -> int:
        """In how many dimensions."""
        return int(np.size(self.means) / self.K)


def _shares_of_a_whole(ask: Ask, weights: Any) -> Any:
    """Read weights above 0 that sum to 1."""
    if (weights <= 0).any():
        ask.fail("be above 0 and sum to 1", f"{weights.min():g}")
    return sums_to_one(ask, weights)


@checked(weights=_shares_of_a_whole, means=squares_that_fit, covariances=positive_definite)
def mixture(
    weights: Float[ndarray, "K"], means: Float[ndarray, "K d"], covariances: Float[ndarray, "K d d"]
) -> Mixture:
    """Draw a component k with probability πₖ, then x from its Gaussian.

    p(x) = Σₖ πₖ N(x; μₖ, Σₖ)                           {eq}`eq-mixtures-density`
    """
    return Mixture(weights, means, covariances)


def _whole_mixture(ask: Ask, model: Any) -> Mixture:
    """Read a mixture that may have been put together by hand."""
    return mixture(*model)


@checked(X=squares_that_fit, K=at_least(1))
def start_mixture(X: Float[ndarray, "n d"], K: int, rng: np.random.Generator) -> Mixture:
    """A place to start from: K different rows as means, the covariance of all data, equal weights."""
    different = np.unique(X, axis=0)
    if len(different) < max(K, 2):
        refuse("X", f"have at least {max(K, 2)} different rows", f"{len(different)} among {len(X)}")
    rows = rng.choice(len(different), K, replace=False)
    spread = np.cov(X.T, bias=True).reshape(X.shape[1], -1) + FLOOR * np.eye(X.shape[1])
    return Mixture(np.full(K, 1 / K), different[rows], np.tile(spread, (K, 1, 1)))


def _log_joint(model: Mixture, X: Float[ndarray, "n d"]) -> Float[ndarray, "K n"]:
    """log πₖ + log N(xᵢ; μₖ, Σₖ), a row per component, so that sums over components run along memory."""
    try:
        roots = np.linalg.cholesky(model.covariances)
    except np.linalg.LinAlgError:  # a component has collapsed on the way
        least = float(np.linalg.eigvalsh(model.covariances).min())
        refuse("floor", "keep the covariances positive definite", f"an eigenvalue of {least:.3g}")
    K, d = model.means.shape
    whiten = np.linalg.inv(roots)
    offset = np.log(model.weights) - 0.5 * d * LOG_2PI - np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(1)
    result = np.empty((K, len(X)))
    for k in range(K):
        white = X @ whiten[k].T
        white -= whiten[k] @ model.means[k]
        np.einsum("nd,nd->n", white, white, out=result[k])
    if not np.isfinite(result.sum()):
        refuse("X", "lie within reach of every component", "a distance that is too large to be squared")
    result *= -0.5
    result += offset[:, None]
    return result


def _expect(log_joint: Float[ndarray, "K n"]) -> tuple[Float[ndarray, "n"], Float[ndarray, "K n"]]:
    """log p(xᵢ), and the responsibilities written over ``log_joint``."""
    top = log_joint.max(axis=0)  # the largest becomes e⁰, so nothing overflows and a sum is at least 1
    log_joint -= top
    shares = np.exp(log_joint, out=log_joint)
    total = shares.sum(axis=0)
    shares /= total
    return top + np.log(total, out=total), shares


@checked(model=_whole_mixture, X=squares_that_fit)
def log_likelihood(model: Mixture, X: Float[ndarray, "n {model.d}"]) -> Float[ndarray, "n"]:
    """log p(xᵢ) of every row; add them up for the log-likelihood of the data.

    log p(xᵢ) = log Σₖ exp[log πₖ + log N(xᵢ; μₖ, Σₖ)]    {eq}`eq-mixtures-density`
    """
    return _expect(_log_joint(model, X))[0]


@checked(model=_whole_mixture, X=squares_that_fit)
def responsibilities(model: Mixture, X: Float[ndarray, "n {model.d}"]) -> Float[ndarray, "n K"]:
    """The E step: the posterior of the component, given each row.

    rᵢₖ = πₖN(xᵢ; μₖ, Σₖ) / Σⱼ πⱼN(xᵢ; μⱼ, Σⱼ)           {eq}`eq-mixtures-e-step`
    """
    return _expect(_log_joint(model, X))[1].T


@checked(model=_whole_mixture, X=squares_that_fit, r=sums_to_one)
def mixture_elbo(model: Mixture, X: Float[ndarray, "n {model.d}"], r: Float[ndarray, "n {model.K}"]) -> float:
    """The bound on the log-likelihood of all rows, for any responsibilities r: what both steps push up.

    ELBO = Σᵢₖ rᵢₖ [log πₖN(xᵢ; μₖ, Σₖ) − log rᵢₖ]       {eq}`eq-mixtures-bound`
    """
    return float(np.sum(r * _log_joint(model, X).T) - np.sum(r * np.log(np.where(r > 0, r, 1.0))))


@checked(X=squares_that_fit, r=sums_to_one, floor=at_least(0))
def maximised(X: Float[ndarray, "n d"], r: Float[ndarray, "n K"], floor: float = FLOOR) -> Mixture:
    """The M step: the mixture for which the bound is largest, given responsibilities.

    Nₖ = Σᵢ rᵢₖ,  πₖ = Nₖ/n,  μₖ = Σᵢ rᵢₖxᵢ/Nₖ,  Σₖ = Σᵢ rᵢₖ(xᵢ − μₖ)(xᵢ − μₖ)ᵀ/Nₖ + floor·I
                                                      {eq}`eq-mixtures-m-step`

    Without the ``floor`` a component on a single point shrinks for ever, and the likelihood has no limit.
    With it the bound is not quite at its largest: only for 0 is it proved that the likelihood cannot fall.
    """
    return _maximise(X, r.T, floor)


def _maximise(X: Float[ndarray, "n d"], shares: Float[ndarray, "K n"], floor: float) -> Mixture:
    K, d = len(shares), X.shape[1]
    counts = shares.sum(axis=1) + 10 * np.finfo(float).eps  # an empty component divides by something
    means = shares @ X / counts[:, None]
    covariances = np.empty((K, d, d))
    for k in range(K):
        off = X - means[k]
        covariances[k] = (shares[k] * off.T) @ off / counts[k]
    covariances += floor * np.eye(d)
    return Mixture(counts / counts.sum(), means, (covariances + np.swapaxes(covariances, 1, 2)) / 2)


@checked(
    start=_whole_mixture, X=squares_that_fit, steps=at_least(1), tolerance=at_least(0), floor=at_least(0)
)
def fit_em(
    start: Mixture,
    X: Float[ndarray, "n {start.d}"],
    steps: int = 100,
    tolerance: float = 1e-3,
    floor: float = FLOOR,
) -> Fit:
    """Alternate E and M steps from ``start`` until a step gains less than ``tolerance`` per row.

    E: r ← p(k|x),  M: π, μ, Σ ← `maximised`(r)         {eq}`eq-mixtures-em`

    The losses are −log p(X), for the mixture before each step and, last, for the one that is returned.
    """
    model, losses, converged = start, list[float](), False
    while not converged and len(losses) < steps:
        each, shares = _expect(_log_joint(model, X))
        losses.append(-float(each.sum()))
        model = _maximise(X, shares, floor)
        converged = len(losses) > 1 and abs(losses[-2] - losses[-1]) < tolerance * len(X)
    last = -float(_expect(_log_joint(model, X))[0].sum())
    return Fit(model, np.array([*losses, last]), converged, len(losses))


@checked(X=squares_that_fit, K=at_least(1), starts=at_least(1), floor=at_least(0))
def fit_mixture(
    X: Float[ndarray, "n d"], K: int, rng: np.random.Generator, starts: int = 10, floor: float = FLOOR
) -> Fit:
    """The best of several runs of `fit_em`, because each climbs to the nearest top and not to the highest."""
    runs = (bare(fit_em)(bare(start_mixture)(X, K, rng), X, 500, 1e-5, floor) for _ in range(starts))
    return min(runs, key=lambda run: float(run.losses[-1]))
