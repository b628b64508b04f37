"""The small triangle that stands for a tall least-squares problem."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.least_squares.solutions import least_squares

__all__ = ["least_squares_by_blocks", "reduced_rows"]

BLOCK = 10_000  # rows at a time: few enough for the cache, enough to keep every core busy


@checked
def reduced_rows(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"]
) -> tuple[Float[ndarray, "m d"], Float[ndarray, "m *k"]]:
    """A small R and z that stand for X and y: the sum of squares is the same for every θ.

    ‖Xθ − y‖² = ‖Rθ − z‖²,  where (R z) is the triangle in the QR decomposition of (X y)

    Q is never formed, and the rows are reduced in blocks, each to a triangle, then the triangles to one.
    """
    d = X.shape[1]
    if len(X) <= 2 * (d + y[0].size):
        return X, y  # small enough already
    R = np.vstack(
        [
            np.linalg.qr(np.column_stack([X[i : i + BLOCK], y[i : i + BLOCK]]), mode="r")
            for i in range(0, len(X), BLOCK)
        ]
    )
    if len(X) > BLOCK:
        R = np.asarray(np.linalg.qr(R, mode="r"))
    return R[:, :d], R[:, d] if y.ndim == 1 else R[:, d:]


@checked(ridge=at_least(0))
def least_squares_by_blocks(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], ridge: float = 0.0
) -> Float[ndarray, "d *k"]:
    """`least_squares` of the small triangle instead of the tall X: the same θ, several times faster."""
    return least_squares(*reduced_rows(X, y), ridge)
