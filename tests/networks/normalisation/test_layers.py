"""Layer norm and RMS norm: against torch's, by hand, and their gradients."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.normalisation import layer_norm, rms_norm

double = torch.float64


def normal(*shape, seed=0, dtype=double):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.float32, double])
@settings(max_examples=40)
@given(seed=st.integers(0, 1000), scale=st.floats(0.01, 100))
def test_layer_norm_is_torchs(dtype, seed, scale):
    x = scale * normal(2, 3, 6, seed=seed, dtype=dtype)
    gain, bias = normal(6, seed=1, dtype=dtype), normal(6, seed=2, dtype=dtype)
    expected = F.layer_norm(x, (6,), gain, bias)
    assert torch.allclose(layer_norm(x, gain, bias), expected, atol=1e-5 if dtype == torch.float32 else 1e-12)


def test_layer_norm_by_hand():
    """(1, 2, 3, 6) has mean 3 and variance 14/4."""
    x, one, zero = torch.tensor([1.0, 2.0, 3.0, 6.0], dtype=double), torch.ones(4), torch.zeros(4)
    expected = torch.tensor([-2.0, -1.0, 0.0, 3.0], dtype=double) / 3.5**0.5
    assert torch.allclose(layer_norm(x, one.double(), zero.double(), eps=0.0), expected)


def test_layer_norm_gradient():
    x, gain, bias = (normal(*shape, seed=i).requires_grad_() for i, shape in enumerate([(2, 5), (5,), (5,)]))
    assert torch.autograd.gradcheck(layer_norm, (x, gain, bias))


@settings(max_examples=40)
@given(seed=st.integers(0, 1000), scale=st.floats(0.01, 100))
def test_rms_norm_is_torchs(seed, scale):
    x, gain = scale * normal(2, 3, 6, seed=seed), normal(6, seed=1)
    assert torch.allclose(rms_norm(x, gain), F.rms_norm(x, (6,), gain, eps=1e-5), atol=1e-12)


def test_rms_norm_by_hand():
    """(3, 4) has the mean square 25/2, and keeps its mean."""
    x, one = torch.tensor([3.0, 4.0], dtype=double), torch.ones(2, dtype=double)
    assert torch.allclose(rms_norm(x, one, eps=0.0), x / 12.5**0.5)


def test_rms_norm_of_centred_vectors_is_layer_norm():
    x, one, zero = normal(4, 5), torch.ones(5, dtype=double), torch.zeros(5, dtype=double)
    x = x - x.mean(-1, keepdim=True)
    assert torch.allclose(rms_norm(x, one), layer_norm(x, one, zero))


def test_rms_norm_gradient():
    x, gain = normal(2, 5).requires_grad_(), normal(5, seed=1).requires_grad_()
    assert torch.autograd.gradcheck(rms_norm, (x, gain))


x, ones = normal(2, 3, 8), torch.ones(8, dtype=double)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: layer_norm(x, ones[:7], ones), r"layer_norm: gain must have shape \(8,\).*; got \(7,\)"),
        (lambda: layer_norm(x, ones, None), "layer_norm: bias must be a tensor of floats.*; got a NoneType"),
        (lambda: layer_norm(x, ones, ones, -1.0), "layer_norm: eps must be at least 0; got -1.0"),
        (lambda: rms_norm(x, ones[:7]), r"rms_norm: gain must have shape \(8,\).*; got \(7,\)"),
        (lambda: rms_norm(x, ones, -1.0), "rms_norm: eps must be at least 0; got -1.0"),
        (lambda: layer_norm(x.long(), ones, ones), "layer_norm: x must be a tensor of floats"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
