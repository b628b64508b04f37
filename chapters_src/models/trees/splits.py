"""How mixed a set is, and the threshold that unmixes it best, found in one sorted pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.probabilities import sums_to_one
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.shapes import Bool, Float, ndarray
from chapters_src.foundations.information import entropy

__all__ = [
    "IMPURITIES",
    "TIE",
    "Split",
    "best_split",
    "first_of_best",
    "gini",
    "midway",
    "split_gains",
]

IMPURITIES = ("variance", "entropy")
TIE = 1e-10  # gains that differ by less, relatively, differ by rounding


class Split(NamedTuple):
    """The best threshold of one column, the impurity that it removes, and where missing values go.

    A gain of −∞ says that no threshold is allowed.
    """

    gain: float
    threshold: float
    missing_left: bool


@checked(p=sums_to_one)
def gini(p: Float[ndarray, "*batch K"]) -> Float[ndarray, "*batch"]:
    """The chance that two draws from p differ: 0 for a certain p, 1 − 1/K for a uniform one.

    G(p) = Σₖ pₖ(1 − pₖ) = 1 − Σₖ pₖ²                   {eq}`eq-trees-gini`
    """
    return np.asarray(1 - (p**2).sum(axis=-1))


def split_gains(S: Float[ndarray, "n k"], W: Float[ndarray, "n"], impurity: str) -> Float[ndarray, "n-1"]:
    """What a cut after each row but the last gains, from running sums of weighted targets and weights.

    variance: (W_L W_R / W²) ‖ȳ_L − ȳ_R‖²               {eq}`eq-trees-gain`
    entropy:  H(ȳ) − (W_L H(ȳ_L) + W_R H(ȳ_R)) / W
    """
    W_left, W_right = W[:-1], W[-1] - W[:-1]
    left, right = S[:-1] / W_left[:, None], (S[-1] - S[:-1]) / W_right[:, None]
    if impurity == "variance":
        return W_left * W_right / W[-1] ** 2 * ((left - right) ** 2).sum(axis=1)
    H = bare(entropy)
    return H(S[-1] / W[-1]) - (W_left * H(left) + W_right * H(right)) / W[-1]


@checked(impurity=one_of(IMPURITIES), min_leaf=at_least(1), weights=at_least(1e-300))
def best_split(
    x: Float[ndarray, "n"],
    Y: Float[ndarray, "n *k"],
    impurity: str = "variance",
    min_leaf: int = 1,
    weights: Float[ndarray, "n"] | None = None,
    missing: Bool[ndarray, "n"] | None = None,
) -> Split:
    """Sort one column once and read off the gain of every threshold from running sums.

    Missing values are tried at both ends: behind all others, then before them.
    """
    best, n = Split(-np.inf, 0.0, False), len(x)
    w = np.ones(n) if weights is None else weights
    flat = Y.reshape(n, -1)
    if impurity == "variance":
        flat = flat - np.average(flat, axis=0, weights=w)  # changes no gain, and keeps digits
    wY = w[:, None] * flat
    ends = [np.inf, -np.inf] if missing is not None and missing.any() else [np.inf]
    for end in ends:
        place = x if missing is None else np.where(missing, end, x)
        order = np.argsort(place, kind="stable")
        xs, W, S = place[order], w[order].cumsum(), wY[order].cumsum(axis=0)
        cut = np.arange(min_leaf, n - min_leaf + 1)  # rows on the left
        cut = cut[xs[cut - 1] < xs[cut]]  # equal values cannot be separated
        if cut.size:
            gain = split_gains(S, W, impurity)[cut - 1]
            top = first_of_best(gain)
            if gain[top] - TIE * abs(gain[top]) > best.gain:
                best = Split(float(gain[top]), midway(xs[cut[top] - 1], xs[cut[top]]), end < 0)
    return best


def first_of_best(gains: Float[ndarray, "m"]) -> int:
    """The first of the largest gains, so that a tie is settled alike on every machine."""
    best = gains.max()
    return int((gains >= best - TIE * abs(best)).argmax()) if best > -np.inf else 0


def midway(low: float, high: float) -> float:
    """The middle between two neighbours, or the lower one where rounding would reach the upper."""
    middle = low / 2 + high / 2
    return float(middle if middle < high or high == np.inf else low)
