"""Learning from the prompt: who sees whom, the best guess by brute force, and that prompts are used."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.sequences.gates import fit_with_adam
from chapters_src.sequences.pretraining.in_context import (
    InContext,
    best_guess,
    few_shot_mask,
    in_context_loss,
    random_lines,
)
from tests.bad_input import bad_numbers, refused

torch.set_num_threads(1)
double = torch.float64


def seeded(n):
    return torch.Generator().manual_seed(n)


def doubles(tasks):
    return type(tasks)(*(part.double() for part in tasks))


def small():
    return InContext(8, 2, 2, seeded(0), dtype=double)


def answers(model, tasks):
    return model(tasks.x, tasks.y, tasks.asked, tasks.direction)


@pytest.mark.parametrize("m", [1, 3])
def test_mask_by_its_words(m):
    allowed = few_shot_mask(m)[0]
    for i, j in itertools.product(range(2 * m + 2), repeat=2):
        example = 1 <= j <= m
        seen = i if i <= m else i - m - 1  # of the examples
        expected = j == 0 or j == i or (example and j <= seen)
        assert bool(allowed[i, j]) == expected, (i, j)


@settings(max_examples=15)
@given(k=st.integers(0, 3))
def test_question_k_sees_k_examples(k):
    model, tasks = small(), doubles(random_lines(2, 4, seeded(1)))
    y = tasks.y.clone()
    y[:, k] += 1
    moved = (answers(model, tasks._replace(y=y)) - answers(model, tasks)).abs().amax(0)
    assert not moved[: k + 1].any() and (moved[k + 1 :] > 1e-9).all()
    asked = tasks.asked.clone()
    asked[:, k] += 1
    moved = (answers(model, tasks._replace(asked=asked)) - answers(model, tasks)).abs().amax(0)
    assert moved[k] > 1e-9 and (moved > 0).sum() == 1


def test_order_of_examples_does_not_matter_to_the_best_guess():
    tasks = doubles(random_lines(5, 4, seeded(1)))
    turned = tasks._replace(x=tasks.x.flip(1), y=tasks.y.flip(1))
    first, second = (best_guess(one.x, one.y, one.asked, one.direction)[:, -1] for one in (tasks, turned))
    assert torch.allclose(first, second, atol=1e-10)


@pytest.mark.parametrize("told", [1.0, -1.0, 0.0])
def test_best_guess_by_a_grid(told):
    """Oracle: every line of a fine grid, weighted by prior and likelihood."""
    x, y = np.array([-0.4, 0.3, 0.9]), np.array([0.3, 0.1, 0.6])
    a, b = (grid.ravel() for grid in np.meshgrid(np.linspace(-4, 4, 401), np.linspace(-4, 4, 401)))
    bump = lambda s: np.exp(-((b - s) ** 2) / 0.5)  # noqa: E731
    prior = np.exp(-(a**2) / 2) * ((told != -1) * bump(1) + (told != 1) * bump(-1))
    asked = np.array([-1.5, 0.5, 1.0, 2.0])
    expected = []
    for k in range(4):
        off = y[:k] - a[:, None] - b[:, None] * x[:k]
        weight = prior * np.exp(-(off**2).sum(1) / 0.08)
        expected.append((weight * (a + b * asked[k])).sum() / weight.sum())
    row = lambda values: torch.tensor(values, dtype=double)[None]  # noqa: E731
    found = best_guess(row(x), row(y), row(asked), torch.tensor([told], dtype=double))
    np.testing.assert_allclose(found[0], expected, atol=1e-6)


def test_lines_are_drawn_as_said():
    tasks = random_lines(20000, 3, seeded(0))
    assert tasks.x.shape == (20000, 3) and tasks.asked.shape == tasks.answer.shape == (20000, 4)
    assert float((tasks.direction == 0).double().mean()) == pytest.approx(0.5, abs=0.02)
    slope = (tasks.y[:, 1] - tasks.y[:, 0]) * (tasks.x[:, 1] - tasks.x[:, 0])
    weight = (tasks.x[:, 1] - tasks.x[:, 0]).square()
    for told in (1, -1):
        at = tasks.direction == told
        assert float(slope[at].sum() / weight[at].sum()) == pytest.approx(told, abs=0.03)
    assert float(tasks.x.abs().max()) <= 2


def test_loss_by_hand_and_learning():
    model, tasks = InContext(16, 2, 2, seeded(0)), random_lines(50, 4, seeded(1))
    error = (answers(model, tasks) - tasks.answer).square().mean()
    assert torch.allclose(in_context_loss(model, tasks), error)
    g = seeded(2)
    prompts = (random_lines(48, 4, g) for _ in itertools.count())
    fit_with_adam(model, in_context_loss, prompts, 150, 1e-2, progress=False)
    new = random_lines(2000, 4, seeded(3))
    with torch.no_grad():
        by_count = (answers(model, new) - new.answer).square().mean(0)
    assert by_count[4] < 0.4 * by_count[0]
    best = (best_guess(new.x, new.y, new.asked, new.direction) - new.answer).square().mean(0)
    assert (by_count > best - 0.02).all()  # nobody does better than the best


def test_meta_device():
    model = InContext(8, 2, 1, seeded(0), device="meta")
    tasks = type(t := random_lines(2, 3, seeded(0)))(*(part.to("meta") for part in t))
    assert in_context_loss(model, tasks).device.type == "meta"


@settings(max_examples=20)
@given(bad_numbers)
def test_bad_numbers_are_refused(bad):
    fine = {"n": 1, "m": 2, "generator": seeded(0)}
    refused("random_lines", random_lines, fine, "n", bad)
    refused("random_lines", random_lines, fine, "m", bad)
    refused("few_shot_mask", few_shot_mask, {}, "m", bad)


@pytest.mark.parametrize("part", ["y", "asked", "direction"])
def test_one_precision_for_the_best_guess(part):
    tasks = doubles(random_lines(2, 3, seeded(0)))._asdict()
    good = {name: tasks[name] for name in ("x", "y", "asked", "direction")}
    with pytest.raises(ValueError, match=f"^best_guess: {part} must be torch.float64 on cpu, as x is"):
        best_guess(**{**good, part: good[part].float()})


def test_one_question_more_than_examples():
    with pytest.raises(ValueError, match=r"^InContext: asked must have shape \(2, 4\)"):
        small()(*(torch.zeros(2, n, dtype=double) for n in (3, 3, 3)), torch.zeros(2, dtype=double))
