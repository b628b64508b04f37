"""GPT: the same logits as a stack of torch's layers, causality, learning one batch, and the meta device."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from chapters_src.networks.regularisation import dropout
from chapters_src.sequences.heads import masks
from chapters_src.sequences.language_model.gpt import GPT, Config, next_token_loss
from chapters_src.sequences.transformer.self_attention import POSITIONS
from tests.bad_input import bad_numbers, refused

torch.set_num_threads(1)
double = torch.float64
every_position = pytest.mark.parametrize("position", POSITIONS)


def seeded(n):
    return torch.Generator().manual_seed(n)


def small(position="rotary", dtype=double, device=None, **options):
    shape = {"vocabulary": 11, "context": 8, "d": 8, "heads": 2, "layers": 2, "position": position}
    return GPT(Config(**{**shape, **options}), seeded(0), device=device, dtype=dtype)


def text(*shape, seed=1, below=11):
    return torch.randint(below, shape, generator=seeded(seed))


def torch_gpt(model):
    """The logits of the same model, from torch's own layers."""
    c = model.config
    stack = []
    for block in model.blocks:
        options = {"activation": c.activation, "norm_first": c.norm == "pre", "batch_first": True}
        layer = nn.TransformerEncoderLayer(c.d, c.heads, c.hidden, 0.0, dtype=double, **options)
        pairs = {
            "self_attn.in_proj_weight": block.attention.qkv.weight,
            "self_attn.in_proj_bias": block.attention.qkv.bias,
            **{f"self_attn.out_proj.{k}": v for k, v in block.attention.out.named_parameters()},
            **{f"linear1.{k}": v for k, v in block.feed_forward.wide.named_parameters()},
            **{f"linear2.{k}": v for k, v in block.feed_forward.back.named_parameters()},
            **{f"norm1.{k}": v for k, v in block.attention_norm.named_parameters()},
            **{f"norm2.{k}": v for k, v in block.network_norm.named_parameters()},
        }
        layer.load_state_dict({k: v.detach() for k, v in pairs.items()})
        stack.append(layer)

    def logits(tokens):
        x = model.embedding[tokens] * math.sqrt(c.d)
        if c.position == "learned":
            x = x + model.positions[: tokens.shape[1]]
        for layer in stack:
            x = layer(x, src_mask=~masks.causal(tokens.shape[1]))
        x = F.layer_norm(x, (c.d,), model.last.weight, model.last.bias) if c.norm == "pre" else x
        return x @ (model.embedding if c.tied else model.output).T

    return logits


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("position", ["none", "learned"])
@pytest.mark.parametrize("tied", [True, False])
def test_logits_are_those_of_torchs_layers(norm, position, tied):
    model = small(position, norm=norm, tied=tied)
    tokens = text(3, 7)
    assert torch.allclose(model(tokens), torch_gpt(model)(tokens), atol=1e-10)


@every_position
@settings(max_examples=10)
@given(at=st.integers(1, 7), seed=st.integers(2, 50))
def test_the_future_does_not_change_the_past(position, at, seed):
    model, tokens = small(position), text(2, 8)
    changed = tokens.clone()
    changed[:, at:] = text(2, 8 - at, seed=seed)
    assert torch.equal(model(tokens)[:, :at], model(changed)[:, :at])


def test_without_positions_only_the_set_of_the_past_counts():
    """Order is lost: the last prediction is the same for every order of the tokens before the last one."""
    tokens = torch.tensor([[1, 2, 3, 4, 5]])
    mixed = torch.tensor([[3, 1, 4, 2, 5]])
    one_layer = {"layers": 1}
    model = small("none", **one_layer)
    assert torch.allclose(model(tokens)[:, -1], model(mixed)[:, -1], atol=1e-12)
    for position in POSITIONS[1:]:
        model = small(position, **one_layer)
        with torch.no_grad():
            for block in model.blocks:
                if block.attention.bias is not None:
                    for table in block.attention.bias.parameters():  # ALiBi learns none
                        table.normal_(generator=seeded(3))
        assert (model(tokens)[:, -1] - model(mixed)[:, -1]).abs().max() > 1e-6, position


@every_position
def test_cache_gives_the_same_logits(position):
    model, tokens = small(position), text(2, 8)
    cache = model.cache(2)
    pieces = [model(part, cache) for part in tokens.split([3, 1, 1, 2, 1], dim=1)]
    assert torch.allclose(torch.cat(pieces, dim=1), model(tokens), atol=1e-12)
    with pytest.raises(
        ValueError, match="GPT: tokens must be at most 8 with those before, the context; got 9"
    ):
        model(tokens[:, :1], cache)


