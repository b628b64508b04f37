"""The evidence lower bound: KL divergences, and a model whose evidence and posterior have a formula."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray

__all__ = [
    "Bound",
    "LinearGaussian",
    "discrete_kl",
    "elbo",
    "gaussian_elbo",
    "gaussian_entropy",
    "gaussian_kl",
    "gaussian_posterior",
    "linear_gaussian",
    "log_evidence",
    "multivariate_gaussian_kl",
]

LOG_2PI = float(np.log(2 * np.pi))


def discrete_kl(q: Float[ndarray, "k"], p: Float[ndarray, "k"]) -> float:
    """KL(q‖p) in nats between two distributions on the same k values; infinite where q > 0 = p.

    KL(q‖p) = Σᵢ qᵢ log(qᵢ/pᵢ)                         {eq}`eq-elbo-kl`

    The expectation is over q, the first argument: what it costs when p is used to encode what q draws.
    """
    q = _probabilities("discrete_kl", "q", q)
    p = _probabilities("discrete_kl", "p", p)
    if p.shape != q.shape:
        checks.fail("discrete_kl", "p", f"have shape {q.shape}, one per entry of q", p.shape)
    drawn = q > 0  # 0 log 0 counts as 0
    if (p[drawn] == 0).any():
        return float("inf")
    total = float(np.sum(q[drawn] * (np.log(q[drawn]) - np.log(p[drawn]))))
    return max(0.0, total)  # rounding can leave −1e-17 where the two are the same


def gaussian_kl(mean_q: float, variance_q: float, mean_p: float, variance_p: float) -> float:
    """KL(q‖p) in nats between two Gaussians on the line.

    KL = ½ [log σₚ²/σ_q² − 1 + (σ_q² + (μ_q − μₚ)²)/σₚ²]       {eq}`eq-elbo-kl-gaussian`
    """
    name = "gaussian_kl"
    mean_q, mean_p = checks.number(name, "mean_q", mean_q), checks.number(name, "mean_p", mean_p)
    variance_q = checks.number(name, "variance_q", variance_q, above=0)
    variance_p = checks.number(name, "variance_p", variance_p, above=0)
    apart = (mean_q - mean_p) / variance_p * (mean_q - mean_p)
    return 0.5 * (float(_excess(np.array([variance_q / variance_p]))[0]) + apart)


def _excess(ratio: Float[ndarray, "k"]) -> Float[ndarray, "k"]:
    """r − 1 − log r ≥ 0. The logarithm is that of r: r − 1 has lost the digits of a small r."""
    return (ratio - 1) - np.log(ratio)


def multivariate_gaussian_kl(
    mean_q: Float[ndarray, "d"],
    covariance_q: Float[ndarray, "d d"],
    mean_p: Float[ndarray, "d"],
    covariance_p: Float[ndarray, "d d"],
) -> float:
    """KL(q‖p) in nats between two Gaussians in d dimensions.

    KL = ½ [tr(Σₚ⁻¹Σ_q) + (μ_q − μₚ)ᵀΣₚ⁻¹(μ_q − μₚ) − d − log det(Σₚ⁻¹Σ_q)]   {eq}`eq-elbo-kl-multivariate`

    The ½ stands before the bracket. The bracket is summed over the eigenvalues of Lₚ⁻¹Σ_qLₚ⁻ᵀ.
    """
    name = "multivariate_gaussian_kl"
    mean_q = checks.vector(name, "mean_q", mean_q)
    d = len(mean_q)
    mean_p = checks.vector(name, "mean_p", mean_p, length=d, per="entry of mean_q")
    root_q = _root(name, "covariance_q", covariance_q, d)
    root_p = _root(name, "covariance_p", covariance_p, d)
    ratios = np.linalg.svd(np.linalg.solve(root_p, root_q), compute_uv=False) ** 2
    apart = np.linalg.solve(root_p, mean_q - mean_p)
    return 0.5 * float(_excess(ratios).sum() + apart @ apart)


def gaussian_entropy(covariance: Float[ndarray, "d d"]) -> float:
    """The entropy of a Gaussian in nats; negative where it is narrow, because it is a density's.

    H = ½ log det(2πeΣ)
    """
    root = _root("gaussian_entropy", "covariance", covariance, None)
    return 0.5 * len(root) * (1 + LOG_2PI) + float(np.log(np.diag(root)).sum())


class LinearGaussian(NamedTuple):
    """z ~ N(0, I) in k dimensions, x | z ~ N(Wᵀz + b, σ²I) in d; made by `linear_gaussian`."""

    W: Float[ndarray, "k d"]
    b: Float[ndarray, "d"]
    variance: float


def linear_gaussian(W: Float[ndarray, "k d"], b: Float[ndarray, "d"], variance: float) -> LinearGaussian:
    """The latent-variable model whose evidence and posterior have a formula, as ``z @ W + b`` plus noise.

    p(z) = N(0, I),  p(x|z) = N(Wᵀz + b, σ²I)
    """
    W = checks.matrix("linear_gaussian", "W", W)
    b = checks.vector("linear_gaussian", "b", b, length=W.shape[1], per="column of W")
    return LinearGaussian(W, b, checks.number("linear_gaussian", "variance", variance, above=0))


def log_evidence(model: LinearGaussian, x: Float[ndarray, "d"]) -> float:
    """log p(x) of one example, with z integrated out.

    p(x) = N(b, WᵀW + σ²I)                             {eq}`eq-elbo-evidence`
    """
    model = _model("log_evidence", model)
    x = checks.vector("log_evidence", "x", x, length=len(model.b), per="column of W")
    root = np.linalg.cholesky(model.W.T @ model.W + model.variance * np.eye(len(x)))
    white = np.linalg.solve(root, x - model.b)
    return -0.5 * (len(x) * LOG_2PI + float(white @ white)) - float(np.log(np.diag(root)).sum())


def gaussian_posterior(
    model: LinearGaussian, x: Float[ndarray, "d"]
) -> tuple[Float[ndarray, "k"], Float[ndarray, "k k"]]:
    """The mean and the covariance of p(z|x).

    Σ = σ²(WWᵀ + σ²I)⁻¹,  μ = Σ W(x − b)/σ²            {eq}`eq-elbo-posterior`
    """
    model = _model("gaussian_posterior", model)
    x = checks.vector("gaussian_posterior", "x", x, length=len(model.b), per="column of W")
    k = len(model.W)
    covariance = np.linalg.inv(np.eye(k) + model.W @ model.W.T / model.variance)
    return covariance @ (model.W @ (x - model.b)) / model.variance, (covariance + covariance.T) / 2


class Bound(NamedTuple):
    """The bound taken apart: six terms, of which three different pairs give the same number."""

    joint: float
    entropy: float
    reconstruction: float
    kl_prior: float
    evidence: float
    gap: float

    @property
    def forms(self) -> tuple[float, float, float]:
        """E_q log p(x, z) + H(q);  E_q log p(x|z) − KL(q‖p(z));  log p(x) − KL(q‖p(z|x))."""
        reconstructed = self.reconstruction - self.kl_prior
        return self.joint + self.entropy, reconstructed, self.evidence - self.gap


def elbo(
    model: LinearGaussian,
    x: Float[ndarray, "d"],
    mean: Float[ndarray, "k"],
    covariance: Float[ndarray, "k k"],
) -> Bound:
    """The evidence lower bound at x for q(z) = N(mean, covariance), in its three forms.

    ELBO = E_q[log p(x, z)] + H(q)
         = E_q[log p(x|z)] − KL(q‖p(z))
         = log p(x) − KL(q‖p(z|x))                     {eq}`eq-elbo-forms`
    """
    model = _model("elbo", model)
    k, d = model.W.shape
    x = checks.vector("elbo", "x", x, length=d, per="column of W")
    mean = checks.vector("elbo", "mean", mean, length=k, per="row of W")
    root = _root("elbo", "covariance", covariance, k)
    S = root @ root.T
    miss = x - model.b - mean @ model.W
    # E‖x − b − Wᵀz‖² is the miss of the mean plus what the spread of q is worth after W
    squares = float(miss @ miss + np.sum((root.T @ model.W) ** 2))
    reconstruction = -0.5 * d * (LOG_2PI + np.log(model.variance)) - squares / (2 * model.variance)
    prior = -0.5 * (k * LOG_2PI + float(mean @ mean + np.trace(S)))
    return Bound(
        joint=float(reconstruction + prior),
        entropy=gaussian_entropy(S),
        reconstruction=float(reconstruction),
        kl_prior=multivariate_gaussian_kl(mean, S, np.zeros(k), np.eye(k)),
        evidence=log_evidence(model, x),
        gap=multivariate_gaussian_kl(mean, S, *gaussian_posterior(model, x)),
    )


def gaussian_elbo(
    log_joint: Callable[[Float[ndarray, "m"]], Float[ndarray, "m"]],
    mean: float,
    variance: float,
    points: int = 64,
) -> float:
    """The ELBO of any model with one latent number, for q = N(mean, variance), by Gauss–Hermite quadrature.

    ELBO = Σⱼ wⱼ log p(x, μ + σεⱼ) + ½ log 2πeσ²

    ``log_joint`` gets all m nodes at once. Where it is −∞ at one of them, so is the bound.
    """
    if not callable(log_joint):
        checks.fail("gaussian_elbo", "log_joint", "be a function of z", f"a {type(log_joint).__name__}")
    mean = checks.number("gaussian_elbo", "mean", mean)
    variance = checks.number("gaussian_elbo", "variance", variance, above=0)
    points = checks.integer("gaussian_elbo", "points", points, at_least=1, at_most=200)
    nodes, weights = _rule(points)
    values = np.asarray(log_joint(mean + np.sqrt(variance) * nodes), dtype=float)
    if values.shape != nodes.shape or np.isnan(values).any() or (values == np.inf).any():
        checks.fail("gaussian_elbo", "log_joint", f"return {points} log densities", f"shape {values.shape}")
    return float(weights @ values) + 0.5 * (1 + LOG_2PI + float(np.log(variance)))


@cache
def _rule(points: int) -> tuple[Float[ndarray, "m"], Float[ndarray, "m"]]:
    """Gauss–Hermite nodes and weights for a mean over N(0, 1), kept because finding them takes longest."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    return nodes, weights / weights.sum()


