"""Counts: formulas against the parameters of the code, and against torch's counter of operations."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from chapters_src.sequences.language_model.counts import (
    forward_operations,
    parameters,
)
from chapters_src.sequences.language_model.gpt import GPT, Config, next_token_loss
from chapters_src.sequences.transformer.self_attention import POSITIONS
from tests.bad_input import bad_numbers, refused

torch.set_num_threads(1)


def seeded(n):
    return torch.Generator().manual_seed(n)


configs = st.builds(
    lambda V, context, w, heads, layers, hidden, position, norm, tied: Config(
        V, context, 2 * w * heads, heads, layers, hidden, position, norm, tied=tied
    ),
    st.integers(1, 30),
    st.integers(1, 12),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 3),
    st.none() | st.integers(1, 20),
    st.sampled_from(POSITIONS),
    st.sampled_from(["pre", "post"]),
    st.booleans(),
)


@settings(max_examples=40)
@given(configs)
def test_parameters_are_those_of_the_code(config):
    model = GPT(config, seeded(0), device="meta")
    found = parameters(config)
    assert found["total"] == sum(p.numel() for p in model.parameters())
    assert found["total"] == sum(count for part, count in found.items() if part != "total")
    assert found["embedding"] == model.embedding.numel()
    assert found["attention"] == sum(
        p.numel() for block in model.blocks for p in block.attention.parameters()
    )


def test_published_count():
    """GPT-2 small: 12 layers of width 768, 1,024 learned positions, 50,257 tokens: 124,439,808 parameters."""
    config = Config(50257, 1024, 768, 12, 12, position="learned")
    assert parameters(config)["total"] == 124_439_808


def counted(model, tokens, backward):
    """Operations by torch's count, with attention as plain products: it knows no fused kernel."""
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        if backward:
            next_token_loss(model, tokens).backward()
        else:
            model(tokens)
    return counter.get_total_flops()


@settings(max_examples=15)
@given(configs, st.integers(1, 3))
def test_operations_are_those_torch_counts(config, batch):
    model = GPT(config, seeded(0))
    tokens = torch.zeros(batch, config.context, dtype=torch.long)
    assert forward_operations(config, config.context, batch)["total"] == counted(model, tokens, False)


@pytest.mark.parametrize("position", ["none", "rotary", "relative"])
def test_training_is_three_times_forward(position):
    config = Config(20, 12, 16, 2, 3, position=position)
    tokens = torch.zeros(2, 13, dtype=torch.long)
    assert counted(GPT(config, seeded(0)), tokens, True) == 3 * forward_operations(config, 12, 2)["total"]


def test_rule_of_thumb():
    """12·L·d² + V·d, and 6 operations a parameter and token, within a few per cent for a large model."""
    config = Config(50257, 1024, 768, 12, 12, position="learned", tied=True)
    thumb = 12 * 12 * 768**2 + 50257 * 768
    assert parameters(config)["total"] == pytest.approx(thumb, rel=0.01)
    assert 3 * forward_operations(config, 128)["total"] == pytest.approx(6 * thumb * 128, rel=0.02)


good = {"config": Config(5), "t": 3}


@settings(max_examples=25)
@given(bad_numbers)
def test_bad_input(bad):
    for argument in ("t", "batch", "config"):
        refused("forward_operations", forward_operations, good, argument, bad)
    refused("parameters", parameters, {}, "config", bad)
