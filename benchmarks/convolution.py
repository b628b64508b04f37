"""Forward and backward of convolutions by columns beside torch, float32, one thread each."""

from __future__ import annotations

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from benchmarks._timing import Row, against
from chapters_src.networks.convolution import convolution, convolution_gradients

TITLE = "Forward and backward of a convolution by im2col, float32, one thread"

LAYERS = {  # images, channels in, side, filters, kernel, stride, padding, dilation
    "32 digits, 1 → 16 channels, 5×5": (32, 1, 28, 16, 5, 1, 2, 1),
    "32 images, 16 → 32 channels, 3×3": (32, 16, 28, 32, 3, 1, 1, 1),
    "32 images, 32 → 64 channels, 3×3, stride 2": (32, 32, 14, 64, 3, 2, 1, 1),
    "32 images, 16 → 16 channels, 3×3, dilation 2": (32, 16, 28, 16, 3, 1, 2, 2),
}


def compared(what: str, repeats: int) -> Row:
    """One layer both ways; both have to find the same outputs and gradients."""
    n, c, side, o, k, stride, padding, dilation = LAYERS[what]
    rng = np.random.default_rng(0)
    X, W = (rng.standard_normal(shape, dtype=np.float32) for shape in ((n, c, side, side), (o, c, k, k)))
    b = rng.standard_normal(o, dtype=np.float32)
    steps = (stride, padding, dilation)
    G = rng.standard_normal(convolution(X, W, b, *steps).shape, dtype=np.float32)
    images, filters, bias = leaves = [torch.tensor(one, requires_grad=True) for one in (X, W, b)]
    signal = torch.tensor(G)

    def by_columns() -> tuple:
        return convolution(X, W, b, *steps), *convolution_gradients(X, W, G, *steps)

    def by_torch() -> tuple:
        Z = torch.nn.functional.conv2d(images, filters, bias, stride, padding, dilation)
        return Z, *torch.autograd.grad(Z, leaves, signal)

    for mine, theirs in zip(by_columns(), by_torch(), strict=True):
        theirs = theirs.detach().numpy()
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-3 * np.abs(theirs).max())
    return against(by_columns, {"torch": by_torch}, repeats=repeats, warm_up=3)[0]._replace(what=what)


def rows(repeats: int = 41) -> list[Row]:
    """Return the comparison of each layer."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(limits=1):
            return [compared(what, repeats) for what in LAYERS]
    finally:
        torch.set_num_threads(threads)
