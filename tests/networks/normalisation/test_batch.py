"""Batch norm forwards and backwards: against torch, central differences and hand-worked numbers."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.normalisation import batch_norm, batch_norm_backward, running_averages


def drawn(seed, n=7, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(1.0, 3.0, (n, d)), rng.normal(size=d), rng.normal(size=d), rng.normal(size=(n, d))


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 9), eps=st.sampled_from([1e-8, 1e-5, 0.3]))
def test_forward_and_backward_are_torchs(seed, n, eps):
    a, gain, shift, delta = drawn(seed, n)
    leaves = [torch.tensor(v, requires_grad=True) for v in (a, gain, shift)]
    out = F.batch_norm(leaves[0], None, None, *leaves[1:], training=True, eps=eps)
    np.testing.assert_allclose(batch_norm(a, gain, shift, eps), out.detach().numpy(), atol=1e-9)
    out.backward(torch.tensor(delta))
    for slope, leaf in zip(batch_norm_backward(a, gain, delta, eps), leaves, strict=True):
        expected = leaf.grad.numpy()
        np.testing.assert_allclose(slope, expected, atol=1e-7 * max(1, np.abs(expected).max()))


def test_backward_by_central_differences():
    a, gain, shift, delta = drawn(0)
    slopes = batch_norm_backward(a, gain, delta)
    for which, (slope, point) in enumerate(zip(slopes, (a, gain, shift), strict=True)):
        for k in np.ndindex(point.shape):
            moved = []
            for sign in (1, -1):
                arguments = [a.copy(), gain.copy(), shift.copy()]
                arguments[which][k] += sign * 1e-5
                moved.append(np.sum(delta * batch_norm(*arguments)))
            assert slope[k] == pytest.approx((moved[0] - moved[1]) / 2e-5, abs=1e-7)


def test_by_hand():
    """1, 2, 3, 6 have mean 3 and variance 3.5."""
    a = np.array([[1.0], [2.0], [3.0], [6.0]])
    expected = 2 * np.array([[-2.0], [-1.0], [0.0], [3.0]]) / np.sqrt(3.5) + 1
    np.testing.assert_allclose(batch_norm(a, [2.0], [1.0], eps=0.0), expected)


@given(seed=st.integers(0, 1000), c=st.floats(0.1, 10), t=st.floats(-10, 10))
def test_scale_and_shift_of_a_column_do_not_matter(seed, c, t):
    a, gain, shift, _ = drawn(seed)
    np.testing.assert_allclose(
        batch_norm(c * a + t, gain, shift, 0.0), batch_norm(a, gain, shift, 0.0), atol=1e-9
    )


@given(seed=st.integers(0, 1000), n=st.integers(2, 12))
def test_no_output_passes_the_wall(seed, n):
    a, _, _, _ = drawn(seed, n)
    assert np.abs(batch_norm(a, np.ones(3), np.zeros(3), 0.0)).max() <= np.sqrt(n - 1) + 1e-9


def test_the_wall_is_reached():
    a = np.array([[5.0], *[[1.0]] * 8])
    assert batch_norm(a, [1.0], [0.0], 0.0)[0, 0] == pytest.approx(np.sqrt(8))


@given(seed=st.integers(0, 1000))
def test_slopes_neither_shift_nor_stretch(seed):
    a, gain, _, delta = drawn(seed)
    slope, _, _ = batch_norm_backward(a, gain, delta, eps=0.0)
    np.testing.assert_allclose(slope.sum(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose((slope * a).sum(axis=0), 0, atol=1e-8)


@pytest.mark.parametrize("share", [0.1, 0.37, 1.0])
def test_running_averages_are_those_of_torch(share):
    batches = np.random.default_rng(3).normal(2.0, 3.0, (6, 8, 2))
    layer = torch.nn.BatchNorm1d(2, momentum=share, dtype=torch.float64)
    for batch in batches:
        layer(torch.tensor(batch))
    means = running_averages(batches.mean(axis=1), share, np.zeros(2))
    variances = running_averages(batches.var(axis=1, ddof=1), share, np.ones(2))
    np.testing.assert_allclose(means[-1], layer.running_mean, atol=1e-12)
    np.testing.assert_allclose(variances[-1], layer.running_var, atol=1e-12)


def test_running_averages_by_hand():
    values = np.array([[4.0], [0.0]])
    np.testing.assert_allclose(running_averages(values, 0.25, [0.0]), [[1.0], [0.75]])


def test_torch_refuses_one_example():
    """The page says so."""
    with pytest.raises(ValueError, match="more than 1 value"):
        torch.nn.BatchNorm1d(4)(torch.ones(1, 4))


a, gain, shift, delta = drawn(0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: batch_norm(a, gain[:2], shift), r"batch_norm: gain must have shape \(3,\).*; got \(2,\)"),
        (lambda: batch_norm(a, gain, shift, -1.0), "batch_norm: eps must be at least 0; got -1.0"),
        (
            lambda: batch_norm_backward(a, gain, delta[:3]),
            r"batch_norm_backward: delta must have shape \(7, 3\)",
        ),
        (lambda: running_averages(a, 1.5, gain), "running_averages: share must be"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
