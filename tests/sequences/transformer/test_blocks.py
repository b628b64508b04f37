"""Blocks: against torch's encoder and decoder layers, causality, equivariance and dropout."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from chapters_src.sequences.heads import masks
from chapters_src.sequences.transformer.blocks import (
    ACTIVATIONS,
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    GatedFeedForward,
)

torch.set_num_threads(1)
double = torch.float64


def seeded(n):
    return torch.Generator().manual_seed(n)


def normal(*shape, seed=0, dtype=double):
    return torch.randn(*shape, generator=seeded(seed), dtype=dtype)


def shaken(module, seed=5):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.add_(0.3 * torch.randn(p.shape, generator=seeded(seed + i), dtype=p.dtype))
    return module


def copy(theirs, ours):
    with torch.no_grad():
        theirs.weight.copy_(ours.weight)
        theirs.bias.copy_(ours.bias)


def torch_block(block, kind, d, heads, hidden, norm, activation):
    """torch's layer with the weights of our block."""
    options = {"norm_first": norm == "pre", "batch_first": True, "dropout": 0.0, "dtype": double}
    made = kind(d, heads, hidden, activation=activation, **options)
    with torch.no_grad():
        made.self_attn.in_proj_weight.copy_(block.attention.qkv.weight)
        made.self_attn.in_proj_bias.copy_(block.attention.qkv.bias)
        if isinstance(block, DecoderBlock):
            cross, other = block.cross, made.multihead_attn
            other.in_proj_weight.copy_(torch.cat([W.T for W in (cross.W_Q, cross.W_K, cross.W_V)]))
            other.in_proj_bias.copy_(torch.cat([cross.b_Q, cross.b_K, cross.b_V]))
            other.out_proj.weight.copy_(cross.W_O.T)
            other.out_proj.bias.copy_(cross.b_O)
            copy(made.norm2, block.cross_norm)
    copy(made.self_attn.out_proj, block.attention.out)
    copy(made.linear1, block.feed_forward.wide)
    copy(made.linear2, block.feed_forward.back)
    copy(made.norm1, block.attention_norm)
    copy(made.norm3 if isinstance(block, DecoderBlock) else made.norm2, block.network_norm)
    return made


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("causal", [False, True])
def test_encoder_block_is_torchs(norm, activation, causal):
    block = shaken(EncoderBlock(8, 2, 24, seeded(0), norm, activation=activation, dtype=double))
    theirs = torch_block(block, nn.TransformerEncoderLayer, 8, 2, 24, norm, activation)
    x, hidden = normal(3, 5, 8), ~masks.causal(5) if causal else None
    assert torch.allclose(block(x, causal=causal), theirs(x, src_mask=hidden), atol=1e-10)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_encoder_gradients_are_torchs(norm):
    block = shaken(EncoderBlock(8, 2, 24, seeded(0), norm, dtype=double))
    theirs = torch_block(block, nn.TransformerEncoderLayer, 8, 2, 24, norm, "gelu")
    mine, other = (normal(2, 4, 8).requires_grad_() for _ in range(2))
    block(mine, causal=True).sin().sum().backward()
    theirs(other, src_mask=~masks.causal(4)).sin().sum().backward()
    assert torch.allclose(mine.grad, other.grad, atol=1e-10)
    assert torch.allclose(block.attention.qkv.weight.grad, theirs.self_attn.in_proj_weight.grad, atol=1e-10)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_decoder_block_is_torchs(norm):
    block = shaken(DecoderBlock(8, 2, 24, seeded(0), norm, activation="relu", dtype=double))
    theirs = torch_block(block, nn.TransformerDecoderLayer, 8, 2, 24, norm, "relu")
    x, memory, lengths = normal(3, 5, 8), normal(3, 7, 8, seed=1), masks.padding([7, 4, 2], 7)
    expected = theirs(x, memory, tgt_mask=~masks.causal(5), memory_key_padding_mask=~lengths[:, 0])
    assert torch.allclose(block(x, memory, memory_mask=lengths), expected, atol=1e-10)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_second_residual_starts_from_the_first_result(norm):
    """LN(x + FF(x₁)) in place of LN(x₁ + FF(x₁)) would forget what attention added."""
    block, x = shaken(EncoderBlock(8, 2, 16, seeded(0), norm, dtype=double)), normal(2, 3, 8)
    if norm == "pre":
        y = x + block.attention(block.attention_norm(x))
        right, slip = (one + block.feed_forward(block.network_norm(y)) for one in (y, x))
    else:
        y = block.attention_norm(x + block.attention(x))
        right, slip = (block.network_norm(one + block.feed_forward(y)) for one in (y, x))
    assert torch.allclose(block(x), right, atol=1e-12)
    assert (block(x) - slip).abs().max() > 0.1


