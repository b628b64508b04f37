"""Convolution as one matrix product: every window becomes a column."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import at_least, own_precision
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.convolution.sizes import places

__all__ = ["col2im", "convolution", "convolution_gradients", "im2col"]

COUNTS = {
    "rows": at_least(1),
    "columns": at_least(1),
    "height": at_least(1),
    "width": at_least(1),
}
STEPS = {"stride": at_least(1), "padding": at_least(0), "dilation": at_least(1)}


@checked(X=own_precision, rows=at_least(1), columns=at_least(1), **STEPS)
def im2col(
    X: Float[ndarray, "n c h v"],
    rows: int,
    columns: int,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> Float[ndarray, "n f m"]:
    """Every window of rows × columns taps as a column: f numbers in each of m columns per image."""
    (n, c, h, v), steps = X.shape, (stride, padding, dilation)
    m = places(h, rows, *steps, name="rows") * places(v, columns, *steps, name="columns")
    padded = np.pad(X, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    reach = dilation * (rows - 1) + 1, dilation * (columns - 1) + 1
    windows = sliding_window_view(padded, reach, axis=(2, 3))
    windows = windows[:, :, ::stride, ::stride, ::dilation, ::dilation]
    return windows.transpose(0, 1, 4, 5, 2, 3).reshape(n, c * rows * columns, m)


@checked(cols=own_precision, **COUNTS, **STEPS)
def col2im(
    cols: Float[ndarray, "n f m"],
    height: int,
    width: int,
    rows: int,
    columns: int,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> Float[ndarray, "n c h v"]:
    """Add every column back to where its window lay: the transpose of `im2col`."""
    (n, f, m), P = cols.shape, padding
    p = places(height, rows, stride, padding, dilation, name="rows")
    q = places(width, columns, stride, padding, dilation, name="columns")
    require(p * q == m, "cols", f"have {p} × {q} columns", m)
    require(f % (rows * columns) == 0, "cols", f"have {rows * columns} rows per channel", f)
    taps = cols.reshape(n, -1, rows, columns, p, q)
    padded = np.zeros((n, taps.shape[1], height + 2 * P, width + 2 * P), cols.dtype)
    for r in range(rows):
        for s in range(columns):
            y, x = r * dilation, s * dilation
            padded[:, :, y : y + p * stride : stride, x : x + q * stride : stride] += taps[:, :, r, s]
    return padded[:, :, P : P + height, P : P + width]


@checked(X=own_precision, W=own_precision, b=own_precision, **STEPS)
def convolution(
    X: Float[ndarray, "n c h v"],
    W: Float[ndarray, "o c r s"],
    b: Float[ndarray, "o"] | None = None,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> Float[ndarray, "n o p q"]:
    """`convolution_by_loops` as one matrix product per image.

    a = W₂ · im2col(x) + b,  W₂ with one filter per row   {eq}`eq-convolution-columns`
    """
    (n, _, h, v), (o, _, r, s) = X.shape, W.shape
    p, q = (places(a, k, stride, padding, dilation) for a, k in ((h, r), (v, s)))
    cols = bare(im2col)(X, r, s, stride, padding, dilation)
    answers = (W.reshape(o, -1) @ cols).reshape(n, o, p, q)
    return answers if b is None else answers + b[:, None, None]


@checked(X=own_precision, W=own_precision, G=own_precision, **STEPS)
def convolution_gradients(
    X: Float[ndarray, "n c h v"],
    W: Float[ndarray, "o c r s"],
    G: Float[ndarray, "n o p q"],
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> tuple[Float[ndarray, "n c h v"], Float[ndarray, "o c r s"], Float[ndarray, "o"]]:
    """The gradients of a loss in X, W and b, from its gradient G in the output of `convolution`.

    ∂W₂ = Σₙ gₙ im2col(xₙ)ᵀ,  ∂x = col2im(W₂ᵀ g),  ∂b = Σ g   {eq}`eq-convolution-backward`
    """
    (n, _, h, v), (o, _, r, s) = X.shape, W.shape
    p, q = (places(a, k, stride, padding, dilation) for a, k in ((h, r), (v, s)))
    require(G.shape[2:] == (p, q), "G", f"have {p} × {q} places", G.shape)
    cols, G = bare(im2col)(X, r, s, stride, padding, dilation), G.reshape(n, o, -1)
    by_W = (G @ cols.transpose(0, 2, 1)).sum(axis=0).reshape(W.shape)
    by_X = bare(col2im)(W.reshape(o, -1).T @ G, h, v, r, s, stride, padding, dilation)
    return by_X, by_W, G.sum(axis=(0, 2))
