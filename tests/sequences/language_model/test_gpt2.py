"""Weights in GPT-2's layout: the same logits as GPT-2 written out with plain torch operations."""

from __future__ import annotations

import math

import pytest
import torch

from chapters_src.sequences.language_model import from_gpt2

torch.set_num_threads(1)
V, CONTEXT, D, HEADS, LAYERS = 23, 10, 12, 3, 2


def random_state(prefix="", dtype=torch.float32):
    """Every weight drawn, also gains and biases, so that none can be forgotten."""
    g = torch.Generator().manual_seed(0)
    shapes = {"wte.weight": (V, D), "wpe.weight": (CONTEXT, D), "ln_f.weight": (D,), "ln_f.bias": (D,)}
    for i in range(LAYERS):
        for name, shape in (
            ("ln_1", (D,)),
            ("ln_2", (D,)),
            ("attn.c_attn", (D, 3 * D)),
            ("attn.c_proj", (D, D)),
            ("mlp.c_fc", (D, 4 * D)),
            ("mlp.c_proj", (4 * D, D)),
        ):
            shapes[f"h.{i}.{name}.weight"] = shape
            shapes[f"h.{i}.{name}.bias"] = shape[-1:]
    return {
        prefix + name: 0.4 * torch.randn(shape, generator=g, dtype=dtype) for name, shape in shapes.items()
    }


def gpt2(s, tokens):
    """GPT-2's forward pass, matrix by matrix."""

    def norm(x, name):
        x = x - x.mean(-1, keepdim=True)
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * s[f"{name}.weight"] + s[f"{name}.bias"]

    def conv(x, name):
        return x @ s[f"{name}.weight"] + s[f"{name}.bias"]

    B, T = tokens.shape
    x = s["wte.weight"][tokens] + s["wpe.weight"][:T]
    for i in range(LAYERS):
        q, k, v = conv(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").split(D, dim=-1)
        q, k, v = (z.view(B, T, HEADS, D // HEADS).transpose(1, 2) for z in (q, k, v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(D // HEADS)
        scores = scores.masked_fill(~torch.tril(torch.ones(T, T, dtype=torch.bool)), -math.inf)
        read = (scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D)
        x = x + conv(read, f"h.{i}.attn.c_proj")
        a = conv(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc")
        a = 0.5 * a * (1 + torch.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a**3)))
        x = x + conv(a, f"h.{i}.mlp.c_proj")
    return norm(x, "ln_f") @ s["wte.weight"].T


@pytest.mark.parametrize("prefix", ["", "transformer."])
def test_logits_are_gpt2s(prefix):
    tokens = torch.randint(V, (2, CONTEXT), generator=torch.Generator().manual_seed(1))
    state = random_state(prefix)
    # what published files hold besides: the tied head again, and the mask
    extra = {f"{prefix}h.0.attn.bias": torch.ones(1, 1, 4, 4), "lm_head.weight": state[f"{prefix}wte.weight"]}
    model = from_gpt2({**state, **extra}, HEADS)
    assert torch.allclose(model(tokens), gpt2(random_state(), tokens), atol=1e-5, rtol=1e-5)
    assert model.config.activation == "tanh gelu" and model.config.layers == LAYERS


def test_exactly_in_double_precision():
    tokens = torch.arange(CONTEXT)[None]
    state = random_state(dtype=torch.float64)
    assert torch.allclose(from_gpt2(state, HEADS)(tokens), gpt2(state, tokens), atol=1e-11)


def test_a_missing_or_misshapen_weight_is_named():
    state = random_state()
    del state["h.1.mlp.c_fc.weight"]
    with pytest.raises(ValueError, match=r"from_gpt2: state must be .*; got 'h.1.mlp.c_fc.weight'"):
        from_gpt2(state, HEADS)
    state = random_state()
    state["h.1.mlp.c_fc.weight"] = state["h.1.mlp.c_fc.weight"].T
    with pytest.raises(ValueError, match="from_gpt2: state must be a state dict in GPT-2's names"):
        from_gpt2(state, HEADS)
    with pytest.raises(ValueError, match="from_gpt2: heads must be at least 1; got 0"):
        from_gpt2(state, 0)


@pytest.mark.parametrize("state", [3, None, [], {"wte.weight": 3}, {3: 4}, {"wte.weight": torch.ones(3)}])
def test_anything_but_a_state_dict_is_refused(state):
    with pytest.raises(ValueError, match=r"^from_gpt2: state must be a state dict in GPT-2's names; got "):
        from_gpt2(state, 2)
