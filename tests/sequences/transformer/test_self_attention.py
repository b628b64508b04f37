"""Attention as a layer: against torch's with the weights copied, masks, positions and the cache."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from chapters_src.sequences.attention.weighted_mean import attention
from chapters_src.sequences.heads import masks
from chapters_src.sequences.transformer.self_attention import (
    POSITIONS,
    Cache,
    SelfAttention,
)

torch.set_num_threads(1)
double = torch.float64


def seeded(n):
    return torch.Generator().manual_seed(n)


def normal(*shape, seed=0, dtype=double):
    return torch.randn(*shape, generator=seeded(seed), dtype=dtype)


def theirs(layer):
    """torch's layer with our weights."""
    made = nn.MultiheadAttention(layer.d, layer.heads, batch_first=True, dtype=layer.out.weight.dtype)
    with torch.no_grad():
        made.in_proj_weight.copy_(layer.qkv.weight)
        made.in_proj_bias.copy_(layer.qkv.bias)
        made.out_proj.weight.copy_(layer.out.weight)
        made.out_proj.bias.copy_(layer.out.bias)
    return made


def shaken(module, seed=5):
    """Biases and tables that start at 0 get values, or a test would not see them."""
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.add_(0.3 * torch.randn(p.shape, generator=seeded(seed + i), dtype=p.dtype))
    return module


@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("causal", [False, True])
def test_self_attention_is_torchs(heads, causal):
    layer = shaken(SelfAttention(8, heads, seeded(0), dtype=double))
    x = normal(3, 5, 8)
    hidden = ~masks.causal(5) if causal else None
    out, weights = theirs(layer)(x, x, x, attn_mask=hidden, average_attn_weights=False)
    assert torch.allclose(layer(x, causal=causal), out, atol=1e-12)
    assert torch.allclose(layer.weights(x, causal=causal), weights, atol=1e-12)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("kind", ["none", "causal", "padding", "both"])
def test_output_is_weights_times_values(position, kind):
    """The quick kernel of torch and the attention of the chapter before, in all combinations."""
    layer = shaken(SelfAttention(8, 2, seeded(0), position, reach=3, dtype=double))
    x, causal = normal(2, 6, 8), kind in ("causal", "both")
    mask = masks.padding([6, 4], 6) if kind in ("padding", "both") else None
    values = layer.qkv(x)[..., 16:].unflatten(-1, (2, 4)).transpose(1, 2)
    read = (layer.weights(x, mask, causal) @ values).transpose(1, 2).flatten(2)
    assert torch.allclose(layer(x, mask, causal), layer.out(read), atol=1e-12)


def test_relative_bias_is_added_to_the_logits():
    layer = shaken(SelfAttention(4, 1, seeded(0), "relative", reach=2, dtype=double))
    x, t = normal(1, 5, 4), torch.arange(5)
    Q, K = layer.qkv(x)[..., :4], layer.qkv(x)[..., 4:8]
    offset = (t[None, :] - t[:, None]).clamp(-2, 2) + 2
    logits = Q @ K.mT / 2 + layer.bias.table[0][offset]
    assert torch.allclose(layer.weights(x)[:, 0], logits.softmax(-1), atol=1e-12)


def test_rotary_scores_see_distances_only():
    """One vector at all places: what q scores against k depends on how far apart they are."""
    layer = SelfAttention(8, 2, seeded(0), "rotary", dtype=double)
    x = normal(1, 1, 8).expand(1, 6, 8)
    Q, K, _ = layer._project(x, None)
    scores = (Q @ K.mT)[0]
    for offset in range(-5, 6):
        along = scores.diagonal(offset, -2, -1)
        assert torch.allclose(along, along[:, :1].expand_as(along), atol=1e-12)
    assert scores.std() > 0.01


@pytest.mark.parametrize("dtype", [torch.float32, double])
def test_a_row_that_may_look_nowhere_reads_nothing(dtype):
    layer = SelfAttention(8, 2, seeded(0), dtype=dtype)
    mask = torch.tensor([[[True, True, False], [False, False, False], [True, False, True]]])
    x = normal(1, 3, 8, dtype=dtype).requires_grad_()
    out = layer(x, mask)
    assert torch.equal(out[0, 1], layer.out.bias)
    assert torch.equal(layer.weights(x, mask)[0, :, 1], torch.zeros(2, 3, dtype=dtype))
    out.sum().backward()
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("position", POSITIONS)
@settings(max_examples=12)
@given(cuts=st.lists(st.integers(1, 3), min_size=1, max_size=4))
def test_cache_gives_what_one_pass_gives(position, cuts):
    layer = shaken(SelfAttention(8, 2, seeded(0), position, reach=3, dtype=double))
    t = sum(cuts)
    x, cache = normal(2, t, 8), Cache(2, 2, t, 4, normal(1))
    pieces = [layer(part, causal=True, cache=cache) for part in x.split(cuts, dim=1)]
    assert cache.length == t
    assert torch.allclose(torch.cat(pieces, dim=1), layer(x, causal=True), atol=1e-12)


