"""A linear recurrence step by step and in rounds."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.core.device import seed
from chapters_src.sequences.gates import linear_recurrence, parallel_scan


def pair(t, n=0):
    g = seed(n)
    f, b = (torch.randn(2, t, 3, generator=g, dtype=torch.float64) for _ in range(2))
    return torch.sigmoid(f), b


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(0, 1000))
def test_rounds_and_steps_agree(t, n):
    f, g = pair(t, n)
    torch.testing.assert_close(parallel_scan(f, g), linear_recurrence(f, g), rtol=1e-12, atol=1e-12)


def test_against_the_closed_form():
    """cₜ = Σₛ (Π_{s<r≤t} f_r) gₛ, by numpy."""
    f, g = (one[0, :, 0].numpy() for one in pair(9))
    expected = [sum(np.prod(f[s + 1 : t + 1]) * g[s] for s in range(t + 1)) for t in range(9)]
    np.testing.assert_allclose(linear_recurrence(*pair(9))[0, :, 0].numpy(), expected, atol=1e-12)


def test_against_scipys_filter():
    from scipy.signal import lfilter

    g = pair(50)[1]
    f = torch.full_like(g, 0.9)
    np.testing.assert_allclose(parallel_scan(f, g).numpy(), lfilter([1], [1, -0.9], g.numpy(), axis=1))


def test_gates_of_zero_cut_the_past():
    f, g = pair(12)
    f = f.clone()
    f[:, 7] = 0.0
    torch.testing.assert_close(parallel_scan(f, g)[:, 7:], linear_recurrence(f[:, 7:], g[:, 7:]))


def test_gradients():
    f, g = (one.requires_grad_() for one in pair(5))
    assert torch.autograd.gradcheck(parallel_scan, (f, g))
    torch.testing.assert_close(
        torch.autograd.grad(parallel_scan(f, g).sum(), f),
        torch.autograd.grad(linear_recurrence(f, g).sum(), f),
    )


def test_arguments_stay():
    f, g = pair(6)
    copies = f.clone(), g.clone()
    parallel_scan(f, g)
    assert torch.equal(f, copies[0]) and torch.equal(g, copies[1])


def test_shapes_must_agree():
    f, g = pair(6)
    with pytest.raises(ValueError, match=r"parallel_scan: g must have shape \(2, 6, 3\)"):
        parallel_scan(f, g[:, 1:])
