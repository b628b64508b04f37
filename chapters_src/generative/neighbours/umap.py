"""UMAP: a graph of fuzzy neighbours, and a picture in which its edges are short and its gaps wide."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import curve_fit

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.fit import Fit
from chapters_src.core.progress import bar
from chapters_src.core.readers import Ask, above, at_least, between
from chapters_src.core.shapes import Float, ndarray
from chapters_src.generative.clusters import squared_distances

__all__ = ["Curve", "directed_memberships", "fit_umap", "fuzzy_graph", "membership_curve", "umap_loss"]


def memberships(ask: Ask, W: Any) -> Any:
    """A symmetric matrix of numbers from 0 to 1, with nothing on its diagonal."""
    ask.require(bool(((W >= 0) & (W <= 1)).all()), "hold numbers from 0 to 1", f"{W.min():g} to {W.max():g}")
    ask.require(
        np.allclose(W, W.T) and not np.diag(W).any(), "be symmetric, its diagonal 0", "another matrix"
    )
    return W


@checked(neighbours=at_least(2))
def directed_memberships(X: Float[ndarray, "n d"], neighbours: int) -> Float[ndarray, "n n"]:
    """How much point i counts j among its ``neighbours`` nearest; its nearest counts 1.

    wᵢⱼ = exp(−(‖xᵢ − xⱼ‖ − ρᵢ)/σᵢ), with σᵢ such that Σⱼ wᵢⱼ = log₂ k   {eq}`eq-neighbours-membership`

    Where more points than log₂ k tie with the nearest, they count 1 each and all others 0.
    """
    require(neighbours < len(X), "neighbours", f"be below {len(X)}, the number of rows of X", neighbours)
    away = np.sqrt(bare(squared_distances)(X, X))
    np.fill_diagonal(away, np.inf)
    near = np.argsort(away, axis=1, kind="stable")[:, :neighbours]
    beyond = np.take_along_axis(away, near, axis=1)
    beyond = beyond - beyond[:, [0]]  # distance past the nearest, ρ
    scale = np.maximum(beyond.max(axis=1, keepdims=True), 1e-300)
    low, high = np.full_like(scale, -40.0), np.full_like(scale, 40.0)  # bounds of log(σ / scale)
    for _ in range(60):
        middle = (low + high) / 2
        weights = np.exp(-beyond / scale * np.exp(-middle))
        too_wide = weights.sum(axis=1, keepdims=True) > np.log2(neighbours)
        low, high = np.where(too_wide, low, middle), np.where(too_wide, middle, high)
    W = np.zeros_like(away)
    np.put_along_axis(W, near, weights, axis=1)
    return W


@checked(neighbours=at_least(2))
def fuzzy_graph(X: Float[ndarray, "n d"], neighbours: int) -> Float[ndarray, "n n"]:
    """i and j are joined if either counts the other: w + w′ − w w′     {eq}`eq-neighbours-union`."""
    W = bare(directed_memberships)(X, neighbours)
    return W + W.T - W * W.T


class Curve(NamedTuple):
    """v(s) = 1/(1 + a sᵇ) of a squared distance s in the map."""

    a: float
    b: float


@checked(least=between(0, 2))
def membership_curve(least: float) -> Curve:
    """The smooth curve nearest to: 1 up to distance ``least``, from there e^(least − distance)."""
    r = np.linspace(0, 3, 300)
    wanted = np.where(r < least, 1.0, np.exp(least - r))
    (a, b), _ = curve_fit(lambda r, a, b: 1 / (1 + a * r ** (2 * b)), r, wanted, p0=(1.0, 1.0))
    return Curve(float(a), float(b))


@checked(W=memberships)
def umap_loss(W: Float[ndarray, "n n"], Y: Float[ndarray, "n k"], curve: Curve) -> float:
    """The cross-entropy of all pairs: −Σ w log v + (1 − w) log(1 − v)   {eq}`eq-neighbours-cross-entropy`."""
    s = bare(squared_distances)(Y, Y)[np.triu_indices(len(Y), 1)]
    w, grown = W[np.triu_indices(len(W), 1)], curve.a * np.maximum(s, 1e-12) ** curve.b
    return float((np.log1p(grown) - (1 - w) * np.log(grown)).sum())


def _pulls(s: Float[ndarray, "m"], curve: Curve) -> tuple[Float[ndarray, "m"], Float[ndarray, "m"]]:
    """The slopes of −log v and of −log(1 − v) along s, the second kept finite where points meet."""
    grown = curve.a * s**curve.b
    return curve.b * grown / (np.maximum(s, 1e-12) * (1 + grown)), -curve.b / ((0.001 + s) * (1 + grown))


@checked(W=memberships, rate=above(0), epochs=at_least(1), negatives=at_least(1))
def fit_umap(
    W: Float[ndarray, "n n"],
    start: Float[ndarray, "n 2"],
    curve: Curve,
    rng: np.random.Generator,
    rate: float = 1.0,
    epochs: int = 200,
    negatives: int = 5,
    progress: bool | None = None,
) -> Fit:
    """In every epoch an edge acts with probability w: it pulls its ends, and random points push them.

    ∂(−log v)/∂s and ∂(−log(1 − v))/∂s along s = ‖yᵢ − yⱼ‖²     {eq}`eq-neighbours-forces`
    """
    head, tail = np.nonzero(W)
    Y, losses = start.copy(), [bare(umap_loss)(W, start, curve)]
    for epoch in bar(range(epochs), "epochs", show=progress):
        acts = rng.random(len(head)) < W[head, tail]
        i, j = head[acts], tail[acts]
        others = rng.integers(len(Y), size=(negatives, len(i)))
        moved = np.zeros_like(Y)
        for ends, pushes in ((j, False), *((row, True) for row in others)):
            off = Y[i] - Y[ends]
            slope = _pulls(np.square(off).sum(axis=1), curve)[int(pushes)]
            step = np.clip(2 * slope[:, None] * off, -4, 4)
            np.add.at(moved, i, -step)
            if not pushes:
                np.add.at(moved, ends, step)
        # All edges act at once, not one after the other: a quarter of their sum keeps the steps stable.
        Y = Y + rate * (1 - epoch / epochs) * np.clip(moved / 4, -4, 4)
        losses.append(bare(umap_loss)(W, Y, curve))
    return Fit(Y, np.array(losses), False, epochs)
