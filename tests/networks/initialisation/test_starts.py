"""Orthogonal layers: lengths, singular values, mean squares, and no preferred direction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.initialisation import initialise_orthogonal


@settings(max_examples=30, deadline=None)
@given(a=st.integers(1, 12), b=st.integers(1, 12), c=st.floats(0.1, 4), seed=st.integers(0, 99))
def test_all_singular_values_agree_and_the_mean_square_is_c_over_inputs(a, b, c, seed):
    ((W, bias),) = initialise_orthogonal((a, b), np.random.default_rng(seed), c)
    values = np.linalg.svd(W, compute_uv=False)
    np.testing.assert_allclose(values, np.sqrt(c * max(a, b) / a), rtol=1e-12)
    assert np.mean(W**2) == pytest.approx(c / a, rel=1e-12)
    assert (bias == 0).all()


def test_fifty_square_layers_keep_every_length():
    X = h = np.random.default_rng(1).normal(size=(5, 20))
    for W, b in initialise_orthogonal([20] * 51, np.random.default_rng(0)):
        h = h @ W + b
    np.testing.assert_allclose(np.linalg.norm(h, axis=1), np.linalg.norm(X, axis=1), rtol=1e-12)


def test_no_direction_is_preferred():
    """Without mended signs the diagonal of Q has one sign; here every entry has mean 0."""
    rng = np.random.default_rng(0)
    turns = np.stack([initialise_orthogonal((3, 3), rng)[0].W for _ in range(4000)])
    np.testing.assert_allclose(turns.mean(axis=0), 0, atol=4 / np.sqrt(3 * 4000))
    np.testing.assert_allclose((turns**2).mean(axis=0), 1 / 3, atol=0.03)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: initialise_orthogonal((3, 3), np.random.default_rng(0), -1.0), "c must be at least 0"),
        (lambda: initialise_orthogonal((3,), np.random.default_rng(0)), "initialise_orthogonal: widths must"),
        (lambda: initialise_orthogonal((3, 3), 0), "initialise_orthogonal: rng must be"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
