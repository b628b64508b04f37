"""Sequential minimal optimisation that remembers its errors and solves for the free weights at once."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.support_vectors.dual import SupportVectors, gram_matrix
from chapters_src.models.support_vectors.margins import two_classes

__all__ = ["smo_fast"]

FLATTEST = 1e-12  # the least curvature along a pair: twins have none, and a step must stay finite
FEW = 128  # so many free weights at most are solved for at once: more take longer than pairs


@checked(K=gram_matrix, y=two_classes, C=above(0), tolerance=above(0), steps=at_least(0))
def smo_fast(
    K: Float[ndarray, "n n"],
    y: Float[ndarray, "n"],
    C: float,
    tolerance: float = 1e-6,
    steps: int = 1_000_000,
) -> SupportVectors:
    """`smo` with errors that are updated instead of computed anew, and a partner that gains most.

    j = argmax (Eⱼ − Eᵢ)² / (Kᵢᵢ + Kⱼⱼ − 2Kᵢⱼ)        {eq}`eq-support-vectors-pair`

    After each round of n/2 pairs the weights strictly between 0 and C are moved together, where pairs zigzag.
    """
    alpha, E, done = np.zeros(len(y)), -y, 0
    while True:
        limit = min(len(y) // 2 + 1, steps - done)
        alpha, b, settled, used = _move_pairs(K, y, alpha, E, C, tolerance, limit)
        done += used
        if settled or done == steps:
            alpha[alpha < 1e-12 * C] = 0.0  # what rounding left of a weight
            return SupportVectors(alpha, b, settled, done)
        alpha = _move_free(K, y, alpha, C)
        E = K @ (alpha * y) - y


def _move_pairs(
    K: Float[ndarray, "n n"],
    y: Float[ndarray, "n"],
    alpha: Float[ndarray, "n"],
    E: Float[ndarray, "n"],
    C: float,
    tolerance: float,
    steps: int,
) -> tuple[Float[ndarray, "n"], float, bool, int]:
    """Weights and bias after so many pairs or once all agree, whether they do, and the pairs moved."""
    below, over = alpha < C, alpha > 0
    # The errors twice, with an infinite one where yᵢαᵢ cannot rise or fall: a step changes both rows at once.
    rows = np.where(y > 0, below, over), np.where(y > 0, over, below)
    errors = np.stack([np.where(rows[0], E, np.inf), np.where(rows[1], E, -np.inf)])
    rising, falling = errors
    a, sign, diagonal = alpha.tolist(), y.tolist(), K.diagonal().copy()
    gain, curvature, value = (np.empty(len(y)) for _ in range(3))
    step, settled = 0, False
    while True:
        i = int(rising.argmin())
        np.subtract(falling, rising[i], out=gain)
        np.maximum(gain, 0.0, out=gain)
        np.multiply(K[i], -2.0, out=curvature)
        np.add(curvature, diagonal, out=curvature)
        np.add(curvature, diagonal[i], out=curvature)
        np.maximum(curvature, FLATTEST, out=curvature)
        np.multiply(gain, gain, out=value)
        j = int(np.divide(value, curvature, out=value).argmax())
        settled = bool(gain[j] <= tolerance and gain.max() <= tolerance)
        if settled or step == steps:
            break
        room_i = C - a[i] if sign[i] > 0 else a[i]
        room_j = a[j] if sign[j] > 0 else C - a[j]
        t = min(float(gain[j] / curvature[j]), room_i, room_j)
        E_i, E_j = rising[i], falling[j]
        a[i] = min(max(a[i] + sign[i] * t, 0.0), C)
        a[j] = min(max(a[j] - sign[j] * t, 0.0), C)
        for k, E_k in ((i, E_i), (j, E_j)):
            up, down = (a[k] < C, a[k] > 0) if sign[k] > 0 else (a[k] > 0, a[k] < C)
            rising[k] = E_k if up else np.inf
            falling[k] = E_k if down else -np.inf
        np.subtract(K[i], K[j], out=value)
        errors += np.multiply(value, t, out=value)
        step += 1
    b = -float(rising.min() + falling.max()) / 2
    return np.array(a), b, settled, step


def _move_free(
    K: Float[ndarray, "n n"], y: Float[ndarray, "n"], alpha: Float[ndarray, "n"], C: float
) -> Float[ndarray, "n"]:
    """Weights after the free ones went towards equal errors together, until none of them hits a bound.

    K Δ + ν1 = −E and 1ᵀΔ = 0 on the free weights, where Δ is the change of yα.
    """
    for _ in range(FEW):
        free = np.flatnonzero((alpha > 0) & (alpha < C))
        m = len(free)
        if not 2 <= m <= FEW:
            break
        rows = K[free]
        system = np.ones((m + 1, m + 1))
        system[:m, :m] = rows[:, free]
        # with more free weights than dimensions the block is singular
        system.flat[: m * (m + 2) : m + 2] += FLATTEST + 1e-10 * rows[:, free].trace() / m
        system[m, m] = 0.0
        E = rows @ (alpha * y) - y[free]
        change = y[free] * np.linalg.solve(system, np.append(-E, 0.0))[:m]
        room = np.where(change > 0, C - alpha[free], alpha[free])
        shares = room / np.maximum(np.abs(change), np.finfo(float).tiny)
        first = shares.argmin()
        share = min(1.0, float(shares[first]))
        alpha[free] = np.clip(alpha[free] + share * change, 0.0, C)
        if share == 1:
            break
        alpha[free[first]] = C if change[first] > 0 else 0.0
    return alpha
