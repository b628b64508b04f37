"""Optimisers: what to do with a gradient that is noisy, badly scaled or both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray

__all__ = ["SGD", "Adam", "AdamW", "Optimiser", "RMSprop", "adam_step_bound", "clipped", "walk"]

BLOCK = 8_192  # numbers; a block of every array fits into the cache, so that a step reads memory only once


class Optimiser:
    """A learning rate, a count of steps, and whatever is remembered between them.

    ``step`` takes θ and a gradient and returns the next θ. It changes neither; only its memory changes.
    """

    def __init__(self, learning_rate: float, weight_decay: float, memories: int) -> None:
        name = type(self).__name__
        self.learning_rate = checks.number(name, "learning_rate", learning_rate, at_least=0)
        self.weight_decay = checks.number(name, "weight_decay", weight_decay, at_least=0)
        self.t = 0
        self._memories = memories
        self._memory: list[Float[ndarray, "p"]] = []

    def step(
        self,
        theta: Float[ndarray, "*shape"],
        gradient: Float[ndarray, "*shape"],
        learning_rate: float | None = None,
    ) -> Float[ndarray, "*shape"]:
        """The next θ; ``learning_rate`` replaces the optimiser's own for this step, as a schedule does."""
        theta = checks.array("step", "theta", theta)
        gradient = checks.same_shape("step", "gradient", gradient, as_name="theta", shape=theta.shape)
        eta = self.learning_rate
        if learning_rate is not None:
            eta = checks.number("step", "learning_rate", learning_rate, at_least=0)
        if not self._memory:
            self._memory = [np.zeros(theta.size) for _ in range(self._memories)]
        elif self._memory[0].size != theta.size:
            was = self._memory[0].size
            checks.fail("step", "theta", f"have {was} entries, as many as in the step before", theta.size)
        self.t += 1
        old, g, new = theta.ravel(), gradient.ravel(), np.empty(theta.size)
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, theta.size, BLOCK):
                part = slice(start, start + BLOCK)
                new[part] = self._move(old[part], g[part], eta, *(one[part] for one in self._memory))
        return new.reshape(theta.shape)

    def _move(
        self, theta: Float[ndarray, "p"], g: Float[ndarray, "p"], eta: float, *memory: Float[ndarray, "p"]
    ) -> Float[ndarray, "p"]:
        raise NotImplementedError


class SGD(Optimiser):
    """Gradient descent, with momentum β and Nesterov's look-ahead if wanted.

    u ← βu + g,  θ ← θ − ηu          (convention "sum")       {eq}`eq-stochastic-momentum`
    m ← βm + (1−β)g,  θ ← θ − ηm     (convention "average")   {eq}`eq-stochastic-average`
    with Nesterov: θ ← θ − η(g + βu)                          {eq}`eq-stochastic-nesterov`

    The sum moves 1/(1−β) times as far as the average. torch.optim.SGD takes the sum. With Nesterov θ is the
    point looked ahead to, where the next gradient is wanted.
    """

    def __init__(
        self,
        learning_rate: float,
        momentum: float = 0.0,
        nesterov: bool = False,
        convention: Literal["sum", "average"] = "sum",
        weight_decay: float = 0.0,
    ) -> None:
        self.momentum = checks.number("SGD", "momentum", momentum, at_least=0, below=1)
        super().__init__(learning_rate, weight_decay, memories=1 if self.momentum else 0)
        if convention not in ("sum", "average"):
            checks.fail("SGD", "convention", "be 'sum' or 'average'", repr(convention))
        if nesterov and not self.momentum:
            checks.fail("SGD", "momentum", "be above 0 for Nesterov's look-ahead", momentum)
        self.nesterov = nesterov
        self.share = 1.0 - self.momentum if convention == "average" else 1.0

    def _move(
        self, theta: Float[ndarray, "p"], g: Float[ndarray, "p"], eta: float, *memory: Float[ndarray, "p"]
    ) -> Float[ndarray, "p"]:
        if self.weight_decay:
            g = g + self.weight_decay * theta
        if not memory:
            return theta - eta * g
        (u,) = memory
        u *= self.momentum
        u += self.share * g
        return theta - eta * (self.share * g + self.momentum * u if self.nesterov else u)


class RMSprop(Optimiser):
    """Divide each coordinate by the root of a running mean of its squared gradients.

    s ← βs + (1−β)g²,  θ ← θ − ηg/(√s + ε)                    {eq}`eq-stochastic-rmsprop`

    ``centred`` takes the running variance s − ḡ² in place of s; ``momentum`` sums the scaled gradients.
    """

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
        self.beta = checks.number("RMSprop", "beta", beta, at_least=0, below=1)
        self.eps = checks.number("RMSprop", "eps", eps, at_least=0)
        self.momentum = checks.number("RMSprop", "momentum", momentum, at_least=0, below=1)
        self.centred = centred

    def _move(
        self, theta: Float[ndarray, "p"], g: Float[ndarray, "p"], eta: float, *memory: Float[ndarray, "p"]
    ) -> Float[ndarray, "p"]:
        s, mean, u = memory
        if self.weight_decay:
            g = g + self.weight_decay * theta
        s *= self.beta
        s += (1 - self.beta) * (g * g)
        spread = s
        if self.centred:
            mean += (1 - self.beta) * (g - mean)
            spread = np.maximum(s - mean * mean, 0.0)  # rounding must not make a variance negative
        scaled = _ratio(g, np.sqrt(spread) + self.eps, safe=self.eps > 0)
        if not self.momentum:
            return theta - eta * scaled
        u *= self.momentum
        u += scaled
        return theta - eta * u


