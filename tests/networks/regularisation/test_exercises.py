"""Answers as a student would write them, right and wrong."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.nn import functional

from chapters_src.networks.regularisation import (
    Regularisers,
    draw_splits,
    dropout,
    exercises,
    fit_recipe,
    kept_by_penalty,
    kept_by_stopping,
)
from tests.verdicts import rejected

# --- as many steps as a penalty


def test_as_much_as_a_penalty_by_running_it():
    h = np.array([0.5])
    enough = [t for t in range(1, 20) if kept_by_stopping(h, 0.2, t) >= kept_by_penalty(h, 0.5)]
    assert exercises.as_much_as_a_penalty.check(enough[0]).accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [(10, "much flatter"), (6, "a little less than half"), (4, "0.9"), (14, "three quarters"), (2, "keeps")],
)
def test_as_much_as_a_penalty_wrong(answer, hint):
    rejected(exercises.as_much_as_a_penalty, answer, hint)


# --- two losses on a screen


def test_losses_on_the_screen_by_running_it():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 2500)
    X = np.eye(3)[labels].repeat(3, axis=1) + rng.normal(size=(2500, 9))
    splits = draw_splits(X, labels, 2, 1000)
    model = fit_recipe(splits, Regularisers(dropout=0.5), steps=60)
    loss = lambda part, *noise: functional.cross_entropy(model(part.X, *noise).mT, part.labels).item()  # noqa: E731
    masks = torch.Generator().manual_seed(0)
    with_masks = loss(splits.train, lambda hidden: dropout(hidden, 0.5, masks))
    assert loss(splits.train) < loss(splits.validation) < with_masks
    assert exercises.losses_on_the_screen.check("b").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "other way"), ("c", "together"), ("d", "equally hard")])
def test_losses_on_the_screen_wrong(letter, why):
    rejected(exercises.losses_on_the_screen, letter, why)


# --- the false line


def test_uneven_noise():
    assert exercises.uneven_noise.false == 3
    assert "added" in exercises.uneven_noise.check("3").message


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("2", "is right"), ("4", "false as that is")]
)
def test_uneven_noise_wrong(line, why):
    rejected(exercises.uneven_noise, line, why)


# --- patience


def repaired(losses, patience):
    best = 0
    for check in range(len(losses)):
        if losses[check] < losses[best]:
            best = check
        if check - best == patience:
            break
    return best


def broken(losses, patience):
    waited = 0
    for check in range(1, len(losses)):
        waited = 0 if losses[check] < losses[check - 1] else waited + 1
        if waited == patience:
            return check
    return len(losses) - 1


def ends_there(losses, patience):
    best = repaired(losses, patience)
    return min(best + patience, len(losses) - 1)


def against_the_one_before(losses, patience):
    waited, seen = 0, [losses[0]]
    for before, loss in pairwise(losses):
        seen.append(loss)
        waited = 0 if loss < before else waited + 1
        if waited == patience:
            break
    return int(np.argmin(seen))


def test_patience_solution():
    assert exercises.repaired_patience.check(repaired).message == "Accepted: 5 cases."


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (broken, "count from there"),
        (ends_there, "not the copy to keep"),
        (against_the_one_before, "is no progress"),
        (lambda losses, patience: int(np.argmin(losses)), "after training has stopped"),
        (lambda losses, patience: repaired(losses, patience + 1), "one check too long"),
    ],
)
def test_patience_wrong(answer, hint):
    rejected(exercises.repaired_patience, answer, hint)


# --- whole channels


def test_channels_solution():
    def loops(x, p, u):
        out = np.zeros_like(x)
        for i in range(x.shape[0]):
            for c in range(x.shape[1]):
                if not u[i, c] < p:
                    out[i, c] = x[i, c] / (1 - p)
        return out

    assert exercises.whole_channels.check(loops).accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda x, p, u: x * (u >= p)[..., None, None], "so that the mean stays"),
        (lambda x, p, u: (1 - p) * x * (u >= p)[..., None, None], "makes the survivors smaller"),
        (lambda x, p, u: x * (u < p)[..., None, None] / (1 - p), "keeps a channel with probability p"),
        (lambda x, p, u: x * (u[0] >= p)[:, None, None] / (1 - p), "mask of its own"),
        (lambda x, p, u: x / (1 - p), "two axes"),
    ],
)
def test_channels_wrong(answer, hint):
    rejected(exercises.whole_channels, answer, hint)
