"""The tuned passes give what the formulas give, in the arrays that they are handed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.backprop.fast import loss_and_gradients_into
from chapters_src.networks.backprop.layers import initialise
from chapters_src.networks.backprop.passes import LOSSES, loss_and_gradients
from chapters_src.networks.shallow import flat, layers_from


@settings(max_examples=40)
@given(
    st.lists(st.integers(1, 7), min_size=2, max_size=5),
    st.integers(1, 9),
    st.sampled_from(["relu", "tanh", "sigmoid", "gelu"]),
    st.sampled_from(sorted(LOSSES)),
    st.sampled_from([np.float32, np.float64]),
    st.integers(0, 2**32 - 1),
)
def test_equal_to_the_formulas(widths, n, phi, loss, dtype, seed):
    rng = np.random.default_rng(seed)
    layers = [(W, rng.normal(size=b.shape).astype(dtype)) for W, b in initialise(widths, rng, dtype=dtype)]
    X = rng.normal(size=(n, widths[0])).astype(dtype)
    y = rng.integers(0, widths[-1], n) if loss == "cross-entropy" else rng.normal(size=(n, widths[-1]))
    out = [(np.full_like(W, 7), np.full_like(b, 7)) for W, b in layers]
    value = loss_and_gradients_into(out, layers, X, y, phi, loss)
    expected, gradients = loss_and_gradients(layers, X, y, phi, loss)
    close = 1e-4 if dtype == np.float32 else 1e-11
    assert value == pytest.approx(expected, rel=close, abs=close)
    np.testing.assert_allclose(flat(out), flat(gradients), rtol=close, atol=close)


@pytest.mark.parametrize("out", [3, None, [], [3, 4], [(1, 2), (3, 4)], [np.zeros(3)]])
def test_where_nothing_can_be_written_is_refused(out):
    rng = np.random.default_rng(0)
    layers, X, y = initialise((4, 5, 3), rng), rng.normal(size=(6, 4)), rng.integers(0, 3, 6)
    with pytest.raises(ValueError, match="loss_and_gradients_into: out must have the shapes of the layers"):
        loss_and_gradients_into(out, layers, X, y)


def test_views_of_one_vector_are_filled():
    rng = np.random.default_rng(0)
    layers, X, y = initialise((4, 5, 3), rng), rng.normal(size=(6, 4)), rng.integers(0, 3, 6)
    theta = np.full(flat(layers).shape, 7.0)
    loss_and_gradients_into(layers_from(theta, (4, 5, 3)), layers, X, y)
    np.testing.assert_allclose(theta, flat(loss_and_gradients(layers, X, y)[1]), rtol=1e-12, atol=1e-15)