def test_loss_is_the_mean_over_all_positions():
    """One pass gives the losses of every prefix, each computed here by itself."""
    model, tokens = small(), text(2, 6)
    single = []
    for row in tokens:
        for i in range(1, 6):
            p = model(row[None, :i])[0, -1].softmax(-1)[row[i]]
            single.append(-p.log())
    assert torch.allclose(next_token_loss(model, tokens), torch.stack(single).mean(), atol=1e-12)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("tied", [True, False])
def test_untrained_loss_is_that_of_guessing(norm, tied):
    tokens = text(4, 33, below=1000)
    model = GPT(Config(1000, 32, 64, 4, 2, norm=norm, tied=tied), seeded(0))
    assert float(next_token_loss(model, tokens).detach()) == pytest.approx(math.log(1000), abs=0.05)
    current = model(tokens[:, :-1]).softmax(-1).gather(-1, tokens[:, :-1, None])
    assert float(current.detach().mean()) < 0.005


def test_a_last_gain_of_one_is_sure_of_the_current_token():
    """What the small gain is for: with 1 the current token's logit starts near √d."""
    tokens = text(4, 33, below=1000)
    model = GPT(Config(1000, 32, 128, 4, 4, last_gain=1.0), seeded(0))
    assert float(next_token_loss(model, tokens).detach()) > math.log(1000) + 2
    assert Config(5, d=16).last_gain == 0.25


@every_position
def test_one_batch_is_learned_by_heart(position):
    model, tokens = small(position, dtype=torch.float32, d=16), text(4, 9)
    adam = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(80):
        adam.zero_grad()
        loss = next_token_loss(model, tokens)
        loss.backward()
        adam.step()
    # The first tokens of the rows differ by chance alone, so that what follows can be told from what came.
    assert float(loss.detach()) < 0.25


def test_gradient_against_differences():
    """Autograd against (L(θ + h) − L(θ − h))/2h, for a few numbers of every parameter."""
    model, tokens = small("relative"), text(2, 6)
    next_token_loss(model, tokens).backward()
    rng = np.random.default_rng(0)
    for name, p in model.named_parameters():
        at = tuple(int(rng.integers(side)) for side in p.shape)
        with torch.no_grad():
            values = []
            for h in (1e-5, -2e-5, 1e-5):
                p[at] += h
                values.append(float(next_token_loss(model, tokens)))
        expected = (values[0] - values[1]) / 2e-5
        assert p.grad[at].item() == pytest.approx(expected, abs=1e-8), name


def test_maps_and_residuals():
    model, tokens = small(layers=3), text(2, 5)
    maps, stream = model.attention_maps(tokens), model.residuals(tokens)
    assert len(maps) == 3 and len(stream) == 4
    for one in maps:
        assert one.shape == (2, 2, 5, 5)
        assert torch.allclose(one.sum(-1), torch.ones(2, 2, 5, dtype=double))
        assert not one.triu(1).any()
    assert torch.allclose(model.last(stream[-1]) @ model.embedding.T, model(tokens), atol=1e-12)
    post = small(norm="post")
    expected = post.blocks[0].attention.weights(post.residuals(tokens)[0], causal=True)
    assert torch.equal(post.attention_maps(tokens)[0], expected)


def test_same_generator_same_weights():
    first, again = small(), small()
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True))
    other = GPT(first.config, seeded(1), dtype=double)
    assert not torch.equal(first.embedding, other.embedding)


def test_spread_of_the_first_weights():
    """Rows of the embedding have length about 1; what is added to the stream is made small by √(2·layers)."""
    model = GPT(Config(500, 8, 64, 2, 8), seeded(0))
    assert float(model.embedding.detach().norm(dim=1).mean()) == pytest.approx(1, abs=0.02)
    block = model.blocks[0]
    for layer, expected in (
        (block.attention.qkv, 1 / 8),
        (block.attention.out, 1 / 8 / 4),
        (block.feed_forward.wide, 1 / 8),
        (block.feed_forward.back, 1 / 16 / 4),
    ):
        assert float(layer.weight.detach().std()) == pytest.approx(expected, rel=0.05)


