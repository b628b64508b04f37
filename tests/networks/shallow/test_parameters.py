"""Layers: how they lie in a vector, how many numbers they hold, and what they may be read from."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.core.readers import Ask, Refusal
from chapters_src.networks.shallow.parameters import (
    Layer,
    fits_layers,
    fitting_layers,
    flat,
    layers_from,
    parameter_count,
)

shapes = st.lists(st.integers(1, 6), min_size=2, max_size=5).map(tuple)


def random_layers(sizes, seed):
    rng = np.random.default_rng(seed)
    return [Layer(rng.normal(size=(a, b)), rng.normal(size=b)) for a, b in pairwise(sizes)]


@given(shapes, st.integers(0, 2**32 - 1))
def test_flatten_and_back(sizes, seed):
    layers = random_layers(sizes, seed)
    theta = flat(layers)
    assert theta.size == sum((a + 1) * b for a, b in pairwise(sizes))
    for (W, b), (V, c) in zip(layers, layers_from(theta, sizes), strict=True):
        np.testing.assert_array_equal(W, V)
        np.testing.assert_array_equal(b, c)


def test_unflattened_layers_are_views():
    theta = np.zeros(3 * 2 + 2)
    ((W, b),) = layers_from(theta, (3, 2))
    theta[:] = np.arange(8.0)
    np.testing.assert_array_equal(W, [[0, 1], [2, 3], [4, 5]])
    np.testing.assert_array_equal(b, [6, 7])


@given(shapes)
def test_the_vector_has_as_many_entries_as_there_are_parameters(sizes):
    assert parameter_count(sizes) == flat(random_layers(sizes, 0)).size


def test_float32_stays_and_a_mixture_is_refused():
    W, b = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    (layer,) = fitting_layers(Ask("layers"), [(W, b)])
    assert layer.W is W and layer.b.dtype == np.float32
    assert flat([(W, b)]).dtype == np.float32
    with pytest.raises(Refusal, match=r"^layers must be of one precision; got float32 and float64$"):
        fitting_layers(Ask("layers"), [(W, b.astype(float))])


def test_inputs_get_the_precision_of_the_layers():
    layers = [Layer(np.ones((2, 3), np.float32), np.ones(3, np.float32))]
    ask = Ask("X", {"layers": layers})
    assert fits_layers(ask, np.ones((4, 2))).dtype == np.float32
    with pytest.raises(Refusal, match=r"^X must have shape \(n, 2\), one column per row of the first W; got"):
        fits_layers(ask, np.ones((4, 3)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: layers_from(np.zeros(7), (3, 2)),
            r"layers_from: theta must have shape \(8,\), one per parameter",
        ),
        (lambda: layers_from(np.full(8, np.nan), (3, 2)), "layers_from: theta must be finite"),
        (lambda: flat([]), r"flat: layers must be a list of pairs \(W, b\); got an empty list"),
        (lambda: flat([np.ones((2, 2))]), r"flat: layers must be a list of pairs"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