@pytest.mark.parametrize("position", ["none", "relative", "alibi", "rotary"])
@settings(max_examples=15)
@given(at=st.integers(1, 5), seed=st.integers(0, 100))
def test_the_future_does_not_change_the_past(position, at, seed):
    encoder = shaken(EncoderBlock(8, 2, 16, seeded(0), position=position, dtype=double))
    decoder = shaken(DecoderBlock(8, 2, 16, seeded(0), position=position, dtype=double))
    x, memory = normal(1, 6, 8), normal(1, 3, 8, seed=1)
    changed = x.clone()
    changed[:, at:] = normal(1, 6 - at, 8, seed=seed + 2)
    assert torch.equal(encoder(x, causal=True)[:, :at], encoder(changed, causal=True)[:, :at])
    assert torch.equal(decoder(x, memory)[:, :at], decoder(changed, memory)[:, :at])
    assert not torch.equal(encoder(x)[:, :at], encoder(changed)[:, :at])


@settings(max_examples=25)
@given(st.permutations(range(5)))
def test_without_positions_order_is_lost(order):
    """A shuffled input gives the output, shuffled alike; with positions it does not."""
    x = normal(2, 5, 8)
    block = shaken(EncoderBlock(8, 2, 16, seeded(0), dtype=double))
    assert torch.allclose(block(x[:, order]), block(x)[:, order], atol=1e-12)
    if order != sorted(order):
        turned = shaken(EncoderBlock(8, 2, 16, seeded(0), position="rotary", dtype=double))
        assert (turned(x[:, order]) - turned(x)[:, order]).abs().max() > 1e-4


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_feed_forward_is_the_formula(name):
    layer, x = shaken(FeedForward(4, 7, seeded(0), name, dtype=double)), normal(2, 3, 4)
    a = x @ layer.wide.weight.T + layer.wide.bias
    cdf = 0.5 * (1 + torch.erf(a / 2**0.5))
    near = 0.5 * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (a + 0.044715 * a**3)))
    h = {"relu": a.clamp(min=0), "gelu": a * cdf, "tanh gelu": a * near, "squared relu": a.clamp(min=0) ** 2}
    h = h[name]
    assert torch.allclose(layer(x), h @ layer.back.weight.T + layer.back.bias, atol=1e-12)


def test_gated_network_is_the_formula():
    layer, x = GatedFeedForward(4, 7, seeded(0), dtype=double), normal(2, 3, 4)
    a, b = x @ layer.W1, x @ layer.W2
    expected = (a / (1 + torch.exp(-a)) * b) @ layer.W3
    assert torch.allclose(layer(x), expected, atol=1e-12)
    with torch.no_grad():
        layer.W2.zero_()
    assert layer(x).abs().max() == 0  # a closed gate lets nothing through


def test_gradient_of_the_gated_network():
    """Two references: differences, and the product rule written out for the first matrix."""
    layer, x = GatedFeedForward(3, 5, seeded(0), dtype=double), normal(4, 3)
    g = normal(4, 3, seed=1)
    (layer(x) * g).sum().backward()
    a, b = (x @ layer.W1).detach(), (x @ layer.W2).detach()
    s = torch.sigmoid(a)
    at_hidden = g @ layer.W3.detach().T
    assert torch.allclose(layer.W1.grad, x.T @ (at_hidden * b * s * (1 + a * (1 - s))), atol=1e-12)
    assert torch.autograd.gradcheck(layer, (x.requires_grad_(),))


