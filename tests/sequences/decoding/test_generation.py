"""Generation: filters against their definitions, the cache against no cache, draws against probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.sequences.decoding.generation import (
    draw,
    generate,
    min_p,
    next_distribution,
    top_k,
    top_p,
    window_start,
    with_temperature,
)
from chapters_src.sequences.language_model.gpt import GPT, Config
from chapters_src.sequences.transformer.self_attention import POSITIONS
from tests.bad_input import bad_numbers, refused

torch.set_num_threads(1)
some = settings(max_examples=60)
# Few different values, so that equal ones are common; and removed ones, as from another filter.
values = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])
rows = st.lists(values, min_size=1, max_size=8).map(lambda row: torch.tensor(row, dtype=torch.float64))


def seeded(n):
    return torch.Generator().manual_seed(n)


def small(position="rotary", dtype=torch.float64, device=None, seed=0, context=8):
    return GPT(Config(7, context, 8, 2, 2, position=position), seeded(seed), device=device, dtype=dtype)


def by_probability(row):
    """Indices, likeliest first; of equals the smaller index first."""
    return sorted(range(len(row)), key=lambda i: (-float(row[i]), i))


def kept(row):
    return [i for i, value in enumerate(row) if value > -math.inf]


@some
@given(rows, st.integers(1, 10))
def test_top_k_by_definition(row, k):
    out = top_k(row, k)
    assert kept(out) == sorted(by_probability(row)[:k])
    assert torch.equal(out[kept(out)], row[kept(out)])


@some
@given(rows, st.floats(0.01, 0.99))
def test_top_p_by_definition(row, p):
    """Add up likeliest first until p is reached; the one that reaches it is the last to stay."""
    share, total, expected = row.softmax(-1), 0.0, []
    for i in by_probability(row):
        if total >= p - 1e-12 and expected:
            if abs(total - p) < 1e-9:
                return  # on the edge rounding decides, and both answers are right
            break
        expected.append(i)
        total += float(share[i])
    assert kept(top_p(row, p)) == sorted(expected)


@some
@given(rows, st.floats(0.1, 10))
def test_temperature_is_a_power_of_the_probabilities(row, tau):
    power = row.softmax(-1) ** (1 / tau)
    assert torch.allclose(with_temperature(row, tau).softmax(-1), power / power.sum(), atol=1e-12)


@some
@given(rows)
def test_limits(row):
    """τ = 0, k = 1 and a tiny p all leave the likeliest alone; τ = 1, all k and p = 1 change nothing."""
    first = by_probability(row)[0]
    for filtered in (with_temperature(row, 0.0), top_k(row, 1), top_p(row, 1e-9)):
        assert kept(filtered) == [first]
    for same in (top_k(row, len(row)), top_p(row, 1.0)):
        assert torch.equal(same, row)
    assert torch.equal(with_temperature(row, 1.0), row - row.max())


@some
@given(rows, st.floats(0, 1e-3))
def test_no_temperature_is_too_small(row, tau):
    for dtype in (torch.float32, torch.float64):
        found = next_distribution(row.to(dtype), tau)
        assert float(found.sum()) == pytest.approx(1) and found.argmax() == by_probability(row)[0]


@some
@given(rows, st.floats(0.2, 5), st.integers(1, 8), st.floats(0.05, 1))
def test_distribution_is_the_filters_in_order(row, tau, k, p):
    expected = top_p(top_k(row / tau, k), p).softmax(-1)
    found = next_distribution(row, tau, k, p)
    assert torch.allclose(found, expected) and float(found.sum()) == pytest.approx(1)


def test_worked_example():
    """Probabilities 1/2, 1/4, 1/8, 1/8: p = 0.6 keeps two of them, as 2/3 and 1/3; τ = ½ squares them."""
    logits = torch.tensor([0.5, 0.25, 0.125, 0.125], dtype=torch.float64).log()
    assert torch.allclose(next_distribution(logits, p=0.6), torch.tensor([2, 1, 0, 0]).double() / 3)
    squares = torch.tensor([16, 4, 1, 1]).double()
    assert torch.allclose(next_distribution(logits, 0.5), squares / 22)
    assert next_distribution(logits, 0.0).tolist() == [1, 0, 0, 0]


def test_rows_are_filtered_each_for_itself():
    logits = torch.randn(3, 2, 6, generator=seeded(0), dtype=torch.float64)
    for f in (lambda x: top_k(x, 2), lambda x: top_p(x, 0.7), lambda x: with_temperature(x, 0.0)):
        single = torch.stack([f(row) for row in logits.flatten(0, 1)]).view_as(logits)
        assert torch.equal(f(logits), single)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("start", [1, 5, 8, 11])
def test_cache_gives_the_same_tokens(position, start):
    """Also when the text grows far beyond the context of 8."""
    model = small(position)
    with torch.no_grad():
        for block in model.blocks:
            if block.attention.bias is not None:
                for table in block.attention.bias.parameters():  # ALiBi learns none
                    table.normal_(generator=seeded(3))
    text = torch.randint(7, (3, start), generator=seeded(1))
    with_cache, without = (generate(model, text, 25, seeded(2), 1.5, cache=one) for one in (True, False))
    assert torch.equal(with_cache, without)
    assert torch.equal(with_cache[:, :start], text) and with_cache.shape == (3, start + 25)
    assert len(with_cache[:, start:].unique()) > 3


def test_tokens_follow_the_distribution():
    """Each next token, drawn 4,000 times, against the probabilities the model gives it."""
    model, text = small(), torch.tensor([[1, 2, 3]])
    drawn = generate(model, text.expand(4000, 3), 1, seeded(0), 0.7, k=4)[:, -1]
    expected = next_distribution(model(text)[0, -1].detach(), 0.7, k=4).numpy()
    found = np.bincount(drawn.numpy(), minlength=7) / 4000
    assert not found[expected == 0].any()
    assert np.abs(found - expected).max() < 4 * np.sqrt(0.25 / 4000)


def test_greedy_is_the_argmax():
    model, text = small(), torch.tensor([[1, 2, 3]])
    out = generate(model, text, 4, seeded(0), temperature=0.0)
    for n in range(3, 7):
        assert out[0, n] == model(out[:, :n])[0, -1].argmax()


def test_cache_works_in_single_precision_and_does_less():
    model = small(dtype=torch.float32, context=32)
    text, read = torch.tensor([[1, 2]]), []
    model.register_forward_pre_hook(lambda _, args: read.append(args[0].shape[1]))
    once = generate(model, text, 20, seeded(0))
    assert read == [2] + [1] * 19
    read.clear()
    assert torch.equal(generate(model, text, 20, seeded(0), cache=False), once)
    assert read == list(range(2, 22))


@given(n=st.integers(1, 200), context=st.integers(1, 40))
def test_window_leaves_room_and_keeps_half(n, context):
    start = window_start(n, context)
    assert n - start <= context and start % max(context // 2, 1) == 0
    assert (start == 0) == (n <= context)
    assert n - start > context - max(context // 2, 1) or start == 0
    assert window_start(n + 1, context) - start in (0, max(context // 2, 1))


def test_no_gradient_and_nothing_changed():
    model, text = small(), torch.tensor([[1, 2, 3]])
    assert not generate(model, text, 2, seeded(0)).requires_grad and torch.equal(
        text, torch.tensor([[1, 2, 3]])
    )
    assert torch.equal(generate(model, text, 0, seeded(0)), text)


def test_meta_device():
    model = small(dtype=torch.float32, device="meta")
    text = torch.ones(2, 3, dtype=torch.long, device="meta")
    logits = model(text)
    assert next_distribution(logits, 0.5, 3, 0.9).shape == logits.shape
    assert with_temperature(logits, 0.0).device.type == "meta"


model, text, row = small(), torch.tensor([[1, 2, 3]]), torch.tensor([0.0, 1.0])
not_a_count = bad_numbers.filter(lambda value: value is not None)


@settings(max_examples=25)
@given(not_a_count)
def test_bad_numbers_are_refused(bad):
    refused("with_temperature", with_temperature, {"logits": row}, "temperature", bad)
    refused("top_k", top_k, {"logits": row}, "k", bad)
    refused("top_p", top_p, {"logits": row}, "p", bad)
    good = {"model": model, "tokens": text, "generator": seeded(0)}
    refused("generate", generate, good, "count", bad)
    refused("window_start", window_start, {"context": 4}, "n", bad)
    refused("window_start", window_start, {"n": 4}, "context", bad)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: top_p(row, 1.01), "top_p: p must be above 0 and at most 1; got 1.01"),
        (lambda: top_p(row, 0.0), "top_p: p must be above 0"),
        (lambda: top_k(row, 0), "top_k: k must be at least 1; got 0"),
        (lambda: generate(None, text, 1, seeded(0)), "generate: model must be a GPT; got None"),
        (
            lambda: generate(model, text[0], 1, seeded(0)),
            r"generate: tokens must have two axes, shape \(B, t\); got shape \(3,\)",
        ),
        (lambda: generate(model, text + 5, 1, seeded(0)), "generate: tokens must hold tokens from 0 to 6"),
        (lambda: generate(model, text, 1, 0), "generate: generator must be a torch.Generator"),
        (lambda: generate(model, text, 1, seeded(0), cache=1), "generate: cache must be True or False"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@settings(max_examples=30)
@given(st.one_of(st.none(), st.text(max_size=3), st.floats(), st.just([1.0]), st.just(np.ones(2))))
def test_anything_but_logits_is_refused(bad):
    for call in (lambda: top_k(bad, 1), lambda: top_p(bad, 0.5), lambda: with_temperature(bad, 1.0)):
        with pytest.raises(ValueError, match="logits must be a tensor of floats"):
            call()


@pytest.mark.parametrize(("p", "kept"), [(0.25, 1), (0.26, 2), (0.5, 2), (0.75, 3), (1.0, 4)])
def test_top_p_stops_where_the_sum_is_reached(p, kept):
    """Four equal chances are exact in binary: those before have p already, so nothing more is kept."""
    assert top_p(torch.zeros(4), p).isfinite().tolist() == [i < kept for i in range(4)]


@some
@given(rows, st.floats(0.01, 1.0))
def test_min_p_by_definition(row, m):
    share = row.softmax(-1)
    if (abs(share - m * share.max()) < 1e-9).any():
        return  # on the edge rounding decides
    assert kept(min_p(row, m)) == [i for i, q in enumerate(share) if q >= m * share.max()]
    assert torch.allclose(next_distribution(row, m=m), min_p(row, m).softmax(-1))


def test_min_p_worked():
    logits = torch.tensor([0.5, 0.25, 0.125, 0.125], dtype=torch.float64).log()
    assert torch.allclose(next_distribution(logits, m=0.4), torch.tensor([2, 1, 0, 0]).double() / 3)
    assert kept(min_p(logits, 1.0)) == [0]
    with pytest.raises(ValueError, match="min_p: m must be above 0 and at most 1; got 0"):
        min_p(logits, 0.0)


def test_draw_refuses_what_is_no_distribution():
    with pytest.raises(ValueError, match="draw: chances must hold rows of weights"):
        draw(torch.tensor([[0.5, -0.5]]), seeded(0))
    assert draw(torch.tensor([[0.0, 2.0, 0.0]]), seeded(0)).tolist() == [1]
