"""A convolution is a matrix; its transpose brings outputs back to inputs."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import at_least, own_precision
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.convolution.columns import col2im
from chapters_src.networks.convolution.sizes import places, transposed_size

__all__ = ["convolution_matrix", "transposed_convolution"]

STEPS = {"stride": at_least(1), "padding": at_least(0), "dilation": at_least(1)}


@checked(size=at_least(1), **STEPS)
def convolution_matrix(
    W: Float[ndarray, "k"], size: int, stride: int = 1, padding: int = 0, dilation: int = 1
) -> Float[ndarray, "m n"]:
    """The matrix A with A x = `sliding_dot_product` of x with W, for signals of this size.

    A[i, iS + kD − P] = wₖ, and 0 elsewhere   {eq}`eq-convolution-matrix`
    """
    A = np.zeros((places(size, len(W), stride, padding, dilation), size))
    for i in range(len(A)):
        for k, weight in enumerate(W):
            column = i * stride + k * dilation - padding
            if 0 <= column < size:  # the other taps meet a zero of the padding
                A[i, column] += weight
    return A


@checked(Y=own_precision, W=own_precision, extra=at_least(0), **STEPS)
def transposed_convolution(
    Y: Float[ndarray, "n o p q"],
    W: Float[ndarray, "o c r s"],
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
    extra: int = 0,
) -> Float[ndarray, "n c h v"]:
    """The transpose of `convolution` without its bias: every output puts a copy of its filter down.

    ⟨A x, y⟩ = ⟨x, Aᵀ y⟩   {eq}`eq-convolution-adjoint`

    Up to S − 1 ``extra`` rows and columns belong to inputs that the convolution brings to the same size.
    """
    require(extra < stride, "extra", "be less than the stride", extra)
    (n, o, p, q), (r, s) = Y.shape, W.shape[2:]
    h, v = (bare(transposed_size)(m, k, stride, padding, dilation) + extra for m, k in ((p, r), (q, s)))
    cols = W.reshape(o, -1).T @ Y.reshape(n, o, -1)
    return bare(col2im)(cols, h, v, r, s, stride, padding, dilation)
