"""Dropout: its share, its mean, and that it happens only where a generator is given."""

from __future__ import annotations

import pytest
import torch

from chapters_src.networks.regularisation import dropout


def seeded(n):
    return torch.Generator().manual_seed(n)


def test_dropout_happens_only_where_a_generator_is_given():
    x = torch.ones(200, 100)
    assert dropout(x, 0.5, None) is x and dropout(x, 0.0, seeded(0)) is x
    out = dropout(x, 0.25, seeded(0))
    assert out.unique().tolist() == pytest.approx([0.0, 4 / 3])
    assert float((out == 0).double().mean()) == pytest.approx(0.25, abs=0.01)
    assert torch.equal(out, dropout(x, 0.25, seeded(0)))


def test_meta():
    x = torch.ones(3, 4, device="meta")
    assert dropout(x, 0.5, seeded(0)).device.type == "meta"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dropout(torch.ones(2), 0.5, "seed"), "dropout: generator must be a torch.Generator"),
        (lambda: dropout(torch.ones(2), 1.5, seeded(0)), "dropout: share must be at least 0 and below 1"),
        (lambda: dropout([1.0], 0.5, seeded(0)), "dropout: x must be a tensor of floats"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
