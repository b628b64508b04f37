"""Optimisers that give each coordinate a rate of its own: Adagrad, RMSprop, Adam, AdamW."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Limits, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.optimisation.stochastic import Optimiser, share_of_one

__all__ = ["Adagrad", "Adam", "AdamW", "RMSprop", "adam_step_bound"]

ADAM_LIMITS = {
    "learning_rate": at_least(0),
    "beta1": share_of_one,
    "beta2": share_of_one,
    "eps": at_least(0),
    "weight_decay": at_least(0),
}


def _ratio(above: Float[ndarray, "*shape"], below: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """above/below, where 0/0, nothing having ever come, is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


class Adagrad(Optimiser):
    """Divide each coordinate by the root of the sum of all its squared gradients so far.

    s ← s + g²,  θ ← θ − ηg/(√s + ε)                          {eq}`eq-adaptive-adagrad`
    """

    @checked(learning_rate=at_least(0), eps=at_least(0), weight_decay=at_least(0))
    def __init__(self, learning_rate: float = 0.01, eps: float = 1e-10, weight_decay: float = 0.0) -> None:
        super().__init__(learning_rate, weight_decay, memories=1)
        self.eps = eps

    def _move(
        self, theta: Float[ndarray, "*shape"], g: Float[ndarray, "*shape"], eta: float
    ) -> Float[ndarray, "*shape"]:
        g = g + self.weight_decay * theta
        s = self._memory[0] + g**2
        self._memory = [s]
        return theta - eta * _ratio(g, np.sqrt(s) + self.eps)


class RMSprop(Optimiser):
    """Divide each coordinate by the root of a running mean of its squared gradients.

    s ← βs + (1−β)g²,  θ ← θ − ηg/(√s + ε)                    {eq}`eq-adaptive-rmsprop`

    ``centred`` takes the running variance s − ḡ² in place of s; ``momentum`` sums the scaled gradients.
    """

    @checked(
        learning_rate=at_least(0),
        beta=share_of_one,
        eps=at_least(0),
        momentum=share_of_one,
        weight_decay=at_least(0),
    )
    def __init__(
        self,
        learning_rate: float = 0.01,
        beta: float = 0.99,
        eps: float = 1e-8,
        momentum: float = 0.0,
        centred: bool = False,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, weight_decay, memories=3)
        self.beta, self.eps, self.momentum, self.centred = beta, eps, momentum, centred

    def _move(
        self, theta: Float[ndarray, "*shape"], g: Float[ndarray, "*shape"], eta: float
    ) -> Float[ndarray, "*shape"]:
        s, mean, u = self._memory
        g = g + self.weight_decay * theta
        s = self.beta * s + (1 - self.beta) * g**2
        mean = self.beta * mean + (1 - self.beta) * g
        # Rounding must not make a variance negative.
        spread = np.maximum(s - mean**2, 0.0) if self.centred else s
        u = self.momentum * u + _ratio(g, np.sqrt(spread) + self.eps)
        self._memory = [s, mean, u]
        return theta - eta * u


class Adam(Optimiser):
    """A running mean of gradients over the root of that of their squares, both freed of their start at 0.

    m ← β₁m + (1−β₁)g,  v ← β₂v + (1−β₂)g²
    m̂ = m/(1−β₁ᵗ),  v̂ = v/(1−β₂ᵗ),  θ ← θ − η m̂/(√v̂ + ε)     {eq}`eq-adaptive-adam`

    ``amsgrad`` divides by the largest v so far. ``weight_decay`` is an L2 penalty inside the gradient, and is
    divided by √v̂ with the rest; see `AdamW`.
    """

    decoupled = False

    @checked(**ADAM_LIMITS)
    def __init__(
        self,
        learning_rate: float = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
    ) -> None:
        super().__init__(learning_rate, weight_decay, memories=3)
        self.beta1, self.beta2, self.eps, self.amsgrad = beta1, beta2, eps, amsgrad

    def _move(
        self, theta: Float[ndarray, "*shape"], g: Float[ndarray, "*shape"], eta: float
    ) -> Float[ndarray, "*shape"]:
        m, v, largest = self._memory
        if self.decoupled:
            theta = (1 - eta * self.weight_decay) * theta
        else:
            g = g + self.weight_decay * theta
        m = self.beta1 * m + (1 - self.beta1) * g
        v = self.beta2 * v + (1 - self.beta2) * g**2
        largest = np.maximum(largest, v) if self.amsgrad else v
        self._memory = [m, v, largest]
        m_hat = m / (1 - self.beta1**self.t)
        v_hat = largest / (1 - self.beta2**self.t)
        return theta - eta * _ratio(m_hat, np.sqrt(v_hat) + self.eps)


class AdamW(Adam):
    """Adam with the weight decay taken out of the gradient, so that it is not divided by √v̂.

    θ ← (1 − ηλ)θ − η m̂/(√v̂ + ε)                              {eq}`eq-adaptive-adamw`
    """

    decoupled = True

    @checked(**ADAM_LIMITS)
    def __init__(
        self,
        learning_rate: float = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, eps, weight_decay, amsgrad)


@checked(beta1=share_of_one, beta2=Limits(above=0, below=1))
def adam_step_bound(beta1: float, beta2: float) -> float:
    """The most that m̂/√v̂ can come to in the long run, whatever the gradients; a step is η times as long.

    (1−β₁) / √((1−β₂)(1 − β₁²/β₂)),  if β₁² < β₂             {eq}`eq-adaptive-bound`
    """
    require(beta1**2 < beta2, "beta1", "have a square below beta2, or there is no bound", beta1)
    return float((1 - beta1) / np.sqrt((1 - beta2) * (1 - beta1**2 / beta2)))
