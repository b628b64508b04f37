"""From scores to probabilities and losses: sigmoid, softmax with temperature, and cross-entropy from logits.

A score before it is squashed is called a logit and written a. Everything here works on logits, because a
probability that was rounded to 0 or 1 has lost what its loss needs.
"""

from __future__ import annotations

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = [
    "accuracy",
    "binary_cross_entropy",
    "binary_cross_entropy_gradient",
    "class_labels",
    "cross_entropy",
    "cross_entropy_gradient",
    "entropy",
    "logit",
    "logsumexp",
    "one_hot",
    "sigmoid",
    "softmax",
    "yes_or_no",
]


def yes_or_no(function: str, name: str, value: object, *, length: int, per: str) -> Float[ndarray, "n"]:
    """Read a vector of labels 0 and 1, or say what else was found."""
    y = checks.vector(function, name, value, length=length, per=per)
    strange = (y != 0) & (y != 1)
    if strange.any():
        checks.fail(function, name, "hold only 0 and 1", f"{y[strange][0]:g}")
    return y


def class_labels(function: str, name: str, value: object, *, length: int, K: int) -> Int[ndarray, "n"]:
    """Read a vector of class numbers from 0 to K − 1, or say what else was found."""
    y = checks.vector(function, name, value, length=length, per="row")
    strange = (y != np.floor(y)) | (y < 0) | (y >= K)
    if strange.any():
        checks.fail(function, name, f"hold class numbers from 0 to {K - 1}", f"{y[strange][0]:g}")
    return y.astype(np.int64)


