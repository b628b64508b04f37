"""Gradient descent on noisy gradients, with momentum, and what every optimiser has in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import Limits, above, at_least, one_of
from chapters_src.core.shapes import Float, ndarray

__all__ = ["SGD", "Optimiser", "clipped", "share_of_one", "walk"]

share_of_one = Limits(at_least=0, below=1)


class Optimiser:
    """A learning rate, a count of steps, and whatever is remembered between them.

    ``step`` takes θ and a gradient and returns the next θ. It changes neither; only its memory changes.
    """

    def __init__(self, learning_rate: float, weight_decay: float, memories: int) -> None:
        self.learning_rate, self.weight_decay = learning_rate, weight_decay
        self.t = 0
        self._memories = memories
        self._memory: list[Float[ndarray, "*shape"]] = []

    @checked(learning_rate=at_least(0))
    def step(
        self,
        theta: Float[ndarray, "*shape"],
        gradient: Float[ndarray, "*shape"],
        learning_rate: float | None = None,
    ) -> Float[ndarray, "*shape"]:
        """The next θ; ``learning_rate`` replaces the optimiser's own for this step, as a schedule does."""
        if not self._memory:
            self._memory = [np.zeros_like(theta) for _ in range(self._memories)]
        elif self._memory[0].size != theta.size:
            refuse("theta", f"have {self._memory[0].size} entries, as many as in the step before", theta.size)
        self.t += 1
        eta = self.learning_rate if learning_rate is None else learning_rate
        with np.errstate(over="ignore", invalid="ignore"):
            return self._move(theta, gradient, eta)

    def _move(
        self, theta: Float[ndarray, "*shape"], g: Float[ndarray, "*shape"], eta: float
    ) -> Float[ndarray, "*shape"]:
        raise NotImplementedError


class SGD(Optimiser):
    """Gradient descent, with momentum β and Nesterov's look-ahead if wanted.

    u ← βu + g,  θ ← θ − ηu          (convention "sum")       {eq}`eq-stochastic-momentum`
    m ← βm + (1−β)g,  θ ← θ − ηm     (convention "average")   {eq}`eq-stochastic-average`
    with Nesterov: θ ← θ − η(g + βu)                          {eq}`eq-stochastic-nesterov`

    The sum moves 1/(1−β) times as far as the average. torch.optim.SGD takes the sum. With Nesterov θ is the
    point looked ahead to, where the next gradient is wanted.
    """

    @checked(
        learning_rate=at_least(0),
        momentum=share_of_one,
        convention=one_of(["sum", "average"]),
        weight_decay=at_least(0),
    )
    def __init__(
        self,
        learning_rate: float,
        momentum: float = 0.0,
        nesterov: bool = False,
        convention: Literal["sum", "average"] = "sum",
        weight_decay: float = 0.0,
    ) -> None:
        require(not nesterov or momentum, "momentum", "be above 0 for Nesterov's look-ahead", momentum)
        super().__init__(learning_rate, weight_decay, memories=1 if momentum else 0)
        self.momentum, self.nesterov = momentum, nesterov
        self.share = 1.0 - momentum if convention == "average" else 1.0

    def _move(
        self, theta: Float[ndarray, "*shape"], g: Float[ndarray, "*shape"], eta: float
    ) -> Float[ndarray, "*shape"]:
        g = g + self.weight_decay * theta
        if not self.momentum:
            return theta - eta * g
        u = self.momentum * self._memory[0] + self.share * g
        self._memory = [u]
        return theta - eta * (self.share * g + self.momentum * u if self.nesterov else u)


@checked(largest=above(0))
def clipped(gradient: Float[ndarray, "*shape"], largest: float) -> Float[ndarray, "*shape"]:
    """The gradient, shortened to norm ``largest`` if it is longer; its direction stays.

    g · min(1, c/‖g‖)                                         {eq}`eq-stochastic-clip`
    """
    most = float(np.abs(gradient).max())
    if most == 0:
        return gradient.copy()
    size = float(np.linalg.norm(gradient / most))  # the norm over ``most``: squares of 10²⁰⁰ would overflow
    return gradient * min(1.0, largest / most / size)


@checked(steps=at_least(1))
def walk(
    gradient: Callable[[Any], Any],
    theta: Float[ndarray, "d"],
    optimiser: Optimiser,
    steps: int,
    schedule: Callable[[int], float] | None = None,
) -> Float[ndarray, "t d"]:
    """Every θ from the start on; shorter than ``steps`` + 1 rows if θ or its gradient overflows."""
    here = theta.copy()
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