def test_dropout_of_the_embeddings_and_of_all_that_is_added():
    """Step by step from one generator: embeddings, then what attention and network add, layer by layer."""
    model, tokens, g = small(dropout=0.3), text(2, 5), seeded(5)
    x = dropout(model.embedding[tokens] * math.sqrt(8), 0.3, g)
    for block in model.blocks:
        x = x + dropout(block.attention(block.attention_norm(x), causal=True), 0.3, g)
        x = x + dropout(block.feed_forward(block.network_norm(x)), 0.3, g)
    assert torch.allclose(model(tokens, noise=seeded(5)), model.last(x) @ model.embedding.T, atol=1e-12)


def test_dropout_is_asked_for():
    model, tokens = small(dropout=0.3), text(2, 5)
    assert torch.equal(model(tokens), model(tokens))
    assert not torch.equal(model(tokens, noise=seeded(0)), model(tokens))
    assert torch.equal(model(tokens, noise=seeded(0)), model(tokens, noise=seeded(0)))


@every_position
def test_meta_device(position):
    model = small(position, dtype=torch.float32, device="meta", dropout=0.1, norm="pre", tied=False)
    tokens = torch.ones(2, 6, dtype=torch.long, device="meta")
    loss = next_token_loss(model, tokens, seeded(0))
    loss.backward()
    assert loss.device.type == "meta" and model.embedding.grad.device.type == "meta"
    assert model(tokens[:, :3], model.cache(2)).shape == (2, 3, 11)
    assert model.attention_maps(tokens)[0].shape == (2, 2, 6, 6)


def test_config_fills_in_the_hidden_width():
    assert Config(5, d=16).hidden == 64 and Config(5, d=16, hidden=3).hidden == 3
    with pytest.raises(AttributeError):
        Config(5).d = 3


good = {"vocabulary": 11, "context": 8, "d": 8, "heads": 2, "layers": 2}


@pytest.mark.parametrize("argument", ["vocabulary", "context", "d", "heads", "layers", "hidden"])
@settings(max_examples=25)
@given(bad=bad_numbers.filter(lambda value: value is not None))
def test_config_refuses_bad_sizes(argument, bad):
    refused("Config", Config, good, argument, bad)


@pytest.mark.parametrize(
    ("argument", "bad"),
    [
        ("position", "somewhere"),
        ("norm", None),
        ("activation", "tanh"),
        ("tied", 1),
        ("dropout", 1.0),
        ("dropout", -0.1),
        ("heads", 3),
    ],
)
def test_config_refuses_bad_options(argument, bad):
    with pytest.raises(ValueError, match=rf"^Config: {argument} must .+; got "):
        Config(**{**good, argument: bad})


model = small()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Config(11, d=6, heads=2), "Config: d must make d/heads even, for rotary positions; got 6"),
        (lambda: Config(11, d=9, heads=3, position="sinusoidal"), "Config: d must make d even"),
        (lambda: GPT({"vocabulary": 3}, seeded(0)), r"GPT: config must be a Config; got \{'vocabulary': 3\}"),
        (lambda: GPT(Config(3), 0), "GPT: generator must be a torch.Generator"),
        (lambda: model(text(2, 9)), "GPT: tokens must be at most 8 with those before, the context; got 9"),
        (lambda: model(text(5)), r"GPT: tokens must have two axes, shape \(B, t\); got shape \(5,\)"),
        (lambda: model(text(2, 3) + 9), "GPT: tokens must hold tokens from 0 to 10; got 9 to"),
        (lambda: model(torch.ones(2, 3)), "GPT: tokens must be a tensor of whole numbers"),
        (lambda: model.cache(0), "cache: batch must be at least 1"),
        (lambda: next_token_loss(model, text(2, 1)), "next_token_loss: tokens must have two columns or more"),
        (lambda: next_token_loss(None, text(2, 3)), "next_token_loss: model must be a GPT; got None"),
        # -100 is what torch's cross-entropy leaves out without a word
        (
            lambda: next_token_loss(model, torch.tensor([[1, 2, -100]])),
            "next_token_loss: tokens must hold tokens from 0 to 10; got -100 to 2",
        ),
        (
            lambda: next_token_loss(model, torch.tensor([[1, 2, 11]])),
            "next_token_loss: tokens must hold tokens from 0 to 10; got 1 to 11",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@settings(max_examples=30)
@given(st.one_of(st.none(), st.text(max_size=3), st.floats(), st.just([[1]]), st.just(np.ones((1, 2), int))))
def test_anything_but_tokens_is_refused(bad):
    for call in (lambda: model(bad), lambda: next_token_loss(model, bad), lambda: model.attention_maps(bad)):
        with pytest.raises(ValueError, match="must be a tensor of whole numbers"):
            call()
