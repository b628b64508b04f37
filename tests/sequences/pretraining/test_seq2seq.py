"""Encoder and decoder: who sees what, the loss by hand, and digits that are sorted after a few seconds."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.sequences.pretraining.seq2seq import (
    START,
    EncoderDecoder,
    exact_match,
    fit_seq2seq,
    greedy,
    real_tokens,
    seq2seq_loss,
    sorted_lists,
)
from tests.bad_input import bad_numbers, refused

torch.set_num_threads(1)
double = torch.float64


def seeded(n):
    return torch.Generator().manual_seed(n)


def sorted_digits(n, length, generator):
    """Without filling, which is the easier task."""
    source = torch.randint(10, (n, length), generator=generator)
    return source, source.sort(-1).values


def small(dtype=double, device=None, **options):
    return EncoderDecoder(11, 8, 2, 2, seeded(0), **options, device=device, dtype=dtype)


def digits(*shape, seed=1):
    return torch.randint(10, shape, generator=seeded(seed))


@pytest.mark.parametrize("norm", ["pre", "post"])
@settings(max_examples=12)
@given(at=st.integers(1, 5), seed=st.integers(2, 50))
def test_decoder_sees_the_past_and_all_of_the_source(norm, at, seed):
    """What is written later must not matter, and the source must."""
    model, source, target = small(norm=norm), digits(2, 4), digits(2, 6, seed=2)
    later = target.clone()
    later[:, at:] = digits(2, 6 - at, seed=seed)
    assert torch.equal(model(source, target)[:, :at], model(source, later)[:, :at])
    other = (source + torch.tensor([0, 0, 0, 1])) % 10  # the last one alone: even the first output knows
    assert (model(source, target)[:, 0] - model(other, target)[:, 0]).abs().max() > 1e-6


def test_encoder_sees_both_sides():
    model, source = small(), digits(1, 5)
    changed = source.clone()
    changed[0, -1] = (source[0, -1] + 1) % 10
    assert (model.encode(source)[0, 0] - model.encode(changed)[0, 0]).abs().max() > 1e-6


def test_loss_is_that_of_one_token_after_another():
    model, (source, target) = small(), sorted_digits(3, 4, seeded(1))
    total = 0.0
    for x, y in zip(source, target, strict=True):
        for t in range(4):
            written = torch.tensor([[START, *y[:t].tolist()]])
            total -= float(model(x[None], written)[0, -1].log_softmax(-1)[y[t]].detach())
    assert seq2seq_loss(model, source, target).item() == pytest.approx(total / 12, abs=1e-10)


def test_greedy_takes_the_likeliest_each_time():
    model, source = small(), digits(2, 4)
    found = greedy(model, source, 3)
    written = torch.full((2, 1), START)
    for t in range(3):
        best = model(source, written)[:, -1].argmax(-1)
        assert torch.equal(found[:, t], best)
        written = torch.cat([written, best[:, None]], dim=1)


def test_learns_to_sort():
    model = EncoderDecoder(11, 32, 4, 1, seeded(0))
    losses = fit_seq2seq(
        model, sorted_digits, 5, seeded(1), steps=150, batch_size=64, learning_rate=8e-3
    ).losses
    assert losses[0] > 2 and losses[-10:].mean() < 0.2
    assert exact_match(model, *sorted_digits(200, 5, seeded(2))) > 0.8


def test_order_is_needed_to_reverse():
    """Without positions the encoder hands on a bag of digits: sorting is possible, reversing is not."""
    model, source = small(position="none"), digits(1, 5)
    shuffled = source[:, [2, 0, 4, 1, 3]]
    start = torch.tensor([[START]])
    assert torch.allclose(model(source, start), model(shuffled, start), atol=1e-12)
    for position in ("sinusoidal", "rotary"):
        model = small(position=position)
        assert (model(source, start) - model(shuffled, start)).abs().max() > 1e-6


def test_exact_match_counts_whole_sequences():
    model, source = small(), digits(4, 3)
    written = greedy(model, source, 3)
    wrong = written.clone()
    wrong[0, 1] += 1
    assert exact_match(model, source, written) == 1.0 and exact_match(model, source, wrong) == 0.75


def test_exact_match_wants_a_target_for_every_source():
    with pytest.raises(
        ValueError, match=r"^exact_match: target must have shape \(4, t\), one per row of source"
    ):
        exact_match(small(), digits(4, 3), digits(3, 3))


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_filling_changes_nothing(norm):
    """Oracle: the same source without its filling, alone."""
    model, source, target = small(norm=norm), digits(3, 4), digits(3, 5, seed=2)
    filled = torch.cat([source, torch.full((3, 3), START)], dim=1)
    assert torch.allclose(model(filled, target), model(source, target), atol=1e-12)
    assert torch.allclose(model.encode(filled)[:, :4], model.encode(source), atol=1e-12)
    memory = model.encode(filled)
    unmasked = model.decode(memory, target)
    assert (unmasked - model(source, target)).abs().max() > 1e-4  # in the decoder the mask is needed too


def test_filling_of_a_target_costs_nothing():
    model, (source, target) = small(), sorted_digits(3, 4, seeded(1))
    filled = torch.cat([target, torch.full((3, 2), START)], dim=1)
    assert torch.allclose(
        seq2seq_loss(model, source, filled), seq2seq_loss(model, source, target), atol=1e-12
    )
    assert seq2seq_loss(model, source, torch.full((3, 2), START)).item() == 0
    written = greedy(model, source, 4)
    wrong = torch.where(written == START, 0, written)
    assert exact_match(model, source, torch.cat([wrong, torch.full((3, 2), START)], dim=1)) == exact_match(
        model, source, wrong
    )


@given(n=st.integers(1, 5), length=st.integers(2, 9), seed=st.integers(0, 99))
def test_lists(n, length, seed):
    source, target = sorted_lists(n, length, seeded(seed))
    for x, y in zip(source.tolist(), target.tolist(), strict=True):
        real = [one for one in x if one != START]
        assert 2 <= len(real) <= length and x[: len(real)] == real
        assert y == sorted(real) + [START] * (length - len(real))


def test_real_tokens():
    source = torch.tensor([[3, START, START], [1, 2, 3]])
    assert real_tokens(source).tolist() == [[[True, False, False]], [[True, True, True]]]
    with pytest.raises(ValueError, match="real_tokens: source must have a token other than 10"):
        real_tokens(torch.tensor([[START, START], [1, 2]]))


def test_meta_device():
    model = small(torch.float32, device="meta")
    source = torch.ones(2, 4, dtype=torch.long, device="meta")
    assert seq2seq_loss(model, source, source).device.type == "meta"
    losses = fit_seq2seq(model, sorted_digits, 4, seeded(1), steps=3, batch_size=2).losses
    assert losses.device.type == "meta" and greedy(model, source, 2).shape == (2, 2)


model, pairs = small(), sorted_digits(2, 3, seeded(0))


@settings(max_examples=25)
@given(bad_numbers)
def test_bad_numbers_are_refused(bad):
    task = {"n": 1, "length": 2, "generator": seeded(0)}
    refused("sorted_lists", sorted_lists, task, "n", bad)
    refused("sorted_lists", sorted_lists, task, "length", bad)
    fine = {"model": model, "task": sorted_digits, "length": 3, "generator": seeded(0)}
    refused("fit_seq2seq", fit_seq2seq, fine, "steps", bad)
    refused("fit_seq2seq", fit_seq2seq, fine, "learning_rate", bad)
    refused("greedy", greedy, {"model": model, "source": pairs[0]}, "length", bad)
    shape = {"vocabulary": 11, "d": 8, "heads": 2, "layers": 1, "generator": seeded(0)}
    for argument in ("vocabulary", "d", "layers", "longest"):
        refused("EncoderDecoder", EncoderDecoder, shape, argument, bad)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: EncoderDecoder(11, 8, 2, 1, None), "EncoderDecoder: generator must be a torch.Generator"),
        (lambda: small(position="learned"), "EncoderDecoder: position must be one of"),
        (lambda: model(digits(2, 65), digits(2, 3)), "encode: source must be at most 64 tokens long; got 65"),
        (lambda: model(digits(2, 3), digits(2, 65)), "decode: target must be at most 64 tokens long; got 65"),
        (
            lambda: model(digits(2, 3) + 5, digits(2, 3)),
            "encode: source must hold tokens from 0 to 10; got 8 to 14",
        ),
        (
            lambda: model(digits(1, 3), digits(2, 3)),
            r"EncoderDecoder: target must have shape \(1, t\), one per row of source; got \(2, 3\)",
        ),
        (lambda: greedy(None, digits(2, 3), 2), "greedy: model must be an EncoderDecoder"),
        (
            lambda: seq2seq_loss(None, digits(2, 3), digits(2, 3)),
            "seq2seq_loss: model must be an EncoderDecoder",
        ),
        (
            lambda: seq2seq_loss(model, digits(1, 3), torch.tensor([[1, 2, -100]])),
            "seq2seq_loss: target must hold tokens from 0 to 10; got -100 to 2",
        ),
        (lambda: fit_seq2seq(model, None, 3, seeded(0)), "fit_seq2seq: task must be a function"),
        (
            lambda: fit_seq2seq(None, sorted_digits, 3, seeded(0)),
            "fit_seq2seq: model must be an EncoderDecoder",
        ),
        (
            lambda: fit_seq2seq(model, sorted_digits, 3, 0),
            r"fit_seq2seq: generator must be a torch.Generator, as from device.seed\(0\); got a int",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@settings(max_examples=25)
@given(st.one_of(st.none(), st.text(max_size=3), st.floats(), st.just([[1]]), st.just(np.ones((1, 2), int))))
def test_anything_but_tokens_is_refused(bad):
    calls = [
        lambda: model(bad, pairs[1]),
        lambda: model(pairs[0], bad),
        lambda: seq2seq_loss(model, bad, pairs[1]),
        lambda: seq2seq_loss(model, pairs[0], bad),
        lambda: greedy(model, bad, 2),
        lambda: exact_match(model, pairs[0], bad),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="must be a tensor of whole numbers"):
            call()


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_one_more_norm_at_both_ends_where_norms_come_first(norm):
    model, source, target = small(norm=norm), digits(2, 4), digits(2, 3)
    last = (lambda x: F.layer_norm(x, x.shape[-1:])) if norm == "pre" else (lambda x: x)
    x = model.embed(source)
    for block in model.encoder:
        x = block(x)
    memory = model.encode(source)
    assert torch.allclose(memory, last(x), atol=1e-12)
    y = model.embed(target)
    for block in model.decoder:
        y = block(y, memory)
    assert torch.allclose(model.decode(memory, target), last(y) @ model.output.T, atol=1e-12)
