"""Answers as a student would write them, right and wrong."""

import math

import numpy as np
import pytest
import torch

from chapters_src.sequences.gates import exercises
from tests.verdicts import rejected

# --- half after a hundred steps


def test_bias_by_logit():
    f = 0.5 ** (1 / 100)
    assert exercises.half_after_a_hundred.check(math.log(f / (1 - f))).accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (0.5**0.01, "that is the gate"),
        (math.log(0.99 / 0.01), "37 %"),
        (-4.97, "the sign"),
        (0.0, "gone in one step"),
    ],
)
def test_bias_wrong(answer, hint):
    rejected(exercises.half_after_a_hundred, answer, hint)


# --- reading one way


def test_brackets_need_the_future():
    assert exercises.one_way.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "turn it round"), ("c", "each of the 50"), ("d", "Three symbols")]
)
def test_one_way_wrong(letter, why):
    rejected(exercises.one_way, letter, why)


# --- the false line


def test_false_line():
    assert exercises.through_the_output.check("2").accepted


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("3", "two squares"), ("4", "from line 3")]
)
def test_false_line_wrong(line, why):
    rejected(exercises.through_the_output, line, why)


# --- weights in the memory


def by_cumprod(i, f):
    after = np.append(f[1:], 1.0)
    return np.asarray(i) * np.cumprod(after[::-1])[::-1]


def by_gradient(i, f):
    offers = torch.zeros(len(i), dtype=torch.float64, requires_grad=True)
    c = torch.zeros((), dtype=torch.float64)
    for t in range(len(i)):
        c = f[t] * c + i[t] * offers[t]
    c.backward()
    return offers.grad.numpy()


@pytest.mark.parametrize("answer", [by_cumprod, by_gradient])
def test_weights_solutions(answer):
    assert exercises.memory_weights.check(answer).accepted


def test_weights_stub():
    assert not exercises.memory_weights.check(lambda i, f: ...).attempted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("its own forget gate", lambda i, f: [i[t] * np.prod(f[t:]) for t in range(len(i))]),
        ("up to step t", lambda i, f: [i[t] * np.prod(f[: t + 1]) for t in range(len(i))]),
        ("how much gets in", lambda i, f: [np.prod(f[t + 1 :]) for t in range(len(i))]),
        ("another one at each step", lambda i, f: [i[t] * f[t] ** (len(i) - 1 - t) for t in range(len(i))]),
    ],
)
def test_weights_wrong(hint, attempt):
    rejected(exercises.memory_weights, attempt, hint)


# --- the loss of padded sentences


def by_torch(p, target):
    logits, words = torch.tensor(p).log(), torch.tensor(target)
    return float(
        torch.nn.functional.cross_entropy(
            logits[:, :-1].flatten(0, 1), words[:, 1:].flatten(), ignore_index=0
        )
    )


def by_mask(p, target):
    picked = np.take_along_axis(p[:, :-1], target[:, 1:, None], -1)[..., 0]
    real = target[:, 1:] != 0
    return -np.log(picked[real]).mean()


@pytest.mark.parametrize("answer", [by_torch, by_mask])
def test_loss_solutions(answer):
    assert exercises.padded_loss.check(answer).accepted


def test_loss_stub():
    assert not exercises.padded_loss.check(lambda p, target: ...).attempted


def surprises(p, target, move):
    words = target[:, move:]
    return -np.log(np.take_along_axis(p[:, : words.shape[1]], words[..., None], -1)[..., 0]), words != 0


def only_moved(p, target):
    return surprises(p, target, 1)[0].mean()


def only_masked(p, target):
    loss, real = surprises(p, target, 0)
    return loss[real].mean()


def divided_by_all(p, target):
    loss, real = surprises(p, target, 1)
    return (loss * real).sum() / real.size


def per_sentence(p, target):
    loss, real = surprises(p, target, 1)
    return ((loss * real).sum(1) / real.sum(1)).mean()


def unchanged(p, target):
    return surprises(p, target, 0)[0].mean()


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("padding is counted", only_moved),
        ("predicts word t + 1", only_masked),
        ("divided by all places", divided_by_all),
        ("mean over sentences", per_sentence),
        ("two faults", unchanged),
    ],
)
def test_loss_wrong(hint, attempt):
    rejected(exercises.padded_loss, attempt, hint)
