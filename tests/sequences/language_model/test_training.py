"""Training: the recipe against torch's AdamW by hand, windows, and bits counted once for every token."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.sequences.language_model.evaluation import bits_per_character, total_nats
from chapters_src.sequences.language_model.gpt import GPT, Config, next_token_loss
from chapters_src.sequences.language_model.saving import resume, save
from chapters_src.sequences.language_model.training import Recipe, Run, one_pass, windows
from tests.bad_input import bad_numbers, refused

torch.set_num_threads(1)


def seeded(n):
    return torch.Generator().manual_seed(n)


def small(dtype=torch.float32, device=None, **options):
    config = Config(**{"vocabulary": 7, "context": 6, "d": 8, "heads": 2, "layers": 1, **options})
    return GPT(config, seeded(0), device=device, dtype=dtype)


tokens = torch.randint(7, (200,), generator=seeded(1))
quick = Recipe(steps=12, batch_size=4, length=6, warm_up=3, learning_rate=1e-2)


def test_steps_are_those_of_torch():
    """The whole loop once more, written out with torch's scheduler and clipping."""
    run = Run(small(), quick, seeded(2)).train(tokens)
    model, generator, queue = small(), seeded(2), []
    decayed = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    adam = torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
    for step in range(12):
        share = (step - 3) / 9
        rate = 1e-2 * (step / 3 if step < 3 else (1 + math.cos(math.pi * share)) / 2)
        assert quick.rate(step) == pytest.approx(rate)
        for group in adam.param_groups:
            group["lr"] = rate
        while len(queue) < 4:
            first = int(torch.randint(6, (1,), generator=generator))
            queue += (first + 6 * torch.randperm((199 - first) // 6, generator=generator)).tolist()
        start, queue = torch.tensor(queue[:4])[:, None], queue[4:]
        adam.zero_grad()
        loss = next_token_loss(model, tokens[start + torch.arange(7)])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        assert run.losses[step] == pytest.approx(loss.item(), abs=1e-5)
    for mine, theirs in zip(run.model.parameters(), model.parameters(), strict=True):
        assert torch.allclose(mine, theirs, atol=1e-5)


def test_training_learns_a_cycle():
    """0 1 2 3 4 5 6 0 1 …: after one token the rest is certain."""
    cycle = torch.arange(700) % 7
    run = Run(small(), Recipe(200, 8, 6, 1e-2, 10), seeded(2)).train(cycle)
    assert run.losses[0] > 1.5 and run.losses[-1] < 0.05
    assert bits_per_character(run.model, cycle[:70], cycle[:350], 350) < 0.05


def test_in_pieces_is_in_one_go():
    whole, parts = (Run(small(dropout=0.2), quick, seeded(2)) for _ in range(2))
    whole.train(tokens)
    for until in (0, 5, 5, 12):
        parts.train(tokens, until)
    assert parts.step == 12 and torch.equal(whole.losses, parts.losses)
    for a, b in zip(whole.model.parameters(), parts.model.parameters(), strict=True):
        assert torch.equal(a, b)


def test_evaluations_come_when_asked_and_at_the_end():
    seen = []
    run = Run(small(), quick, seeded(2)).train(
        tokens, every=5, evaluate=lambda model: seen.append(model) or 1.5
    )
    assert [(step, value) for step, _, value in run.evaluations] == [(5, 1.5), (10, 1.5), (12, 1.5)]
    seconds = [s for _, s, _ in run.evaluations]
    assert seconds == sorted(seconds) and seconds[-1] <= run.seconds and seen == [run.model] * 3


def test_evaluating_changes_nothing():
    plain = Run(small(), quick, seeded(2)).train(tokens)
    watched = Run(small(), quick, seeded(2))
    watched.train(tokens, every=1, evaluate=lambda model: bits_per_character(model, tokens, tokens, 200))
    assert torch.equal(plain.losses, watched.losses)


def test_dropout_draws_from_the_run():
    assert not torch.equal(
        Run(small(), quick, seeded(2)).train(tokens).losses,
        Run(small(dropout=0.5), quick, seeded(2)).train(tokens).losses,
    )


@settings(max_examples=30)
@given(length=st.integers(1, 20), count=st.integers(1, 9), seed=st.integers(0, 99))
def test_windows_are_stretches_of_the_text(length, count, seed):
    text = torch.arange(20)
    found = windows(text, count, length, seeded(seed))
    assert found.shape == (count, length)
    assert torch.equal(found - found[:, :1], torch.arange(length).expand(count, length))


@settings(max_examples=50)
@given(n=st.integers(2, 40), length=st.integers(1, 39), seed=st.integers(0, 99))
def test_one_pass_sees_every_token_once(n, length, seed):
    """Side by side: but for less than a window at either end, each token is predicted exactly once."""
    length = min(length, n - 1)
    starts = one_pass(n, length, seeded(seed)).sort().values
    predicted = (starts[:, None] + 1 + torch.arange(length)).flatten()
    assert torch.equal(predicted, torch.arange(int(predicted[0]), int(predicted[-1]) + 1))
    assert predicted[0] <= length and n - length <= predicted[-1] < n


def test_passes_differ():
    """Order and cut are drawn anew each time, and over many passes every place is a beginning."""
    generator = seeded(0)
    passes = [one_pass(30, 4, generator) for _ in range(60)]
    assert not torch.equal(passes[0], passes[1])
    assert torch.cat(passes).unique().tolist() == list(range(26))


def test_every_window_is_drawn():
    starts = windows(torch.arange(10), 2000, 4, seeded(0))[:, 0]
    assert starts.unique().tolist() == [0, 1, 2, 3, 4, 5, 6]


@settings(max_examples=25)
@given(n=st.integers(2, 30), start=st.integers(1, 29), stride=st.integers(1, 6), at_once=st.integers(1, 4))
def test_total_counts_every_token_once(n, start, stride, at_once):
    """Against each prediction by itself, with exactly the tokens that the window gives it."""
    start = min(start, n - 1)
    model, text = small(torch.float64), tokens[:n]
    expected = 0.0
    for i in range(start, n):
        end = min(start + stride * ((i - start) // stride + 1), n)
        begin = max(end - 1 - 6, 0)
        expected -= float(model(text[None, begin:i])[0, -1].log_softmax(-1)[text[i]].detach())
    assert total_nats(model, text, start, stride, at_once) == pytest.approx(expected, abs=1e-9)


def test_bits_of_a_model_that_knows_nothing():
    """With all weights 0 every token costs log₂ 7 bits, however many characters they stand for."""
    model = small(torch.float64)
    torch.nn.init.zeros_(model.embedding)
    assert bits_per_character(model, tokens, tokens[:50], 100) == pytest.approx(math.log2(7) / 2)


def test_a_model_wrapped_for_several_processes_trains_alike(tmp_path):
    """One process of one: what it learns is what the plain model learns, and it can be saved."""
    plain = Run(small(), quick, seeded(2)).train(tokens)
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/s", rank=0, world_size=1)
    try:
        run = Run(torch.nn.parallel.DistributedDataParallel(small()), quick, seeded(2)).train(tokens)
        again = resume(save(tmp_path / "run.pt", run))
    finally:
        torch.distributed.destroy_process_group()
    assert torch.allclose(run.losses, plain.losses, atol=1e-6)
    for mine, other in zip(again.model.parameters(), plain.model.parameters(), strict=True):
        assert torch.allclose(mine, other, atol=1e-6)


def test_meta_device():
    model = small(device="meta", dropout=0.1)
    run = Run(model, quick, seeded(2)).train(tokens.to("meta"))
    assert run.losses.device.type == "meta" and run.step == 12


good = {"steps": 10, "batch_size": 2, "length": 4, "warm_up": 3}


@pytest.mark.parametrize("argument", ["steps", "batch_size", "length", "warm_up", "learning_rate", "clip"])
@settings(max_examples=25)
@given(bad=bad_numbers)
def test_recipe_refuses(argument, bad):
    refused("Recipe", Recipe, good, argument, bad)


run, model = Run(small(), quick, seeded(2)), small()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Recipe(3, warm_up=3), "Recipe: steps must be at least 4; got 3"),
        (lambda: Recipe(100, beta_2=1.0), "Recipe: beta_2 must be above 0 and below 1"),
        (lambda: Recipe(100, clip=0.0), "Recipe: clip must be above 0"),
        (lambda: Run(None, quick, seeded(0)), "Run: model must be a GPT; got None"),
        (lambda: Run(model, {}, seeded(0)), r"Run: recipe must be a Recipe; got \{\}"),
        (lambda: Run(model, Recipe(100), seeded(0)), "Run: recipe must have a length of at most 6; got 64"),
        (lambda: Run(model, quick, 0), "Run: generator must be a torch.Generator"),
        (lambda: run.train(tokens, until=13), "train: until must be at least 0 and at most 12"),
        (lambda: run.train(tokens, every=2), "train: every must be given together with evaluate"),
        (lambda: run.train(tokens, every=0, evaluate=len), "train: every must be at least 1"),
        (lambda: run.train(tokens + 1), "train: tokens must hold tokens from 0 to 6; got 1 to 7"),
        (lambda: run.train(tokens[:6]), "one_pass: length must be at least 1 and at most 5; got 6"),
        (
            lambda: windows(tokens, 1, 201, seeded(0)),
            "windows: length must be at least 1 and at most 200; got 201",
        ),
        (lambda: one_pass(1, 1, seeded(0)), "one_pass: n must be at least 2; got 1"),
        (lambda: one_pass(9, 3, None), "one_pass: generator must be a torch.Generator"),
        (lambda: windows(tokens, 0, 3, seeded(0)), "windows: count must be at least 1"),
        (lambda: windows(tokens, 1, 3, None), "windows: generator must be a torch.Generator"),
        (lambda: total_nats(model, tokens, 0), "total_nats: start must be at least 1 and at most 199"),
        (lambda: total_nats(model, tokens, 1, 7), "total_nats: stride must be at least 1 and at most 6"),
        (lambda: total_nats(None, tokens), "total_nats: model must be a GPT"),
        (lambda: bits_per_character(model, tokens, tokens, 0), "bits_per_character: characters must be"),
        (lambda: bits_per_character(None, tokens, tokens, 1), "bits_per_character: model must be a GPT"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@settings(max_examples=30)
@given(st.one_of(st.none(), st.text(max_size=3), st.floats(), st.just([1, 2]), st.just(np.ones(2, int))))
def test_anything_but_tokens_is_refused(bad):
    calls = [
        lambda: windows(bad, 1, 1, seeded(0)),
        lambda: run.train(bad),
        lambda: total_nats(model, bad),
        lambda: bits_per_character(model, bad, tokens, 1),
        lambda: bits_per_character(model, tokens, bad, 1),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="must be a tensor of whole numbers"):
            call()
