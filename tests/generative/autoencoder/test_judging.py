"""Measures of pictures and features, against loops and other libraries."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors

from chapters_src.core import device
from chapters_src.generative.autoencoder import best_matches, commonest_share, to_nearest


def rows(n, d, seed):
    return torch.randn(n, d, generator=device.seed(seed))


def test_nearest_by_scikit_learn():
    A, B = rows(20, 7, 0), rows(35, 7, 1)
    expected = NearestNeighbors(n_neighbors=1).fit(B.numpy()).kneighbors(A.numpy())[0][:, 0]
    np.testing.assert_allclose(to_nearest(A, B).numpy(), expected, rtol=1e-4)
    assert to_nearest(B[:3], B).max() < 1e-2  # the distance of a row to itself, in single precision


def test_best_matches_by_scikit_learn():
    A, B = rows(6, 5, 0), rows(9, 5, 1)
    expected = cosine_similarity(A.numpy(), B.numpy()).max(axis=1)
    np.testing.assert_allclose(best_matches(A, B).numpy(), expected, rtol=1e-5)
    torch.testing.assert_close(best_matches(3 * A, A), torch.ones(6))


@given(st.integers(0, 200), st.integers(1, 5))
def test_shares_by_counting(seed, top):
    Z = torch.relu(rows(15, 6, seed))
    labels = torch.randint(0, 3, (15,), generator=device.seed(seed + 1))
    shares, which = commonest_share(Z, labels, top)
    for share, j in zip(shares, which, strict=True):
        order = np.argsort(-Z[:, j].numpy(), kind="stable")[:top]
        assert share.item() == pytest.approx(Counter(labels[order].tolist()).most_common(1)[0][1] / top)
    assert which.tolist() == [j for j in range(6) if (Z[:, j] > 0).sum() >= top]


def test_a_share_worked_by_hand():
    Z = torch.tensor([[3.0, 0.0], [2.0, 0.0], [1.0, 5.0], [0.0, 0.0]])
    shares, which = commonest_share(Z, torch.tensor([7, 7, 2, 2]), 3)
    assert which.tolist() == [0]
    assert shares.tolist() == pytest.approx([2 / 3])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: to_nearest(torch.ones(2, 3), torch.ones(2, 4)),
            r"^to_nearest: X must have shape \(n, 3\), .*got \(2, 4\)$",
        ),
        (
            lambda: to_nearest(torch.ones(2, 3), torch.ones(2, 3).double()),
            r"^to_nearest: X must be torch.float32 on cpu, as pictures is; got torch.float64 on cpu$",
        ),
        (
            lambda: commonest_share(torch.zeros(4, 2), torch.zeros(4, dtype=torch.int64), 2),
            r"^commonest_share: top must be small enough for some column; got 2$",
        ),
        (
            lambda: best_matches(torch.full((1, 2), torch.nan), torch.ones(1, 2)),
            r"^best_matches: A must be finite; got NaN or inf$",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
