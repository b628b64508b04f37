"""The same idea by frequencies, and on graphs."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.shapes import Float, ndarray

__all__ = ["graph_convolution", "sliding_dot_product_by_fft"]


@checked
def sliding_dot_product_by_fft(x: Float[ndarray, "n"], W: Float[ndarray, "k"]) -> Float[ndarray, "m"]:
    """`sliding_dot_product` with stride 1 and no padding, by a product of spectra.

    a = F⁻¹(F(x) ⊙ conj F(w)),  first N − K + 1 entries   {eq}`eq-convolution-fft`
    """
    require(len(W) <= len(x), "W", "span no more than x", f"{len(W)} taps")
    spectrum = np.fft.rfft(x) * np.conj(np.fft.rfft(W, len(x)))
    return np.fft.irfft(spectrum, len(x))[: len(x) - len(W) + 1]


@checked
def graph_convolution(
    B: Float[ndarray, "n n"],
    H: Float[ndarray, "n d"],
    W_self: Float[ndarray, "d m"],
    W_near: Float[ndarray, "d m"],
) -> Float[ndarray, "n m"]:
    """The same two templates at every node: one for the node itself, one for the sum of its neighbours.

    H' = H W_self + B H W_near   {eq}`eq-convolution-graph`
    """
    return H @ W_self + B @ H @ W_near