def test_full_cache_says_so():
    layer, x = SelfAttention(8, 2, seeded(0), dtype=double), normal(1, 3, 8)
    cache = Cache(1, 2, 4, 4, x)
    layer(x, causal=True, cache=cache)
    with pytest.raises(ValueError, match=r"extend: keys must make the length at most 4, the context; got 6"):
        layer(x, causal=True, cache=cache)
    with pytest.raises(ValueError, match=r"extend: keys must have shape \(1, 2, t, 4\); got \(2, 2, 1, 4\)"):
        layer(normal(2, 1, 8), causal=True, cache=cache)


def test_gradients_against_differences():
    """Through the bias and the rotation: autograd against finite differences."""
    for position in ("relative", "rotary"):
        layer = shaken(SelfAttention(4, 2, seeded(0), position, reach=2, dtype=double))
        x = normal(1, 3, 4).requires_grad_()
        assert torch.autograd.gradcheck(lambda x, layer=layer: layer(x, causal=True), (x,))


def test_meta_device():
    x = torch.ones(2, 3, 8, device="meta")
    for position in POSITIONS:
        layer = SelfAttention(8, 2, seeded(0), position, device="meta")
        assert layer(x, causal=True).device.type == "meta"
        assert layer(x, masks.padding(torch.ones(2, dtype=torch.long, device="meta"), 3)).shape == x.shape
        assert layer.weights(x, causal=True).shape == (2, 2, 3, 3)
        assert layer(x, causal=True, cache=Cache(2, 2, 4, 4, x)).shape == x.shape


x, layer = normal(2, 3, 8), SelfAttention(8, 2, seeded(0), dtype=double)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SelfAttention(8, 3, seeded(0)), "SelfAttention: heads must divide d = 8.*; got 3"),
        (lambda: SelfAttention(0, 1, seeded(0)), "SelfAttention: d must be at least 1; got 0"),
        (
            lambda: SelfAttention(6, 2, seeded(0), "rotary"),
            "SelfAttention: d must be an even multiple",
        ),
        (lambda: SelfAttention(8, 2, seeded(0), "round"), "SelfAttention: position must be one of 'none'"),
        (
            lambda: SelfAttention(8, 2, None),
            r"SelfAttention: generator must be a torch.Generator, as from device.seed",
        ),
        (lambda: layer(normal(3, 8)), r"SelfAttention: x must have shape \(B, t, 8\); got \(3, 8\)"),
        (lambda: layer(normal(2, 3, 4)), r"SelfAttention: x must have shape \(B, t, 8\); got \(2, 3, 4\)"),
        (
            lambda: layer(x, torch.ones(3, 3)),
            r"SelfAttention: mask must be a tensor of truths, shape \(2, 3, s\); got",
        ),
        (lambda: layer(x, masks.causal(3)), r"SelfAttention: mask must have shape \(2, 3, s\); got \(3, 3\)"),
        (
            lambda: layer(x, masks.causal(4)[None]),
            r"SelfAttention: mask must have shape \(2, 3, s\); got \(1, 4, 4\)",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@settings(max_examples=30)
@given(st.one_of(st.none(), st.text(max_size=3), st.floats(), st.just(np.ones((1, 2, 8))), st.builds(object)))
def test_anything_but_a_tensor_is_refused(bad):
    calls = [lambda: layer(bad), lambda: layer.weights(bad)]
    for call in calls:
        with pytest.raises(ValueError, match="must be a tensor of floats"):
            call()


@pytest.mark.parametrize("position", POSITIONS)
def test_a_position_that_may_look_nowhere_has_weights_0(position):
    layer, mask = SelfAttention(8, 2, seeded(0), position, dtype=double), torch.ones(1, 3, 3) > 0
    mask[0, 1] = False
    weights = layer.weights(x, mask)
    assert torch.equal(weights[:, :, 1], torch.zeros_like(weights[:, :, 1]))
    assert torch.allclose(weights[:, :, [0, 2]].sum(-1), torch.ones(2, 2, 2, dtype=double))


@pytest.mark.parametrize("position", POSITIONS)
def test_a_mask_and_the_order_hold_together(position):
    layer = shaken(SelfAttention(8, 2, seeded(0), position, dtype=double))
    mask = masks.padding([3, 2], 3).expand(2, 3, 3)
    both = mask & masks.causal(3)
    assert torch.allclose(layer(x, mask, causal=True), layer(x, both), atol=1e-12)
    assert torch.allclose(layer.weights(x, mask, causal=True), layer.weights(x, both), atol=1e-12)
    assert not layer.weights(x, mask, causal=True)[~both[:, None].expand(2, 2, 3, 3)].any()


def test_attention_of_the_chapter_before():
    """`attention` on the projected heads is what the layer computes."""
    Q, K, V = layer._project(x, None)
    assert torch.allclose(layer.out(attention(Q, K, V).transpose(1, 2).flatten(2)), layer(x), atol=1e-12)