def sigmoid(a: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """The probability whose logit is a, strictly between 0 and 1 as far as floats can say so.

    σ(a) = 1 / (1 + e⁻ᵃ)                              {eq}`eq-classification-sigmoid`

    Only e⁻|ᵃ| is ever computed, which cannot overflow.
    """
    a = checks.array("sigmoid", "a", a)
    return _sigmoid(a)


def _sigmoid(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    small = np.exp(-np.abs(a))
    return np.asarray(np.where(a >= 0, 1.0, small) / (1.0 + small))


def _softplus(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """log(1 + eᵃ) without overflow."""
    return np.asarray(np.maximum(a, 0.0) + np.log1p(np.exp(-np.abs(a))))


def logit(p: Float[ndarray, "*shape"] | float) -> Float[ndarray, "*shape"]:
    """The log-odds of a probability, the inverse of `sigmoid`.

    a = log(p / (1 − p))                              {eq}`eq-classification-logit`
    """
    p = checks.array("logit", "p", p)
    if not ((p > 0) & (p < 1)).all():
        checks.fail("logit", "p", "lie strictly between 0 and 1", f"{p[(p <= 0) | (p >= 1)].flat[0]:g}")
    return np.asarray(np.log(p) - np.log1p(-p))


def logsumexp(a: Float[ndarray, "*batch K"]) -> Float[ndarray, "*batch"]:
    """log Σⱼ exp aⱼ over the last axis, for logits of any size.

    log Σⱼ e^{aⱼ} = c + log Σⱼ e^{aⱼ−c},  c = maxⱼ aⱼ   {eq}`eq-classification-logsumexp`

    After the shift the largest term is e⁰ = 1: nothing overflows, and what underflows did not matter.
    """
    a = _logits("logsumexp", a)
    c = a.max(axis=-1, keepdims=True)
    with np.errstate(over="ignore"):  # a − c is at most 0, and exp(−inf) is the right limit
        return np.asarray(c[..., 0] + np.log(np.exp(a - c).sum(axis=-1)))


def _logits(function: str, a: object, name: str = "a") -> Float[ndarray, "*batch K"]:
    result = checks.array(function, name, a)
    if result.ndim == 0:
        checks.fail(function, name, "have an axis of classes, shape (…, K)", "one number")
    return result


def softmax(a: Float[ndarray, "*batch K"], temperature: float = 1.0) -> Float[ndarray, "*batch K"]:
    """Probabilities in proportion to exp(aₖ/τ), along the last axis.

    πₖ = exp(aₖ/τ) / Σⱼ exp(aⱼ/τ)                     {eq}`eq-classification-softmax`

    τ → 0 gives all weight to the largest logit (shared if several tie), τ → ∞ the same weight to all.
    """
    a = _logits("softmax", a)
    tau = checks.number("softmax", "temperature", temperature, above=0)
    with np.errstate(over="ignore"):  # a − max is at most 0, and exp(−inf) is the right limit
        weights = np.exp((a - a.max(axis=-1, keepdims=True)) / tau)
    return weights / weights.sum(axis=-1, keepdims=True)


def entropy(p: Float[ndarray, "*batch K"]) -> Float[ndarray, "*batch"]:
    """How undecided each distribution is, in nats: 0 for a certain one, log K for a uniform one.

    H(π) = −Σₖ πₖ log πₖ,  with 0·log 0 = 0           {eq}`eq-classification-entropy`
    """
    p = _logits("entropy", p, "p")
    if (p < 0).any() or np.abs(p.sum(axis=-1) - 1).max() > 1e-9:
        checks.fail(
            "entropy", "p", "be at least 0 and sum to 1 along the last axis", f"sum {p.sum(-1).flat[0]:g}"
        )
    return np.asarray(-np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0).sum(axis=-1))


def one_hot(labels: Int[ndarray, "n"], K: int) -> Float[ndarray, "n {K}"]:
    """Row i has a 1 in the column of its class and 0 elsewhere: no class is nearer to one than to another."""
    K = checks.integer("one_hot", "K", K, at_least=1)
    labels = checks.vector("one_hot", "labels", labels)
    return np.eye(K)[class_labels("one_hot", "labels", labels, length=len(labels), K=K)]


def binary_cross_entropy(a: Float[ndarray, "n"], y: Float[ndarray, "n"]) -> float:
    """The mean surprise, in nats, at labels 0 and 1 when yes was given probability σ(a).

    L = (1/n) Σᵢ [log(1 + e^{aᵢ}) − yᵢaᵢ]             {eq}`eq-classification-binary`
    """
    a = checks.vector("binary_cross_entropy", "a", a)
    y = yes_or_no("binary_cross_entropy", "y", y, length=len(a), per="logit")
    return float(np.mean(_softplus(np.where(y == 1, -a, a))))


def binary_cross_entropy_gradient(a: Float[ndarray, "n"], y: Float[ndarray, "n"]) -> Float[ndarray, "n"]:
    """The gradient of `binary_cross_entropy` by the logits: predicted minus true, over n.

    ∂L/∂aᵢ = (σ(aᵢ) − yᵢ) / n                         {eq}`eq-classification-gradient`
    """
    name = "binary_cross_entropy_gradient"
    a = checks.vector(name, "a", a)
    y = yes_or_no(name, "y", y, length=len(a), per="logit")
    return (_sigmoid(a) - y) / len(a)


def cross_entropy(a: Float[ndarray, "n K"], y: Int[ndarray, "n"]) -> float:
    """The mean surprise, in nats, at the true classes y when class k was given probability softmax(a)ₖ.

    L = (1/n) Σᵢ [log Σⱼ e^{aᵢⱼ} − aᵢ,yᵢ]             {eq}`eq-classification-cross-entropy`
    """
    a = checks.matrix("cross_entropy", "a", a)
    y = class_labels("cross_entropy", "y", y, length=len(a), K=a.shape[1])
    return float(np.mean(logsumexp(a) - a[np.arange(len(a)), y]))


def cross_entropy_gradient(a: Float[ndarray, "n K"], y: Int[ndarray, "n"]) -> Float[ndarray, "n K"]:
    """The gradient of `cross_entropy` by the logits: predicted minus true, over n. Its rows sum to zero.

    ∂L/∂a = (π − one-hot y) / n                       {eq}`eq-classification-gradient`
    """
    a = checks.matrix("cross_entropy_gradient", "a", a)
    y = class_labels("cross_entropy_gradient", "y", y, length=len(a), K=a.shape[1])
    return (softmax(a) - one_hot(y, a.shape[1])) / len(a)


def accuracy(
    y: Float[ndarray, "n"] | Int[ndarray, "n"], y_hat: Float[ndarray, "n"] | Int[ndarray, "n"]
) -> float:
    """The share of examples whose predicted class is the true one."""
    y = checks.vector("accuracy", "y", y)
    y_hat = checks.vector("accuracy", "y_hat", y_hat, length=len(y), per="label")
    return float(np.mean(y == y_hat))
