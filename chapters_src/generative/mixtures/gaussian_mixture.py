"""Gaussian mixtures by expectation–maximisation: coordinate ascent on the evidence lower bound."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray

__all__ = [
    "EM",
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

LOG_2PI = float(np.log(2 * np.pi))
FLOOR = 1e-6  # added to every variance, as scikit-learn's reg_covar


class Mixture(NamedTuple):
    """K Gaussians and how often each is drawn; made by `mixture`, `start_mixture` or a fit."""

    weights: Float[ndarray, "K"]
    means: Float[ndarray, "K d"]
    covariances: Float[ndarray, "K d d"]


def mixture(
    weights: Float[ndarray, "K"], means: Float[ndarray, "K d"], covariances: Float[ndarray, "K d d"]
) -> Mixture:
    """Draw a component k with probability πₖ, then x from its Gaussian.

    p(x) = Σₖ πₖ N(x; μₖ, Σₖ)                           {eq}`eq-elbo-mixture`
    """
    weights = checks.vector("mixture", "weights", weights)
    if (weights <= 0).any() or abs(weights.sum() - 1) > 1e-9:
        checks.fail("mixture", "weights", "be above 0 and sum to 1", f"a sum of {weights.sum():g}")
    means = checks.matrix("mixture", "means", means, rows=len(weights), per="weight")
    covariances = checks.array("mixture", "covariances", covariances)
    K, d = means.shape
    if covariances.shape != (K, d, d):
        checks.fail(
            "mixture", "covariances", f"have shape {(K, d, d)}, a matrix per weight", covariances.shape
        )
    if not np.allclose(
        covariances, np.swapaxes(covariances, 1, 2), rtol=1e-9, atol=1e-12 * float(np.abs(covariances).max())
    ):
        checks.fail("mixture", "covariances", "be symmetric", "one that is not")
    _roots("mixture", covariances)
    return Mixture(weights, means, covariances)


def _roots(function: str, covariances: Float[ndarray, "K d d"]) -> Float[ndarray, "K d d"]:
    """The Cholesky factors, or a sentence on the component that has collapsed."""
    try:
        return np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        least = float(np.linalg.eigvalsh(covariances)[:, 0].min())
        checks.fail(
            function, "covariances", "be positive definite (a floor helps)", f"an eigenvalue of {least:.3g}"
        )


def start_mixture(X: Float[ndarray, "n d"], K: int, rng: np.random.Generator) -> Mixture:
    """A place to start from: K different rows as means, the covariance of all data, equal weights."""
    X = checks.matrix("start_mixture", "X", X)
    K = checks.integer("start_mixture", "K", K, at_least=1)
    different = np.unique(X, axis=0)
    if len(different) < max(K, 2):
        rule = f"have at least {max(K, 2)} different rows"
        checks.fail("start_mixture", "X", rule, f"{len(different)} among {len(X)}")
    rows = checks.generator("start_mixture", "rng", rng).choice(len(different), K, replace=False)
    spread = np.cov(X.T, bias=True).reshape(X.shape[1], -1) + FLOOR * np.eye(X.shape[1])
    return Mixture(np.full(K, 1 / K), different[rows], np.tile(spread, (K, 1, 1)))


def _log_joint(function: str, X: Float[ndarray, "n d"], model: Mixture) -> Float[ndarray, "K n"]:
    """log πₖ + log N(xᵢ; μₖ, Σₖ), a row a component, so that sums over components run along memory."""
    roots = _roots(function, model.covariances)
    K, d = model.means.shape
    whiten = np.linalg.inv(roots)
    offset = np.log(model.weights) - 0.5 * d * LOG_2PI - np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(1)
    result = np.empty((K, len(X)))
    for k in range(K):
        white = X @ whiten[k].T
        white -= whiten[k] @ model.means[k]
        np.einsum("nd,nd->n", white, white, out=result[k])
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


def _inputs(
    function: str, X: Float[ndarray, "n d"], model: Mixture, name: str = "model"
) -> tuple[ndarray, Mixture]:
    if not isinstance(model, Mixture):
        checks.fail(function, name, "be a Mixture", f"a {type(model).__name__}")
    model = mixture(*model)
    X = checks.matrix(function, "X", X, columns=model.means.shape[1], per="column of the means")
    return X, model


def log_likelihood(X: Float[ndarray, "n d"], model: Mixture) -> Float[ndarray, "n"]:
    """log p(xᵢ) of every row; add them up for the log-likelihood of the data.

    log p(xᵢ) = log Σₖ exp[log πₖ + log N(xᵢ; μₖ, Σₖ)]    {eq}`eq-elbo-mixture`
    """
    X, model = _inputs("log_likelihood", X, model)
    return _expect(_log_joint("log_likelihood", X, model))[0]


def responsibilities(X: Float[ndarray, "n d"], model: Mixture) -> Float[ndarray, "n K"]:
    """The E step: the posterior of the component, given each row.

    rᵢₖ = πₖN(xᵢ; μₖ, Σₖ) / Σⱼ πⱼN(xᵢ; μⱼ, Σⱼ)           {eq}`eq-elbo-responsibilities`
    """
    X, model = _inputs("responsibilities", X, model)
    return _expect(_log_joint("responsibilities", X, model))[1].T


def mixture_elbo(X: Float[ndarray, "n d"], r: Float[ndarray, "n K"], model: Mixture) -> float:
    """The bound on the log-likelihood of all rows, for any responsibilities r: what both steps push up.

    ELBO = Σᵢₖ rᵢₖ [log πₖN(xᵢ; μₖ, Σₖ) − log rᵢₖ]       {eq}`eq-elbo-em`
    """
    X, model = _inputs("mixture_elbo", X, model)
    r = _shares("mixture_elbo", r, len(X))
    if r.shape[1] != len(model.weights):
        checks.fail("mixture_elbo", "r", f"have {len(model.weights)} columns, one per component", r.shape)
    joint = _log_joint("mixture_elbo", X, model).T
    return float(np.sum(r * joint) - np.sum(r * np.log(np.where(r > 0, r, 1.0))))


def _shares(function: str, r: Float[ndarray, "n K"], n: int) -> Float[ndarray, "n K"]:
    r = checks.matrix(function, "r", r, rows=n, per="row of X")
    if (r < 0).any() or np.abs(r.sum(axis=1) - 1).max() > 1e-9:
        checks.fail(function, "r", "be at least 0 and sum to 1 in every row", "rows that do not")
    return r


def maximised(X: Float[ndarray, "n d"], r: Float[ndarray, "n K"], floor: float = FLOOR) -> Mixture:
    """The M step: the mixture for which the bound is largest, given responsibilities.

    Nₖ = Σᵢ rᵢₖ,  πₖ = Nₖ/n,  μₖ = Σᵢ rᵢₖxᵢ/Nₖ,  Σₖ = Σᵢ rᵢₖ(xᵢ − μₖ)(xᵢ − μₖ)ᵀ/Nₖ + floor·I
                                                      {eq}`eq-elbo-maximised`

    Without the ``floor`` a component on a single point shrinks for ever, and the likelihood has no limit.
    """
    X = checks.matrix("maximised", "X", X)
    r = _shares("maximised", r, len(X))
    return _maximise(X, r.T, checks.number("maximised", "floor", floor, at_least=0))


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


class EM(NamedTuple):
    """What EM did: the mixture it ended with, and the log-likelihood of all rows at every step."""

    model: Mixture
    log_likelihoods: Float[ndarray, "t"]
    converged: bool
    steps: int


def fit_em(
    X: Float[ndarray, "n d"],
    start: Mixture,
    steps: int = 100,
    tolerance: float = 1e-3,
    floor: float = FLOOR,
) -> EM:
    """Alternate E and M steps from ``start`` until a step gains less than ``tolerance`` a row.

    E: r ← p(k|x),  M: π, μ, Σ ← `maximised`(r)         {eq}`eq-elbo-em`

    The log-likelihoods belong to the mixture before each step and, last, to the one that is returned.
    """
    X, model = _inputs("fit_em", X, start, "start")
    steps = checks.integer("fit_em", "steps", steps, at_least=1)
    tolerance = checks.number("fit_em", "tolerance", tolerance, at_least=0)
    floor = checks.number("fit_em", "floor", floor, at_least=0)
    path: list[float] = []
    converged = False
    while not converged and len(path) < steps:
        each, shares = _expect(_log_joint("fit_em", X, model))
        path.append(float(each.sum()))
        model = _maximise(X, shares, floor)
        converged = len(path) > 1 and abs(path[-1] - path[-2]) < tolerance * len(X)
    last = float(_expect(_log_joint("fit_em", X, model))[0].sum())
    return EM(model, np.array([*path, last]), converged, len(path))


def fit_mixture(
    X: Float[ndarray, "n d"], K: int, rng: np.random.Generator, starts: int = 10, floor: float = FLOOR
) -> EM:
    """The best of several runs of `fit_em`, because each climbs to the nearest top and not to the highest."""
    X = checks.matrix("fit_mixture", "X", X)
    K = checks.integer("fit_mixture", "K", K, at_least=1)
    rng = checks.generator("fit_mixture", "rng", rng)
    starts = checks.integer("fit_mixture", "starts", starts, at_least=1)
    floor = checks.number("fit_mixture", "floor", floor, at_least=0)
    runs = (
        fit_em(X, start_mixture(X, K, rng), steps=500, tolerance=1e-5, floor=floor) for _ in range(starts)
    )
    return max(runs, key=lambda run: run.log_likelihoods[-1])
