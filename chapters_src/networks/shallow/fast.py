"""A shallow network for many rows: the activations go by in blocks that stay in the cache."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.shallow.network import Network

__all__ = ["predict_in_blocks"]

BLOCK = 65_536  # activations computed at a time, half a megabyte


@checked
def predict_in_blocks(
    network: Network, X: Float[ndarray, "n {network.sizes[0]}"]
) -> Float[ndarray, "n {network.sizes[2]}"]:
    """What calling the network gives, without ever holding the activations of all rows at once."""
    y_hat = np.empty((len(X), len(network.b2)))
    block = max(1, BLOCK // len(network.b1))
    for first in range(0, len(X), block):
        rows = slice(first, first + block)
        h = X[rows] @ network.W1
        h += network.b1
        np.maximum(h, 0.0, out=h)
        np.matmul(h, network.W2, out=y_hat[rows])
    y_hat += network.b2
    return y_hat
