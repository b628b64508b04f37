"""Every way to compute a convolution against torch, scipy, and one another."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import toeplitz
from scipy.signal import correlate

from chapters_src.networks.convolution import (
    col2im,
    convolution,
    convolution_by_loops,
    convolution_gradients,
    convolution_matrix,
    graph_convolution,
    im2col,
    pool,
    sliding_dot_product,
    sliding_dot_product_by_fft,
    transposed_convolution,
)

STEPS = [(1, 0, 1), (1, 2, 1), (2, 1, 1), (3, 0, 1), (1, 1, 2), (2, 2, 3), (3, 1, 2)]
RNG = np.random.default_rng(0)
X, W, b = RNG.normal(size=(2, 3, 11, 9)), RNG.normal(size=(4, 3, 3, 2)), RNG.normal(size=4)


def by_torch(X, W, b=None, stride=1, padding=0, dilation=1):
    given = [None if one is None else torch.tensor(one) for one in (X, W, b)]
    return torch.nn.functional.conv2d(*given, stride, padding, dilation).numpy()


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("function", [convolution, convolution_by_loops])
def test_convolution_is_torchs(function, steps):
    assert_allclose(function(X, W, b, *steps), by_torch(X, W, b, *steps), atol=1e-12)
    assert_allclose(function(X, W, None, *steps), by_torch(X, W, None, *steps), atol=1e-12)


def test_float32_stays():
    single = [one.astype(np.float32) for one in (X, W, b)]
    Z = convolution(*single)
    assert Z.dtype == np.float32
    assert [one.dtype for one in convolution_gradients(*single[:2], Z)] == [np.float32] * 3


@pytest.mark.parametrize("steps", STEPS)
def test_gradients_by_torch_and_by_differences(steps):
    G = RNG.normal(size=convolution(X, W, b, *steps).shape)
    leaves = [torch.tensor(one, requires_grad=True) for one in (X, W, b)]
    torch.nn.functional.conv2d(*leaves, *steps).backward(torch.tensor(G))
    ours = convolution_gradients(X, W, G, *steps)
    for mine, leaf in zip(ours, leaves, strict=True):
        assert_allclose(mine, leaf.grad.numpy(), atol=1e-11)
    step = 1e-6
    for place, (arrays, mine) in enumerate(zip([(X, W, b)] * 3, ours, strict=True)):
        towards = RNG.normal(size=arrays[place].shape)
        moved = [[*arrays], [*arrays]]
        for sign, one in zip((1, -1), moved, strict=True):
            one[place] = one[place] + sign * step * towards
        up, down = (np.sum(G * convolution_by_loops(*one, *steps)) for one in moved)
        assert_allclose((up - down) / (2 * step), np.sum(mine * towards), rtol=1e-5, atol=1e-6)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 3), st.integers(0, 2), st.integers(1, 3), st.integers(1, 3), st.integers(7, 10))
def test_transposed_is_the_adjoint(stride, padding, dilation, kernel, side):
    rng = np.random.default_rng(side)
    x, w = rng.normal(size=(1, 2, side, side)), rng.normal(size=(3, 2, kernel, kernel))
    z = convolution(x, w, None, stride, padding, dilation)
    y = rng.normal(size=z.shape)
    extra = (side + 2 * padding - dilation * (kernel - 1) - 1) % stride
    back = transposed_convolution(y, w, stride, padding, dilation, extra)
    assert back.shape == x.shape
    assert_allclose(np.sum(z * y), np.sum(x * back), rtol=1e-10, atol=1e-10)
    theirs = torch.nn.functional.conv_transpose2d(
        torch.tensor(y), torch.tensor(w), None, stride, padding, extra, 1, dilation
    )
    assert_allclose(back, theirs.numpy(), atol=1e-12)


@pytest.mark.parametrize("steps", STEPS)
def test_columns_are_torchs_unfold_and_fold(steps):
    stride, padding, dilation = steps
    theirs = {"kernel_size": (3, 2), "stride": stride, "padding": padding, "dilation": dilation}
    cols = im2col(X, 3, 2, *steps)
    assert_allclose(cols, torch.nn.functional.unfold(torch.tensor(X), **theirs).numpy())
    C = RNG.normal(size=cols.shape)
    folded = torch.nn.functional.fold(torch.tensor(C), (11, 9), **theirs).numpy()
    assert_allclose(col2im(C, 11, 9, 3, 2, *steps), folded, atol=1e-12)


@pytest.mark.parametrize("steps", STEPS)
def test_one_dimension(steps):
    x, w = RNG.normal(size=17), RNG.normal(size=4)
    z = sliding_dot_product(x, w, *steps)
    wide = torch.nn.functional.conv1d(torch.tensor(x)[None, None], torch.tensor(w)[None, None], None, *steps)
    assert_allclose(z, wide.numpy()[0, 0], atol=1e-12)
    assert_allclose(convolution_matrix(w, 17, *steps) @ x, z, atol=1e-12)


def test_matrix_is_toeplitz():
    w = np.array([1.0, 2.0, 3.0])
    column, row = np.array([1.0, 0, 0, 0]), np.array([1.0, 2, 3, 0, 0, 0])
    assert_allclose(convolution_matrix(w, 6), toeplitz(column, row))


@pytest.mark.parametrize("taps", [1, 2, 7, 16])
def test_by_frequencies(taps):
    x, w = RNG.normal(size=16), RNG.normal(size=taps)
    assert_allclose(sliding_dot_product_by_fft(x, w), correlate(x, w, "valid"), atol=1e-12)


@pytest.mark.parametrize(("kernel", "stride"), [(2, None), (3, 2), (2, 1), (4, 3)])
@pytest.mark.parametrize("ceil", [False, True])
def test_pooling_is_torchs(kernel, stride, ceil):
    x, given = torch.tensor(X), {"kernel_size": kernel, "stride": stride, "ceil_mode": ceil}
    largest = torch.nn.functional.max_pool2d(x, **given).numpy()
    assert_allclose(pool(X, kernel, stride, "max", ceil), largest)
    assert_allclose(pool(-X, kernel, stride, "min", ceil), -largest)
    mean = torch.nn.functional.avg_pool2d(x, **given).numpy()
    assert_allclose(pool(X, kernel, stride, "mean", ceil), mean, atol=1e-12)


def test_pooling_worked():
    x = np.array([0.0, 0, 5, 1, 0, 0, 2, 0])
    image = np.tile(x, (2, 1))[None, None]
    assert pool(image, 2)[0, 0, 0].tolist() == [0, 5, 0, 2]
    assert pool(np.roll(image, 1, axis=-1), 2)[0, 0, 0].tolist() == [0, 5, 1, 2]


def test_equivariance_away_from_edges():
    shifted = np.roll(X, (2, 1), axis=(2, 3))
    here, there = convolution(X, W, b), convolution(shifted, W, b)
    assert_allclose(there[:, :, 2:, 1:], here[:, :, :-2, :-1], atol=1e-12)


def test_graph_convolution_follows_the_names_of_the_nodes():
    A = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]], float)
    H, S, N = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 2)), RNG.normal(size=(3, 2))
    Z, order = graph_convolution(A, H, S, N), np.array([2, 0, 3, 1])
    assert_allclose(graph_convolution(A[np.ix_(order, order)], H[order], S, N), Z[order], atol=1e-12)
    assert_allclose(Z[2], H[2] @ S + H[0] @ N, atol=1e-12)


def test_graph_convolution_on_a_ring_is_a_convolution():
    A = np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)
    h = RNG.normal(size=6)
    around = np.pad(h, 1, mode="wrap")
    ring = graph_convolution(A, h[:, None], np.array([[2.0]]), np.array([[-1.0]]))
    assert_allclose(ring[:, 0], sliding_dot_product(around, [-1.0, 2.0, -1.0]), atol=1e-12)


def test_refusals():
    with pytest.raises(ValueError, match="convolution: W must span no more than the padded input"):
        convolution(X, W, dilation=6)
    with pytest.raises(ValueError, match="convolution: W must have shape"):
        convolution(X, W[:, :2])
    with pytest.raises(ValueError, match="im2col: columns must span no more"):
        im2col(X, 3, 10)
    with pytest.raises(ValueError, match="col2im: cols must have 9 × 8 columns"):
        col2im(np.ones((1, 6, 71)), 11, 9, 3, 2)
    with pytest.raises(ValueError, match="col2im: cols must have 6 rows per channel"):
        col2im(np.ones((1, 7, 72)), 11, 9, 3, 2)
    with pytest.raises(ValueError, match="convolution_gradients: G must have 9 × 8 places"):
        convolution_gradients(X, W, np.ones((2, 4, 8, 8)))
    with pytest.raises(ValueError, match="pool: kernel must be at most 9"):
        pool(X, 10)
    with pytest.raises(ValueError, match="transposed_convolution: extra must be less than the stride"):
        transposed_convolution(np.ones((1, 4, 3, 3)), W, extra=1)
    with pytest.raises(ValueError, match="sliding_dot_product_by_fft: W must span"):
        sliding_dot_product_by_fft(np.ones(3), np.ones(4))
