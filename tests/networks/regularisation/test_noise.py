"""Dropout, mixtures and moved images: their means, their shares, and what scipy says."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from chapters_src.networks.regularisation import dropout, mixed, shifted


def seeded(n):
    return torch.Generator().manual_seed(n)


def test_dropout_happens_only_where_a_generator_is_given():
    x = torch.ones(200, 100)
    assert dropout(x, 0.5, None) is x and dropout(x, 0.0, seeded(0)) is x
    out = dropout(x, 0.25, seeded(0))
    assert out.unique().tolist() == pytest.approx([0.0, 4 / 3])
    assert float((out == 0).double().mean()) == pytest.approx(0.25, abs=0.01)
    assert torch.equal(out, dropout(x, 0.25, seeded(0)))


def test_dropout_keeps_the_mean_and_has_the_variance_of_the_derivation():
    out = dropout(torch.full((400, 500), 3.0, dtype=torch.float64), 0.2, seeded(1))
    assert float(out.mean()) == pytest.approx(3.0, abs=0.02)
    assert float(out.var()) == pytest.approx(0.2 / 0.8 * 9, abs=0.03)


def test_meta():
    x = torch.ones(3, 4, device="meta")
    assert dropout(x, 0.5, seeded(0)).device.type == "meta"


def test_a_mixture_by_hand():
    x = torch.tensor([[1.0, 0.0], [0.0, 4.0], [2.0, 2.0]])
    out = mixed(x, torch.tensor([0.25, 1.0, 0.5]), torch.tensor([1, 0, 0]))
    assert out.tolist() == [[0.25, 3.0], [0.0, 4.0], [1.5, 1.0]]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_a_mixture_of_probabilities_is_one(seed):
    rng = np.random.default_rng(seed)
    rows = torch.tensor(rng.dirichlet(np.ones(4), 6))
    out = mixed(rows, torch.tensor(rng.random(6)), torch.tensor(rng.permutation(6)))
    np.testing.assert_allclose(out.sum(dim=1), 1)
    assert (out >= 0).all()


def test_moved_as_scipy_moves():
    rng = np.random.default_rng(0)
    images, down, right = rng.random((5, 6, 9)), rng.uniform(-2, 2, 5), rng.uniform(-2, 2, 5)
    out = shifted(*(torch.tensor(a) for a in (images, down, right)))
    for image, ours, by in zip(images, out.numpy(), zip(down, right, strict=True), strict=True):
        theirs = ndimage.shift(np.pad(image, 3), by, order=1)[3:-3, 3:-3]  # paper all around
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_moved_by_whole_pixels():
    image = torch.arange(12.0, dtype=torch.float64).reshape(1, 3, 4)
    out = shifted(image, torch.tensor([1.0]).double(), torch.tensor([-1.0]).double())[0]
    np.testing.assert_allclose(out, [[0, 0, 0, 0], [1, 2, 3, 0], [5, 6, 7, 0]], atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dropout(torch.ones(2), 0.5, "seed"), "dropout: generator must be a torch.Generator"),
        (lambda: dropout(torch.ones(2), 1.5, seeded(0)), "dropout: share must be at least 0 and below 1"),
        (lambda: dropout([1.0], 0.5, seeded(0)), "dropout: x must be a tensor of floats"),
        (lambda: mixed(torch.ones(2, 3), torch.ones(3), torch.tensor([0, 1])), "mixed: weight must have"),
        (lambda: shifted(torch.ones(2, 3, 3), torch.ones(2), torch.ones(1)), "shifted: right must have"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
