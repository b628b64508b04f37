"""From K logits to K probabilities with a temperature, and the cross-entropy of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, above, at_least, between
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = [
    "class_numbers",
    "cross_entropy",
    "cross_entropy_gradient",
    "logsumexp",
    "one_hot",
    "sample_classes",
    "smoothed_cross_entropy",
    "smoothed_targets",
    "softmax",
]


def class_numbers(ask: Ask, y: Any) -> Any:
    """Read class numbers from 0 to K − 1, where K is a count of columns or an argument."""
    K = ask.lengths["K"] if "K" in ask.lengths else ask.arguments["K"]
    strange = (y < 0) | (y >= K)
    if strange.any():
        ask.fail(f"hold class numbers from 0 to {K - 1}", f"{y[strange][0]:g}")
    return y


@checked
def logsumexp(a: Float[ndarray, "*batch K"]) -> Float[ndarray, "*batch"]:
    """log Σⱼ exp aⱼ over the last axis, for logits of any size.

    log Σⱼ e^{aⱼ} = c + log Σⱼ e^{aⱼ−c},  c = maxⱼ aⱼ   {eq}`eq-softmax-logsumexp`

    After the shift the largest term is e⁰ = 1: nothing overflows, and what underflows did not matter.
    """
    c = a.max(axis=-1, keepdims=True)
    with np.errstate(over="ignore"):  # a − c is at most 0, and exp(−inf) is the right limit
        return np.asarray(c[..., 0] + np.log(np.exp(a - c).sum(axis=-1)))


@checked(temperature=above(0))
def softmax(a: Float[ndarray, "*batch K"], temperature: float = 1.0) -> Float[ndarray, "*batch K"]:
    """Probabilities in proportion to exp(aₖ/τ), along the last axis.

    πₖ = exp(aₖ/τ) / Σⱼ exp(aⱼ/τ)                     {eq}`eq-softmax-definition`

    τ → 0 gives all weight to the largest logit (shared if several tie), τ → ∞ the same weight to all.
    """
    with np.errstate(over="ignore"):  # a − max is at most 0, and exp(−inf) is the right limit
        weights = np.exp((a - a.max(axis=-1, keepdims=True)) / temperature)
    return weights / weights.sum(axis=-1, keepdims=True)


@checked(temperature=above(0))
def sample_classes(
    a: Float[ndarray, "n K"], rng: np.random.Generator, temperature: float = 1.0
) -> Int[ndarray, "n"]:
    """One class per row of logits, class k with probability softmax(a/τ)ₖ.

    The probabilities, end to end, divide [0, 1) into K stretches; the class is the stretch that a uniform
    number falls into, counted from 0: k = #{j < K : u ≥ π₁ + … + πⱼ}   {eq}`eq-softmax-sampling`
    """
    ends = softmax(a, temperature).cumsum(axis=1)[:, :-1]  # the last end is 1 but for rounding
    return (rng.random((len(a), 1)) >= ends).sum(axis=1)


@checked(labels=class_numbers, K=at_least(1))
def one_hot(labels: Int[ndarray, "n"], K: int) -> Float[ndarray, "n {K}"]:
    """Row i has a 1 in the column of its class and 0 elsewhere: no class is nearer to one than to another."""
    return np.eye(K)[labels]


@checked(y=class_numbers)
def cross_entropy(a: Float[ndarray, "n K"], y: Int[ndarray, "n"]) -> float:
    """The mean surprise, in nats, at the true classes y when class k was given probability softmax(a)ₖ.

    L = (1/n) Σᵢ [log Σⱼ e^{aᵢⱼ} − aᵢ,yᵢ]             {eq}`eq-softmax-cross-entropy`
    """
    return float(np.mean(logsumexp(a) - a[np.arange(len(a)), y]))


@checked(y=class_numbers)
def cross_entropy_gradient(a: Float[ndarray, "n K"], y: Int[ndarray, "n"]) -> Float[ndarray, "n K"]:
    """The gradient of `cross_entropy` by the logits: predicted minus true, over n. Its rows sum to zero.

    ∂L/∂a = (π − one-hot y) / n                       {eq}`eq-softmax-logit-gradient`
    """
    return (softmax(a) - one_hot(y, a.shape[1])) / len(a)


@checked(labels=class_numbers, K=at_least(1), smoothing=between(0, 1))
def smoothed_targets(labels: Int[ndarray, "n"], K: int, smoothing: float) -> Float[ndarray, "n {K}"]:
    """One-hot rows of which a share is spread evenly over all K classes.

    t = (1 − α)·one-hot y + α/K                       {eq}`eq-softmax-targets`
    """
    return (1 - smoothing) * one_hot(labels, K) + smoothing / K


@checked(y=class_numbers, smoothing=between(0, 1))
def smoothed_cross_entropy(a: Float[ndarray, "n K"], y: Int[ndarray, "n"], smoothing: float) -> float:
    """The mean cross-entropy of softmax(a) with `smoothed_targets` in place of the one-hot labels.

    L = (1/n) Σᵢ Σₖ tᵢₖ [log Σⱼ e^{aᵢⱼ} − aᵢₖ]          {eq}`eq-softmax-smoothing`
    """
    surprise = logsumexp(a)[:, None] - a
    return float((smoothed_targets(y, a.shape[1], smoothing) * surprise).sum() / len(a))
