"""Batch norm by hand: forward, backward, and the averages it keeps for later."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Float

__all__ = ["batch_norm", "batch_norm_backward", "running_averages"]


@checked(eps=at_least(0))
def batch_norm(
    a: Float[ndarray, "n d"], gain: Float[ndarray, "d"], shift: Float[ndarray, "d"], eps: float = 1e-5
) -> Float[ndarray, "n d"]:
    """Each column of a batch: minus its mean, over its standard deviation, then stretched and moved.

    ã = γ ⊙ (a − μ)/√(σ² + ε) + β,  μ and σ² over the n examples      {eq}`eq-normalisation-batch`
    """
    return gain * (a - a.mean(axis=0)) / np.sqrt(a.var(axis=0) + eps) + shift


@checked(eps=at_least(0))
def batch_norm_backward(
    a: Float[ndarray, "n d"], gain: Float[ndarray, "d"], delta: Float[ndarray, "n d"], eps: float = 1e-5
) -> tuple[Float[ndarray, "n d"], Float[ndarray, "d"], Float[ndarray, "d"]]:
    """The slopes of the loss in a, γ and β from its slopes ``delta`` in the output of `batch_norm`.

    ∂L/∂a = γ/s ⊙ (Δ − mean(Δ) − â ⊙ mean(Δ ⊙ â)),  s = √(σ² + ε)      {eq}`eq-normalisation-backward`
    """
    s = np.sqrt(a.var(axis=0) + eps)
    a_hat = (a - a.mean(axis=0)) / s
    along = np.mean(delta * a_hat, axis=0)
    return gain / s * (delta - delta.mean(axis=0) - a_hat * along), len(a) * along, delta.sum(axis=0)


@checked(share=between(0, 1))
def running_averages(
    values: Float[ndarray, "t *d"], share: float, start: Float[ndarray, "*d"]
) -> Float[ndarray, "t *d"]:
    """The average after each value: a share of the new one, and the rest of the average before.

    m_t = (1 − ρ) m_{t−1} + ρ v_t                                       {eq}`eq-normalisation-running`
    """
    average, averages = start, []
    for value in values:
        average = (1 - share) * average + share * value
        averages.append(average)
    return np.reshape(averages, values.shape)
