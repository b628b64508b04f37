"""Adam for millions of parameters: in place, a block of every array at a time."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import above
from chapters_src.core.shapes import Float, ndarray
from chapters_src.optimisation.adaptive.optimisers import ADAM_LIMITS, Adam

__all__ = ["AdamByBlocks"]

BLOCK = 8_192  # numbers; a block of every array fits into the cache


class AdamByBlocks(Adam):
    """`Adam` without AMSGrad, to rounding; ε must be above 0, so that no block divides by zero."""

    @checked(**{**ADAM_LIMITS, "eps": above(0)})
    def __init__(
        self,
        learning_rate: float = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, eps, weight_decay)

    def _move(
        self, theta: Float[ndarray, "*shape"], g: Float[ndarray, "*shape"], eta: float
    ) -> Float[ndarray, "*shape"]:
        old, slope, new = theta.ravel(), g.ravel(), np.empty(theta.size)
        m, v = (one.ravel() for one in self._memory[:2])
        for start in range(0, theta.size, BLOCK):
            part = slice(start, start + BLOCK)
            new[part] = self._block(old[part], slope[part], eta, m[part], v[part])
        return new.reshape(theta.shape)

    def _block(
        self,
        theta: Float[ndarray, "p"],
        g: Float[ndarray, "p"],
        eta: float,
        m: Float[ndarray, "p"],
        v: Float[ndarray, "p"],
    ) -> Float[ndarray, "p"]:
        if self.weight_decay:
            g = g + self.weight_decay * theta
        work = g - m  # one array is used again and again, because making another costs as much as filling it
        work *= 1 - self.beta1
        m += work
        np.multiply(g, g, out=work)
        work *= 1 - self.beta2
        v *= self.beta2
        v += work
        np.sqrt(v, out=work)
        work /= np.sqrt(1 - self.beta2**self.t)  # √v̂ = √v / √(1−β₂ᵗ)
        work += self.eps
        step = np.divide(m, work, out=work)
        step *= eta / (1 - self.beta1**self.t)
        return np.subtract(theta, step, out=step)
