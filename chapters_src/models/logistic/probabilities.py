"""From a logit to a probability and back, and what a wrong probability costs.

A score before it is squashed is called a logit and written a. Everything here works on logits, because a
probability that was rounded to 0 or 1 has lost what its loss needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, Limits, own_precision
from chapters_src.core.shapes import Float, ndarray

__all__ = [
    "accuracy",
    "binary_cross_entropy",
    "logit",
    "sigmoid",
    "softplus",
    "zero_or_one",
]


def zero_or_one(ask: Ask, y: Any) -> Any:
    """Read labels 0 and 1, or say what else was found."""
    strange = (y != 0) & (y != 1)
    if strange.any():
        ask.fail("hold only 0 and 1", f"{y[strange][0]:g}")
    return y


@checked(a=own_precision)
def sigmoid(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """The probability whose logit is a, of any size.

    σ(a) = 1 / (1 + e⁻ᵃ)                              {eq}`eq-logistic-sigmoid`

    Only e⁻|ᵃ| is ever computed, which cannot overflow: σ(a) = e^{min(a, 0)} / (1 + e⁻|ᵃ|).
    """
    small = np.exp(-np.abs(a))
    return np.asarray(np.where(a >= 0, 1.0, small) / (1.0 + small))


@checked(a=own_precision)
def softplus(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """log(1 + eᵃ), whose slope is σ, without overflow.

    log(1 + eᵃ) = max(a, 0) + log(1 + e⁻|ᵃ|)          {eq}`eq-logistic-stable`
    """
    return np.asarray(np.maximum(a, 0.0) + np.log1p(np.exp(-np.abs(a))))


@checked(p=Limits(above=0, below=1))
def logit(p: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """The log-odds of a probability, the inverse of `sigmoid`.

    a = log(p / (1 − p))                              {eq}`eq-logistic-logit`
    """
    return np.asarray(np.log(p) - np.log1p(-p))


@checked(y=zero_or_one)
def binary_cross_entropy(a: Float[ndarray, "n"], y: Float[ndarray, "n"]) -> float:
    """The mean surprise, in nats, at labels 0 and 1 when yes was given probability σ(a).

    L = (1/n) Σᵢ [log(1 + e^{aᵢ}) − yᵢaᵢ]             {eq}`eq-logistic-loss`
    """
    return float(np.mean(softplus(np.where(y == 1, -a, a))))


@checked
def accuracy(y: Float[ndarray, "n"], y_hat: Float[ndarray, "n"]) -> float:
    """The share of examples whose predicted class is the true one."""
    return float(np.mean(y == y_hat))
