"""The functions of networks that numpy lacks: activations, and sums of exponentials without overflow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, unread
from chapters_src.networks import activations
from chapters_src.networks.autodiff.forms import elementwise, kept
from chapters_src.networks.autodiff.tracing import DERIVATIVES, Rule, plain, primitive, shape_of

__all__ = ["log_softmax", "logsumexp", "relu", "sigmoid", "softmax", "softplus"]

relu = primitive(bare(activations.relu))
sigmoid = primitive(bare(activations.sigmoid))
softplus = primitive(bare(activations.softplus))
elementwise(relu, lambda y, x: lambda s: s * np.greater(plain(y), 0))  # slope 0 at 0
elementwise(sigmoid, lambda y, x: lambda s: s * (y * (1 - y)))
elementwise(softplus, lambda y, x: lambda s: s * sigmoid(x))


@primitive
def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """log Σ exp(x) along ``axis``, without overflow: the largest entry is taken out of the sum first."""
    largest = np.max(x, axis, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0)
    total = np.log(np.sum(np.exp(x - largest), axis, keepdims=True)) + largest
    return total if keepdims else np.squeeze(total, axis)


def _push_logsumexp(y: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Callable[[Any], Any]:
    wide = kept(shape_of(x), axis)
    return lambda t: np.sum(t * np.exp(x - np.reshape(y, wide)), axis, keepdims=keepdims)


def _pull_logsumexp(y: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Callable[[Any], Any]:
    wide = kept(shape_of(x), axis)
    return lambda g: np.reshape(g, wide) * np.exp(x - np.reshape(y, wide))


DERIVATIVES[logsumexp] = Rule(logsumexp, [_push_logsumexp], [_pull_logsumexp])


@unread
def log_softmax(x: Any, axis: int = -1) -> Any:
    """x − log Σ exp(x) along ``axis``."""
    return x - logsumexp(x, axis, keepdims=True)


@unread
def softmax(x: Any, axis: int = -1) -> Any:
    """exp(x) / Σ exp(x) along ``axis``."""
    return np.exp(log_softmax(x, axis))
