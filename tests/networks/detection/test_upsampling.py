"""Enlarged pictures against torch's, and the ties to pooling and convolution."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from torch.nn import functional as F

from chapters_src.networks.convolution import pool, transposed_convolution
from chapters_src.networks.detection import (
    bilinear,
    interpolation_matrix,
    max_pool_with_places,
    max_unpool,
    nearest,
    overlap_counts,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 5, 7))


@pytest.mark.parametrize("factor", [1, 2, 3])
def test_nearest_is_torchs(factor):
    theirs = F.interpolate(torch.tensor(X), scale_factor=factor, mode="nearest")
    assert_array_equal(nearest(X, factor), theirs.numpy())


@pytest.mark.parametrize("size", [(10, 14), (20, 28), (5, 7), (6, 13), (3, 4), (1, 1)])
def test_bilinear_is_torchs(size):
    theirs = F.interpolate(torch.tensor(X), size=size, mode="bilinear", align_corners=False)
    assert_allclose(bilinear(X, *size), theirs.numpy(), atol=1e-12)


def test_nearest_is_a_transposed_convolution_with_a_block_of_ones():
    one = RNG.normal(size=(1, 1, 4, 4))
    assert_allclose(transposed_convolution(one, np.ones((1, 1, 3, 3)), stride=3), nearest(one, 3))


def test_bilinear_by_two_is_a_transposed_convolution_inside():
    one, tent = RNG.normal(size=(1, 1, 6, 6)), np.array([1.0, 3, 3, 1]) / 4
    grown = transposed_convolution(one, np.outer(tent, tent)[None, None], stride=2, padding=1)
    assert_allclose(grown[..., 1:-1, 1:-1], bilinear(one, 12, 12)[..., 1:-1, 1:-1])


@given(size=st.integers(1, 9), new=st.integers(1, 30))
@settings(deadline=None)
def test_interpolation_weights(size, new):
    R = interpolation_matrix(size, new)
    assert_allclose(R.sum(axis=1), 1)
    assert R.min() >= 0
    assert (np.count_nonzero(R, axis=1) <= 2).all()
    assert_allclose(R[::-1, ::-1], R, atol=1e-12)


def test_interpolation_by_hand():
    assert_allclose(interpolation_matrix(2, 4) @ [0.0, 4.0], [0, 1, 3, 4])
    assert_allclose(interpolation_matrix(3, 6) @ [0.0, 4.0, 8.0], [0, 1, 3, 5, 7, 8])


@pytest.mark.parametrize("kernel", [1, 2, 3])
def test_unpooling_is_torchs(kernel):
    x = RNG.normal(size=(6, 12))
    ours, places = max_pool_with_places(x, kernel)
    theirs, where = F.max_pool2d(torch.tensor(x)[None, None], kernel, return_indices=True)
    assert_array_equal(places, where[0, 0].numpy())
    assert_array_equal(ours, pool(x[None, None], kernel)[0, 0])
    back = F.max_unpool2d(theirs, where, kernel)[0, 0].numpy()
    assert_array_equal(max_unpool(ours, places, 6, 12), back)


def test_unpooling_is_the_gradient_of_pooling():
    x = torch.tensor(RNG.normal(size=(1, 1, 8, 8)), requires_grad=True)
    g = RNG.normal(size=(4, 4))
    F.max_pool2d(x, 2).backward(torch.tensor(g)[None, None])
    _, places = max_pool_with_places(x.detach().numpy()[0, 0], 2)
    assert_array_equal(max_unpool(g, places, 8, 8), x.grad[0, 0].numpy())


@given(size=st.integers(1, 8), kernel=st.integers(1, 7), stride=st.integers(1, 5))
@settings(deadline=None)
def test_overlaps_by_counting(size, kernel, stride):
    counted = np.zeros(stride * (size - 1) + kernel)
    for i in range(size):
        counted[i * stride : i * stride + kernel] += 1
    assert_array_equal(overlap_counts(size, kernel, stride), counted)
    inside = counted[kernel - 1 : stride * (size - 1) + 1]
    if len(inside) >= stride:  # a whole period: even exactly if the stride divides the kernel
        assert (np.ptp(inside) == 0) == (kernel % stride == 0)


def test_messages():
    with pytest.raises(
        ValueError, match=r"^max_pool_with_places: kernel must divide the sides 5 and 7; got 2"
    ):
        max_pool_with_places(X[0, 0], 2)
    with pytest.raises(ValueError, match=r"^max_unpool: places must lie below 4; got 9"):
        max_unpool(np.ones((1, 1)), np.array([[9]]), 2, 2)
