"""Low-rank adapters: nothing at first, the merged layer in the end, and few numbers in between."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from torch import nn

from chapters_src.sequences.language_model.gpt import GPT, Config, next_token_loss
from chapters_src.sequences.pretraining.lora import LowRank, adapt, merge
from tests.bad_input import bad_numbers, refused

torch.set_num_threads(1)
double = torch.float64


def seeded(n):
    return torch.Generator().manual_seed(n)


def layer(bias=True):
    torch.manual_seed(0)
    return nn.Linear(6, 4, bias=bias, dtype=double)


def gpt(device=None):
    return GPT(Config(7, 6, 8, 2, 2), seeded(0), device=device, dtype=double)


x = torch.randn(3, 5, 6, generator=seeded(1), dtype=double)
tokens = torch.randint(7, (4, 7), generator=seeded(2))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rank", [1, 2, 4])
def test_zero_at_first_and_merged_at_last(rank, bias):
    plain = layer(bias)
    adapted = LowRank(plain, rank, seeded(0), scale=0.5)
    assert torch.equal(adapted(x), plain(x))
    with torch.no_grad():
        adapted.B.normal_(generator=seeded(3))
    change = adapted.merged().weight - plain.weight
    assert torch.allclose(change, 0.5 * adapted.B @ adapted.A, atol=1e-12)
    assert torch.linalg.matrix_rank(change) == rank
    assert torch.allclose(adapted.merged()(x), adapted(x), atol=1e-12)


def test_only_the_thin_matrices_learn():
    model = gpt()
    before = {name: p.clone() for name, p in model.named_parameters()}
    loss = next_token_loss(model, tokens)
    learned = adapt(model, 2, seeded(1), ("qkv", "wide"))
    assert torch.equal(next_token_loss(model, tokens), loss)
    assert sum(p.numel() for p in learned) == 2 * 2 * ((8 + 24) + (8 + 32))
    assert {id(p) for p in learned} == {id(p) for p in model.parameters() if p.requires_grad}
    adam = torch.optim.Adam(learned, lr=0.05)
    for _ in range(30):
        adam.zero_grad()
        next_token_loss(model, tokens).backward()
        adam.step()
    assert next_token_loss(model, tokens) < loss - 0.1
    after = {
        name.replace(".layer.", "."): p
        for name, p in model.named_parameters()
        if name[-2:] not in (".A", ".B")
    }
    assert all(torch.equal(after[name], value) for name, value in before.items())
    logits = model(tokens[:, :6])
    merge(model)
    assert torch.allclose(model(tokens[:, :6]), logits, atol=1e-12)
    assert [name for name, _ in model.named_parameters()] == list(before)
    assert all(p.requires_grad for p in model.parameters())


def test_gradient_reaches_b_first():
    """With B = 0 the gradient of A is 0, that of B is not: the first step moves B alone."""
    adapted = LowRank(layer(), 2, seeded(0))
    adapted(x).square().sum().backward()
    assert adapted.B.grad.abs().max() > 0 and not adapted.A.grad.any() and adapted.layer.weight.grad is None


def test_meta_device():
    model = gpt(device="meta")
    learned = adapt(model, 2, seeded(1))
    next_token_loss(model, tokens.to("meta")).backward()
    assert all(p.grad.device.type == "meta" for p in learned)
    assert merge(model)(tokens.to("meta")[:, :6]).shape == (4, 6, 7)


@settings(max_examples=25)
@given(bad_numbers)
def test_bad_numbers_are_refused(bad):
    good = {"layer": layer(), "rank": 1, "generator": seeded(0)}
    refused("LowRank", LowRank, good, "rank", bad)
    refused("LowRank", LowRank, good, "scale", bad)
    refused("LowRank", LowRank, good, "layer", bad)
    refused("LowRank", LowRank, good, "generator", bad)
    refused("adapt", adapt, {"rank": 1, "generator": seeded(0)}, "model", bad)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LowRank(layer(), 5, seeded(0)), "LowRank: rank must be at least 1 and at most 4; got 5"),
        (
            lambda: adapt(gpt(), 2, seeded(0), ("nothing",)),
            "adapt: names must name linear layers of the model",
        ),
        (
            lambda: adapt(gpt(), 2, seeded(0), ("blocks",)),
            "adapt: names must name linear layers of the model",
        ),
        (lambda: merge(3), "merge: model must be a Module; got 3"),
        (
            lambda: LowRank(layer(), 1, seeded(0))(x[..., :3]),
            r"LowRank: x must have shape \(…, 6\); got \(3, 5, 3\)",
        ),
        (
            lambda: LowRank(layer(), 1, seeded(0))(np.ones((2, 6))),
            r"LowRank: x must be a tensor of floats, shape \(…, 6\); got shape \(2, 6\), float64",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
