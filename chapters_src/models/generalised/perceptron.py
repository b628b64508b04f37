"""The perceptron of 1957: a hyperplane that moves only when it is wrong."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["Perceptron", "fit_perceptron", "mistake_bound", "perceptron_predict"]


class Perceptron(NamedTuple):
    """What the perceptron did: its last θ, every θ it had, whom it got wrong, and whether it came to rest."""

    theta: Float[ndarray, "d"]
    path: Float[ndarray, "m d"]
    mistakes: Int[ndarray, "k"]
    converged: bool
    passes: int


def perceptron_predict(X: Float[ndarray, "n d"], theta: Float[ndarray, "d"]) -> Float[ndarray, "n"]:
    """The side of the hyperplane on which each row lies, +1 or −1.

    ψ(a) = −1 + 2·[a > 0]                             {eq}`eq-classification-step`
    """
    X = checks.matrix("perceptron_predict", "X", X)
    theta = checks.vector("perceptron_predict", "theta", theta, length=X.shape[1], per="column of X")
    return np.where(X @ theta > 0, 1.0, -1.0)


def _signs(function: str, y: object, n: int) -> Float[ndarray, "n"]:
    signs = checks.vector(function, "y", y, length=n, per="row of X")
    strange = np.abs(signs) != 1
    if strange.any():
        checks.fail(function, "y", "hold only −1 and +1", f"{signs[strange][0]:g}")
    return signs


def fit_perceptron(X: Float[ndarray, "n d"], y: Float[ndarray, "n"], passes: int = 100) -> Perceptron:
    """Go through the rows in order and, on each mistake, add yᵢxᵢ; end after a pass without a mistake.

    θₜ₊₁ = θₜ + yᵢxᵢ  if ψ(θₜᵀxᵢ) ≠ yᵢ,  θ₀ = 0       {eq}`eq-classification-perceptron`

    The prediction is made with θₜ, the weights of this moment. A hyperplane that separates the data is found
    if there is one; if there is none, θ wanders until ``passes`` run out and ``converged`` is False.
    """
    X = checks.matrix("fit_perceptron", "X", X)
    y = _signs("fit_perceptron", y, len(X))
    passes = checks.integer("fit_perceptron", "passes", passes, at_least=1)
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


def mistake_bound(X: Float[ndarray, "n d"], y: Float[ndarray, "n"], theta: Float[ndarray, "d"]) -> float:
    """How many mistakes the perceptron can make at most, for data that θ separates.

    mistakes ≤ (R/γ)²,  R = maxᵢ‖xᵢ‖,  γ = minᵢ yᵢθᵀxᵢ/‖θ‖      {eq}`eq-classification-bound`
    """
    X = checks.matrix("mistake_bound", "X", X)
    y = _signs("mistake_bound", y, len(X))
    theta = checks.vector("mistake_bound", "theta", theta, length=X.shape[1], per="column of X")
    margin = float((y * (X @ theta)).min())
    if margin <= 0:
        checks.fail("mistake_bound", "theta", "have every row on its side, yᵢθᵀxᵢ > 0", f"{margin:.3g}")
    gamma = margin / float(np.linalg.norm(theta))
    return float((X**2).sum(axis=1).max()) / gamma**2
