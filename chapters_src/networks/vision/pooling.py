"""Between the mean and the largest: a family of poolings, and what goes back through them."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import above, at_least, one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.convolution import pool

__all__ = ["pool_gradient", "power_pool"]


@checked(X=at_least(0), kernel=at_least(1), p=above(0))
def power_pool(X: Float[ndarray, "n c h v"], kernel: int, p: float) -> Float[ndarray, "n c i j"]:
    """The power mean of each window of kernel × kernel entries, side by side; the entries are not negative.

    M_p = (Σₖ xₖᵖ / K)^{1/p},  the mean at p = 1, the largest as p → ∞   {eq}`eq-vision-power`
    """
    largest = bare(pool)(X, kernel)
    scale = np.where(largest > 0, largest, 1.0)  # the largest power would overflow
    spread = np.repeat(np.repeat(scale, kernel, axis=2), kernel, axis=3)
    inside = X[:, :, : spread.shape[2], : spread.shape[3]]
    return scale * bare(pool)((inside / spread) ** p, kernel, kind="mean") ** (1 / p)


@checked(kernel=at_least(1), kind=one_of(["max", "mean"]))
def pool_gradient(
    X: Float[ndarray, "n c h v"], G: Float[ndarray, "n c i j"], kernel: int, kind: str = "max"
) -> Float[ndarray, "n c h v"]:
    """The gradient of a loss in X, from its gradient G in the output of `pool` with windows side by side.

    mean: g/K to each entry of the window;  max: all of g to the first of the largest   {eq}`eq-vision-route`
    """
    pooled = bare(pool)(X, kernel)
    require(G.shape == pooled.shape, "G", f"have shape {pooled.shape}", G.shape)
    back = np.zeros_like(X)
    for i in range(G.shape[2]):
        for j in range(G.shape[3]):
            there = (..., slice(i * kernel, (i + 1) * kernel), slice(j * kernel, (j + 1) * kernel))
            window = X[there].reshape(*X.shape[:2], -1)
            share = np.full(window.shape, 1 / kernel**2)
            if kind == "max":
                share = np.eye(kernel**2)[window.argmax(axis=-1)]
            back[there] = (share * G[:, :, i, j, None]).reshape(X[there].shape)
    return back
