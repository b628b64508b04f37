"""Momentum: old gradients go on pushing, and on a quadratic the best settings are known."""

from __future__ import annotations

from typing import Literal

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import above, at_least, one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.optimisation.stochastic import Optimiser, share_of_one

__all__ = ["Momentum", "best_momentum", "momentum_matrix"]


class Momentum(Optimiser):
    """Step along a fading sum of gradients, with Nesterov's look-ahead if wanted.

    u ← βu + g,  θ ← θ − ηu          (convention "sum")       {eq}`eq-adaptive-momentum`
    m ← βm + (1−β)g,  θ ← θ − ηm     (convention "average")   {eq}`eq-adaptive-average`
    with Nesterov: θ ← θ − η(g + βu)                          {eq}`eq-adaptive-nesterov`

    With Nesterov θ is the point looked ahead to, where the next gradient is wanted.
    """

    @checked(
        learning_rate=at_least(0),
        beta=share_of_one,
        convention=one_of(["sum", "average"]),
        weight_decay=at_least(0),
    )
    def __init__(
        self,
        learning_rate: float,
        beta: float = 0.9,
        nesterov: bool = False,
        convention: Literal["sum", "average"] = "sum",
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, weight_decay, memories=1)
        self.beta, self.nesterov = beta, nesterov
        self.share = 1.0 - beta if convention == "average" else 1.0

    def _move(
        self, theta: Float[ndarray, "*shape"], g: Float[ndarray, "*shape"], eta: float
    ) -> Float[ndarray, "*shape"]:
        g = self.share * (g + self.weight_decay * theta)
        u = self.beta * self._memory[0] + g
        self._memory = [u]
        return theta - eta * (g + self.beta * u if self.nesterov else u)


@checked(curvature=above(0), learning_rate=above(0), beta=share_of_one)
def momentum_matrix(curvature: float, learning_rate: float, beta: float) -> Float[ndarray, "2 2"]:
    """What a step of momentum does to (θₜ, θₜ₋₁) along one eigenvector of a quadratic.

    ⎡1 + β − ηλᵢ  −β⎤
    ⎣     1        0⎦                                         {eq}`eq-adaptive-matrix`

    Errors shrink per step, in the long run, by the larger modulus of its two eigenvalues.
    """
    return np.array([[1 + beta - learning_rate * curvature, -beta], [1.0, 0.0]])


@checked(smallest=above(0), largest=above(0))
def best_momentum(smallest: float, largest: float) -> tuple[float, float]:
    """The η and β with the best long-run rate √β for all curvatures between two.

    η = 4/(√λ_max + √λ_min)²,  √β = (√κ − 1)/(√κ + 1),  κ = λ_max/λ_min     {eq}`eq-adaptive-best`
    """
    require(smallest <= largest, "smallest", f"be at most largest, {largest:g}", smallest)
    low, high = np.sqrt([smallest, largest])
    return float(4 / (high + low) ** 2), float(((high - low) / (high + low)) ** 2)
