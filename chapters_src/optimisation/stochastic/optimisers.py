"""Gradient descent on noisy gradients, and what every optimiser has in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, refuse, unread
from chapters_src.core.readers import Limits, at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["SGD", "Optimiser", "share_of_one", "walk"]

share_of_one = Limits(at_least=0, below=1)


class Optimiser:
    """A learning rate, a count of steps, and whatever is remembered between them.

    ``step`` takes θ and a gradient and returns the next θ. It changes neither; only its memory changes.
    """

    @unread
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
    """Gradient descent on whatever gradient it is given, with weight decay if wanted.

    θ ← θ − η(g + λθ)                                         {eq}`eq-stochastic-sgd`
    """

    @checked(learning_rate=at_least(0), weight_decay=at_least(0))
    def __init__(self, learning_rate: float, *, weight_decay: float = 0.0) -> None:
        super().__init__(learning_rate, weight_decay, memories=0)

    def _move(
        self, theta: Float[ndarray, "*shape"], g: Float[ndarray, "*shape"], eta: float
    ) -> Float[ndarray, "*shape"]:
        return theta - eta * (g + self.weight_decay * theta)


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