def test_a_gate_of_two_thirds_has_as_many_weights():
    count = lambda m: sum(p.numel() for p in m.parameters() if p.ndim == 2)  # noqa: E731
    assert count(GatedFeedForward(6, 16, seeded(0))) == count(FeedForward(6, 24, seeded(0)))


def test_dropout_happens_only_where_a_generator_is_given():
    block, h = EncoderBlock(8, 2, 16, seeded(0), dropout=0.5), normal(2, 3, 8, dtype=torch.float32)
    assert torch.equal(block(h), block(h)) and not torch.equal(block(h, noise=seeded(1)), block(h))


def test_pre_norm_keeps_the_identity():
    """With parts that add nothing a pre-norm block does nothing; a post-norm block still normalises."""
    x = normal(2, 3, 8)
    for norm in ("pre", "post"):
        block = EncoderBlock(8, 2, 16, seeded(0), norm, dtype=double)
        for part in (block.attention.out, block.feed_forward.back):
            nn.init.zeros_(part.weight)
        if norm == "pre":
            assert torch.equal(block(x), x)
        else:
            assert torch.allclose(block(x), F.layer_norm(F.layer_norm(x, (8,)), (8,)))


def test_meta_device():
    x = torch.ones(2, 3, 8, device="meta")
    for norm in ("pre", "post"):
        encoder = EncoderBlock(8, 2, 16, seeded(0), norm, "rotary", dropout=0.1, device="meta")
        decoder = DecoderBlock(8, 2, 16, seeded(0), norm, "relative", dropout=0.1, device="meta")
        assert encoder(x, noise=seeded(0)).shape == x.shape
        assert decoder(x, torch.ones(2, 5, 8, device="meta")).device.type == "meta"


g, x, block = seeded(0), normal(2, 3, 8), EncoderBlock(8, 2, 16, seeded(0), dtype=double)
decoder = DecoderBlock(8, 2, 16, seeded(0), dtype=double)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: EncoderBlock(8, 2, 16, g, "before"), "EncoderBlock: norm must be one of 'pre', 'post'"),
        (lambda: DecoderBlock(8, 2, 16, g, 1), "DecoderBlock: norm must be a text; got 1"),
        (
            lambda: EncoderBlock(8, 2, 16, g, dropout=1.0),
            "EncoderBlock: dropout must be at least 0 and",
        ),
        (lambda: EncoderBlock(8, 2, 0, g), "EncoderBlock: hidden must be at least 1; got 0"),
        (
            lambda: EncoderBlock(8, 2, 16, g, activation="tanh"),
            "EncoderBlock: activation must be one of 'relu', 'gelu', 'tanh gelu', 'squared relu'; got 'tanh'",
        ),
        (lambda: block(normal(3, 8)), r"EncoderBlock: x must have shape \(B, t, 8\); got \(3, 8\)"),
        (lambda: decoder(normal(3, 8), x), r"DecoderBlock: x must have shape \(B, t, 8\); got \(3, 8\)"),
        (
            lambda: decoder(x, normal(2, 3, 7)),
            r"DecoderBlock: memory must have shape \(2, s, 8\), one per row of x; got \(2, 3, 7\)",
        ),
        (
            lambda: GatedFeedForward(8, 0, g),
            "GatedFeedForward: hidden must be at least 1; got 0",
        ),
        (
            lambda: FeedForward(8, 16, 0),
            r"FeedForward: generator must be a torch.Generator, as from device.seed\(0\); got a int",
        ),
        (
            lambda: FeedForward(8, 16, g, dtype=double)(normal(2, 7)),
            r"FeedForward: x must have shape \(…, 8\); got \(2, 7\)",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@settings(max_examples=30)
@given(st.one_of(st.none(), st.text(max_size=3), st.floats(), st.just(np.ones((1, 2, 8))), st.builds(object)))
def test_anything_but_a_tensor_is_refused(bad):
    calls = [
        lambda: block(bad),
        lambda: decoder(bad, x),
        lambda: decoder(x, bad),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="must be a tensor of floats"):
            call()
