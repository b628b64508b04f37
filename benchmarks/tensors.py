"""`einsum` with three operands beside numpy's best order, and moments of a stream beside its two passes."""

from __future__ import annotations

import numpy as np

from benchmarks._timing import Row, against
from chapters_src.foundations.tensors import einsum_by_matmul, running_moments_by_blocks

TITLE = "`einsum` with three operands, and mean and variance of 10⁷ numbers, against numpy"
CONTRACTIONS = {
    "ij,jk,kl->il": [(300, 400), (400, 500), (500, 200)],
    "ni,ijk,nj->nk": [(500, 30), (30, 40, 50), (500, 40)],
    "nij,njk,nkl->nil": [(100, 40, 50), (100, 50, 60), (100, 60, 30)],
}


def rows(n: int = 10_000_000) -> list[Row]:
    """Return the comparisons; both sides have to agree."""
    rng = np.random.default_rng(0)
    found = []
    for subscripts, shapes in CONTRACTIONS.items():
        arrays = [rng.standard_normal(shape) for shape in shapes]
        np.testing.assert_allclose(
            einsum_by_matmul(subscripts, *arrays), np.einsum(subscripts, *arrays, optimize=True), atol=1e-9
        )
        found += against(
            lambda subscripts=subscripts, arrays=arrays: einsum_by_matmul(subscripts, *arrays),
            {
                f"numpy.einsum(optimize=True), {subscripts}": lambda subscripts=subscripts, arrays=arrays: (
                    np.einsum(subscripts, *arrays, optimize=True)
                )
            },
        )
    x = 1e3 + rng.standard_normal(n)
    np.testing.assert_allclose(running_moments_by_blocks(x).variance, x.var(), rtol=1e-9)
    two_passes = {"numpy's mean and var, one column": lambda: (x.mean(), x.var())}
    found += against(lambda: running_moments_by_blocks(x), two_passes)
    X = x.reshape(-1, 10)
    columns = {"numpy's mean and var, ten columns": lambda: (X.mean(axis=0), X.var(axis=0))}
    return found + against(lambda: running_moments_by_blocks(X), columns)
