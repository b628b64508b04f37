"""A stack of residual blocks is a sum over paths; here they are added up by their length."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.shapes import Float, ndarray

__all__ = ["by_path_length"]


@checked
def by_path_length(jacobians: Float[ndarray, "blocks d _"]) -> Float[ndarray, "_ d d"]:
    """Entry k is the sum of the products of k branch Jacobians, over all 2ⁿ paths, the first block rightmost.

    They are the coefficients of zᵏ in (I + zJₙ)⋯(I + zJ₁)  {eq}`eq-residual-paths`

    This takes one product more for each block and length, instead of one for each path.
    """
    blocks, d, columns = jacobians.shape
    require(d == columns, "jacobians", "be square", f"{d} × {columns}")
    sums = np.zeros((blocks + 1, d, d))
    sums[0] = np.eye(d)
    for J in jacobians:
        sums[1:] = sums[1:] + J @ sums[:-1]  # a path either skips this block or is one longer
    return sums
