"""The perceptron of 1957: a hyperplane that moves only when it is wrong."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["Perceptron", "fit_perceptron", "mistake_bound", "perceptron_predict"]


class Perceptron(NamedTuple):
    """What the perceptron did: its last θ, every θ it had, whom it got wrong, and whether it came to rest."""

    theta: Float[ndarray, "d"]
    path: Float[ndarray, "m d"]
    mistakes: Int[ndarray, "k"]
    converged: bool
    passes: int


@checked
def perceptron_predict(X: Float[ndarray, "n d"], theta: Float[ndarray, "d"]) -> Float[ndarray, "n"]:
    """The side of the hyperplane on which each row lies, +1 or −1.

    ψ(a) = −1 + 2·[a > 0]                             {eq}`eq-generalised-step`
    """
    return np.where(X @ theta > 0, 1.0, -1.0)


def signs(ask: Ask, y: Any) -> Any:
    """Read labels −1 and +1, or say what else was found."""
    strange = np.abs(y) != 1
    if strange.any():
        ask.fail("hold only −1 and +1", f"{y[strange][0]:g}")
    return y


@checked(y=signs, passes=at_least(1))
def fit_perceptron(X: Float[ndarray, "n d"], y: Float[ndarray, "n"], passes: int = 100) -> Perceptron:
    """Go through the rows in order and, on each mistake, add yᵢxᵢ; end after a pass without a mistake.

    θₜ₊₁ = θₜ + yᵢxᵢ  if ψ(θₜᵀxᵢ) ≠ yᵢ,  θ₀ = 0       {eq}`eq-generalised-perceptron`

    The prediction is made with θₜ, the weights of this moment. A hyperplane that separates the data is found
    if there is one; if there is none, θ wanders until ``passes`` run out and ``converged`` is False.
    """
    theta = np.zeros(X.shape[1])
    path, mistakes = [theta], []
    done, converged = 0, False
    while done < passes and not converged:
        converged = True
        for i, (x_i, y_i) in enumerate(zip(X, y, strict=True)):
            if (1.0 if theta @ x_i > 0 else -1.0) != y_i:
                theta = theta + y_i * x_i
                path.append(theta)
                mistakes.append(i)
                converged = False
        done += 1
    return Perceptron(theta.copy(), np.array(path), np.array(mistakes, dtype=np.int64), converged, done)


@checked(y=signs)
def mistake_bound(X: Float[ndarray, "n d"], y: Float[ndarray, "n"], theta: Float[ndarray, "d"]) -> float:
    """How many mistakes the perceptron can make at most, for data that θ separates.

    mistakes ≤ (R/γ)²,  R = maxᵢ‖xᵢ‖,  γ = minᵢ yᵢθᵀxᵢ/‖θ‖      {eq}`eq-generalised-bound`
    """
    margin = float((y * (X @ theta)).min())
    require(margin > 0, "theta", "have every row on its side, yᵢθᵀxᵢ > 0", f"{margin:.3g}")
    gamma = margin / float(np.linalg.norm(theta))
    return float((X**2).sum(axis=1).max()) / gamma**2