def _probabilities(function: str, name: str, value: Float[ndarray, "k"]) -> Float[ndarray, "k"]:
    value = checks.vector(function, name, value)
    if (value < 0).any() or abs(value.sum() - 1) > 1e-9:
        got = f"an entry of {value.min():g}" if (value < 0).any() else f"a sum of {value.sum():g}"
        checks.fail(function, name, "be at least 0 and sum to 1", got)
    return value


def _root(function: str, name: str, value: Float[ndarray, "d d"], d: int | None) -> Float[ndarray, "d d"]:
    """The Cholesky factor of a covariance matrix, or what is wrong with it."""
    value = checks.matrix(function, name, value, rows=d, columns=d)
    if value.shape[0] != value.shape[1]:
        checks.fail(function, name, "be square", f"shape {value.shape}")
    if not np.allclose(value, value.T, rtol=1e-9, atol=1e-12 * float(np.abs(value).max())):
        checks.fail(function, name, "be symmetric", "a matrix that is not")
    try:
        return np.linalg.cholesky(value)
    except np.linalg.LinAlgError:
        least = float(np.linalg.eigvalsh(value)[0])
        checks.fail(function, name, "be positive definite", f"an eigenvalue of {least:.3g}")


def _model(function: str, model: LinearGaussian) -> LinearGaussian:
    if not isinstance(model, LinearGaussian):
        checks.fail(function, "model", "come from linear_gaussian", f"a {type(model).__name__}")
    return linear_gaussian(*model)
