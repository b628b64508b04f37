"""The definition, written as loops: one window, one dot product, one output."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.convolution.sizes import places

__all__ = ["convolution_by_loops", "sliding_dot_product"]


@checked(stride=at_least(1), padding=at_least(0), dilation=at_least(1))
def sliding_dot_product(
    x: Float[ndarray, "n"],
    W: Float[ndarray, "k"],
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> Float[ndarray, "m"]:
    """The dot product of a small template with every window of a signal.

    aᵢ = Σₖ wₖ x̃_{iS + kD},  x̃ = x with P zeros on either side   {eq}`eq-convolution-sliding`
    """
    padded = np.pad(x, padding)
    reach = dilation * (len(W) - 1) + 1
    starts = stride * np.arange(places(len(x), len(W), stride, padding, dilation))
    return np.array([padded[i : i + reach : dilation] @ W for i in starts])


@checked(stride=at_least(1), padding=at_least(0), dilation=at_least(1))
def convolution_by_loops(
    X: Float[ndarray, "n c h v"],
    W: Float[ndarray, "o c r s"],
    b: Float[ndarray, "o"] | None = None,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> Float[ndarray, "n o p q"]:
    """A convolution layer before its activation: o filters over n images of c channels.

    a[n, o, i, j] = b[o] + Σ_{c,r,s} W[o, c, r, s] · x̃[n, c, iS + rD, jS + sD]   {eq}`eq-convolution-channels`
    """
    (n, _, h, v), (o, _, r, s) = X.shape, W.shape
    rows, columns = (places(a, k, stride, padding, dilation) for a, k in ((h, r), (v, s)))
    padded = np.pad(X, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    reach = dilation * (r - 1) + 1, dilation * (s - 1) + 1
    answers = np.zeros((n, o, rows, columns))
    for image in range(n):
        for f in range(o):
            for i in range(rows):
                for j in range(columns):
                    y, x = i * stride, j * stride
                    window = padded[image, :, y : y + reach[0] : dilation, x : x + reach[1] : dilation]
                    answers[image, f, i, j] = np.sum(W[f] * window)
    return answers if b is None else answers + b[:, None, None]
