"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from chapters_src.sequences.pretraining import LowRank, exercises
from tests.verdicts import rejected

# --- the adapters of a large model


def millions(layers=32, matrices=2, numbers=8 * (4096 + 4096)):
    return layers * matrices * numbers / 1e6


def test_adapters_by_counting_one():
    adapter = LowRank(nn.Linear(4096, 4096, device="meta"), 8, torch.Generator())
    assert exercises.adapters.check(millions(numbers=adapter.A.numel() + adapter.B.numel())).accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (millions(matrices=1), "queries *and* values"),
        (millions(numbers=4096 * 4096), "frozen"),
        (millions(layers=1), "there are 32"),
        (millions() * 1e6, "in millions"),
        (millions(matrices=4), "not four"),
        (17.0, "thin matrices"),
    ],
)
def test_adapters_wrong(value, hint):
    rejected(exercises.adapters, value, hint)


# --- nothing is masked


def test_nothing_masked():
    assert exercises.nothing_masked.check("a").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("b", "the answer too"), ("c", "never sees"), ("d", "knowing nothing")]
)
def test_nothing_masked_wrong(letter, why):
    rejected(exercises.nothing_masked, letter, why)


# --- the gradient of A


def test_the_gradient_of_a_by_torch():
    X, Y, W, B, A = (
        torch.randn(s, generator=torch.Generator().manual_seed(i), dtype=torch.float64)
        for i, s in enumerate([(6, 4), (6, 3), (3, 4), (3, 2), (2, 4)])
    )
    A.requires_grad_()
    R = X @ (W + B @ A).T - Y
    R.square().sum().backward()
    assert torch.allclose(A.grad, 2 * B.T @ R.T @ X)
    assert exercises.other_side.check("2").accepted


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("3", "from line 2"), ("4", "multiply out")]
)
def test_other_lines_are_rejected(line, why):
    verdict = exercises.other_side.check(line)
    assert verdict.attempted and not verdict.accepted and why in str(verdict)


# --- the masked loss


def by_torch(logits, tokens, chosen):
    at = torch.as_tensor(chosen)
    return F.cross_entropy(torch.as_tensor(logits)[at], torch.as_tensor(tokens)[at]).item()


def variant(over, place=0):
    """The word ``place`` further on is asked for at each place; ``over`` says how the mean is taken."""

    def attempt(logits, tokens, chosen):
        log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        rows = range(len(tokens) - place)
        return over(-log_p[rows, tokens[place:]], chosen)

    return attempt


def test_loss_solution():
    assert exercises.repaired_loss.check(by_torch).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (variant(lambda each, chosen: each.mean(), place=1), "nothing is repaired"),
        (variant(lambda each, chosen: each.mean()), "now the mean"),
        (variant(lambda each, chosen: each[chosen[:-1]].mean(), place=1), "now the word"),
        (variant(lambda each, chosen: each[chosen[1:]].mean(), place=1), "its own place"),
        (variant(lambda each, chosen: each[~chosen].mean()), "*not* hidden"),
        (variant(lambda each, chosen: each[chosen].sum() / len(each)), "not by the length"),
        (lambda logits, tokens, chosen: 0.0, "two faults"),
    ],
)
def test_loss_wrong(wrong, hint):
    rejected(exercises.repaired_loss, wrong, hint)


# --- two adapters as one


def side_by_side(A1, B1, A2, B2, share):
    return np.concatenate([A1, A2]), np.concatenate([share * B1, (1 - share) * B2], axis=1)


def test_combined_solution_is_the_mixture():
    assert exercises.combined.check(side_by_side).accepted
    case = exercises.combined.cases[0]
    A, B = side_by_side(**case)
    mixture = case["share"] * case["B1"] @ case["A1"] + (1 - case["share"]) * case["B2"] @ case["A2"]
    np.testing.assert_allclose(B @ A, mixture)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda A1, B1, A2, B2, t: (t * A1 + (1 - t) * A2, t * B1 + (1 - t) * B2), "cross terms"),
        (lambda A1, B1, A2, B2, t: (np.r_[A1, A2], np.c_[B1, B2]), "weights 1 and 1"),
        (lambda A1, B1, A2, B2, t: (np.r_[t * A1, (1 - t) * A2], np.c_[t * B1, (1 - t) * B2]), "twice"),
        (lambda A1, B1, A2, B2, t: (np.r_[A2, A1], np.c_[t * B1, (1 - t) * B2]), "belongs to it"),
        (lambda A1, B1, A2, B2, t: (np.r_[t * A1, (1 - t) * A2], np.c_[B1, B2]), "the share in"),
        (lambda A1, B1, A2, B2, t: (A1, B1), "wider matrices"),
    ],
)
def test_combined_wrong(wrong, hint):
    rejected(exercises.combined, wrong, hint)


# --- stubs


@pytest.mark.parametrize("name", exercises.__all__)
def test_a_stub_is_not_an_attempt(name):
    exercise = getattr(exercises, name)
    stub = (lambda *a, **k: ...) if name in ("repaired_loss", "combined") else ...
    assert not exercise.check(stub).attempted
