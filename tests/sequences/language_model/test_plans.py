"""The recipes: texts are cut before anything is learned, runs repeat, and the record says what was run."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src import data
from chapters_src.data.records import record, write_record
from chapters_src.sequences.language_model import plans as recipe
from chapters_src.sequences.language_model.counts import parameters
from chapters_src.sequences.language_model.evaluation import total_nats
from chapters_src.sequences.language_model.gpt import Config
from chapters_src.sequences.language_model.plans import (
    PLANS,
    Plan,
    held_out_bits,
    new_run,
    tokenised,
)
from chapters_src.sequences.language_model.training import Recipe
from chapters_src.sequences.recurrent import train_held_out
from tests.bad_input import bad_numbers, refused

torch.set_num_threads(1)
TEXT = "the cat sat on the mat and the dog sat on the log; " * 20
TINY = Plan(5, {"context": 8, "d": 8, "heads": 2, "layers": 1, "dropout": 0.1}, Recipe(9, 2, 8, 1e-2, 2), 4)


@given(st.text(min_size=10, max_size=80))
def test_parts_are_the_text_and_the_last_tenth(text):
    train, held_out = train_held_out(text)
    assert train + held_out == text and len(held_out) == len(text) // 10


@settings(max_examples=30)
@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), min_size=10, max_size=80), merges=st.integers(0, 4)
)
def test_tokens_spell_both_parts(text, merges):
    ready = tokenised(text, merges)
    train, held_out = train_held_out(text)
    assert ready.tokeniser.decode(ready.train.tolist()) == train
    assert ready.tokeniser.decode(ready.held_out.tolist()) == held_out and ready.characters == len(held_out)


def test_merges_are_learned_from_the_training_part_alone():
    """The held-out tenth is all of one word; its pairs are no merges."""
    ready = tokenised("abcd " * 180 + "xyxyxyxyxy" * 10, 6)
    assert not any(b"xy" in token for token in ready.tokeniser.vocabulary)


def test_measure_is_bits_of_the_held_out_characters():
    ready = tokenised(TEXT, 5)
    model = new_run(TINY, ready).model
    tokens = torch.cat([ready.train[-8:], ready.held_out])
    expected = total_nats(model, tokens, 8) / torch.tensor(2.0).log().item() / len(train_held_out(TEXT)[1])
    assert held_out_bits(ready)(model) == pytest.approx(expected)


def test_a_seed_decides_a_run():
    ready = tokenised(TEXT, 5)
    first, again, other = (new_run(TINY, ready, seed).train(ready.train) for seed in (0, 0, 1))
    assert torch.equal(first.losses, again.losses) and not torch.equal(first.losses, other.losses)
    assert first.model.config.vocabulary == len(ready.tokeniser) == 261


def test_plans_are_sound():
    for plan in PLANS.values():
        config = Config(256 + plan.merges, **plan.shape)
        assert plan.recipe.length <= config.context and 0 < plan.every <= plan.recipe.steps
    assert PLANS["characters"].merges == 0


def test_long_runs_write_their_record(tmp_path, monkeypatch):
    """Also one that was stopped: it goes on from its checkpoint, and comes out the same."""
    monkeypatch.setattr(recipe, "PLANS", {"a": TINY})
    monkeypatch.setattr(data, "language_reference", lambda: TEXT)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    whole = recipe._trained("a", tmp_path / "one")
    ready = tokenised(TEXT, 5)
    run = new_run(TINY, ready).train(ready.train, 4)
    run.evaluations.append((4, 0.0, held_out_bits(ready)(run.model)))
    recipe.save(tmp_path / "two" / "a.pt", run)
    resumed = recipe._trained("a", tmp_path / "two")
    steps, bits = ([[row[i] for row in one["curve"]] for one in (whole, resumed)] for i in (0, 2))
    assert steps == [[4, 8, 9]] * 2 and bits[0] == bits[1]
    monkeypatch.setattr(recipe, "PLANS", {"a": replace(TINY, recipe=replace(TINY.recipe, steps=10))})
    with pytest.raises(ValueError, match="checkpoint must be of the plan 'a', or not be there"):
        recipe._trained("a", tmp_path / "two")
    target = write_record("language_model", {"runs": {"a": whole}}, tmp_path)
    assert json.loads(target.read_text())["runs"]["a"]["curve"] == [list(row) for row in whole["curve"]]
    assert whole["parameters"] == parameters(run.model.config)["total"]
    assert whole["config"] == asdict(run.model.config)


def test_the_record_is_of_these_plans():
    """Settings, sizes and steps of the stored runs are those of the code; each went down a long way."""
    RECORD = record("language_model")
    assert set(RECORD["runs"]) <= set(PLANS) and "short" not in RECORD["runs"]
    for name, run in RECORD["runs"].items():
        plan = PLANS[name]
        config = Config(run["vocabulary"], **plan.shape)
        assert (run["merges"], run["config"], run["recipe"]) == (
            plan.merges,
            asdict(config),
            asdict(plan.recipe),
        )
        assert run["parameters"] == parameters(config)["total"]
        steps, seconds, bits = zip(*run["curve"], strict=True)
        assert steps[-1] == plan.recipe.steps and list(steps) == sorted(steps)
        assert list(seconds) == sorted(seconds) and bits[-1] < 1.9 < bits[0]


@settings(max_examples=25)
@given(bad_numbers)
def test_bad_input(bad):
    refused("tokenised", tokenised, {"text": TEXT}, "merges", bad)
    refused("train_held_out", train_held_out, {}, "text", bad)
    refused("new_run", new_run, {"text": tokenised(TEXT, 0)}, "plan", bad)