class Adam(Optimiser):
    """A running mean of gradients over the root of that of their squares, both freed of their start at 0.

    m ← β₁m + (1−β₁)g,  v ← β₂v + (1−β₂)g²
    m̂ = m/(1−β₁ᵗ),  v̂ = v/(1−β₂ᵗ),  θ ← θ − η m̂/(√v̂ + ε)     {eq}`eq-stochastic-adam`

    v is the mean of the squares, not a variance: nothing is subtracted. ``amsgrad`` divides by the largest v
    so far. ``weight_decay`` is an L2 penalty inside the gradient; see `AdamW`.
    """

    decoupled = False

    def __init__(
        self,
        learning_rate: float = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
    ) -> None:
        name = type(self).__name__
        super().__init__(learning_rate, weight_decay, memories=3 if amsgrad else 2)
        self.beta1 = checks.number(name, "beta1", beta1, at_least=0, below=1)
        self.beta2 = checks.number(name, "beta2", beta2, at_least=0, below=1)
        self.eps = checks.number(name, "eps", eps, at_least=0)

    def _move(
        self, theta: Float[ndarray, "p"], g: Float[ndarray, "p"], eta: float, *memory: Float[ndarray, "p"]
    ) -> Float[ndarray, "p"]:
        m, v, *largest = memory
        if self.weight_decay and self.decoupled:
            theta = theta * (1 - eta * self.weight_decay)
        elif self.weight_decay:
            g = g + self.weight_decay * theta
        work = g - m  # one array is used again and again, because making another costs as much as filling it
        work *= 1 - self.beta1
        m += work
        np.multiply(g, g, out=work)
        work *= 1 - self.beta2
        v *= self.beta2
        v += work
        for most in largest:
            np.maximum(most, v, out=most)
        np.sqrt(largest[0] if largest else v, out=work)
        work /= np.sqrt(1 - self.beta2**self.t)  # √v̂ = √v / √(1−β₂ᵗ)
        work += self.eps
        step = _ratio(m, work, safe=self.eps > 0)
        step *= eta / (1 - self.beta1**self.t)
        return np.subtract(theta, step, out=step)


class AdamW(Adam):
    """Adam with the weight decay taken out of the gradient, so that it is not divided by √v̂.

    θ ← (1 − ηλ)θ − η m̂/(√v̂ + ε)                              {eq}`eq-stochastic-adamw`
    """

    decoupled = True

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


def _ratio(above: Float[ndarray, "p"], below: Float[ndarray, "p"], safe: bool) -> Float[ndarray, "p"]:
    """above/below, written over below if that is ``safe``; otherwise 0/0, nothing having ever come, is 0."""
    if safe:
        return np.divide(above, below, out=below)
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


def adam_step_bound(beta1: float, beta2: float) -> float:
    """The most that m̂/√v̂ can come to in the long run, whatever the gradients; a step is η times as long.

    (1−β₁) / √((1−β₂)(1 − β₁²/β₂)),  if β₁² < β₂             {eq}`eq-stochastic-bound`
    """
    beta1 = checks.number("adam_step_bound", "beta1", beta1, at_least=0, below=1)
    beta2 = checks.number("adam_step_bound", "beta2", beta2, above=0, below=1)
    if beta1**2 >= beta2:
        checks.fail("adam_step_bound", "beta1", "have a square below beta2, or there is no bound", beta1)
    return float((1 - beta1) / np.sqrt((1 - beta2) * (1 - beta1**2 / beta2)))


def clipped(gradient: Float[ndarray, "*shape"], largest: float) -> Float[ndarray, "*shape"]:
    """The gradient, shortened to norm ``largest`` if it is longer; its direction stays.

    g · min(1, c/‖g‖)                                         {eq}`eq-stochastic-clip`
    """
    gradient = checks.array("clipped", "gradient", gradient)
    largest = checks.number("clipped", "largest", largest, above=0)
    most = float(np.abs(gradient).max())
    if most == 0:
        return gradient.copy()
    size = float(np.linalg.norm(gradient / most))  # the norm over ``most``: squares of 10²⁰⁰ would overflow
    return gradient * min(1.0, largest / most / size)


def walk(
    gradient: Callable[[Any], Any],
    theta: Float[ndarray, "d"],
    optimiser: Optimiser,
    steps: int,
    schedule: Callable[[int], float] | None = None,
) -> Float[ndarray, "t d"]:
    """Every θ from the start on; shorter than ``steps`` + 1 rows if θ or its gradient overflows."""
    here = checks.vector("walk", "theta", theta).copy()
    steps = checks.integer("walk", "steps", steps, at_least=1)
    if not isinstance(optimiser, Optimiser):
        checks.fail("walk", "optimiser", "be an Optimiser, such as SGD(0.1)", repr(optimiser)[:40])
    path = [here]
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(steps):
            g = np.asarray(gradient(here), dtype=float)
            if not np.isfinite(g).all():
                break
            here = optimiser.step(here, g, schedule(t) if schedule else None)
            if not np.isfinite(here).all():
                break
            path.append(here)
    return np.array(path)
