"""One number for each window of each channel: its largest, smallest or mean entry."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import at_least, one_of, own_precision
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.convolution.sizes import output_size

__all__ = ["POOLINGS", "pool"]

POOLINGS: dict[str, Callable[..., ndarray]] = {"max": np.max, "mean": np.mean, "min": np.min}


@checked(X=own_precision, kernel=at_least(1), stride=at_least(1), kind=one_of(POOLINGS))
def pool(
    X: Float[ndarray, "n c h v"],
    kernel: int,
    stride: int | None = None,
    kind: str = "max",
    ceil: bool = False,
) -> Float[ndarray, "n c p q"]:
    """Each channel by windows of kernel × kernel; without a stride they lie side by side.

    With ``ceil`` a last window that hangs over the edge takes what is there.
    """
    step = kernel if stride is None else stride
    require(kernel <= min(X.shape[2:]), "kernel", f"be at most {min(X.shape[2:])}", kernel)
    rows, columns = (
        step * np.arange(bare(output_size)(length, kernel, step, ceil=ceil)) for length in X.shape[2:]
    )
    windows = [[X[:, :, i : i + kernel, j : j + kernel] for j in columns] for i in rows]
    pooled = [[POOLINGS[kind](window, axis=(2, 3)) for window in row] for row in windows]
    return np.moveaxis(np.array(pooled), (0, 1), (2, 3))
