"""Answers as a student would write them, right and wrong."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from chapters_src.sequences.language_model import exercises
from tests.verdicts import rejected


def test_first_loss_by_torch():
    logits = torch.zeros(1, 50_257, dtype=torch.float64)
    logits[0, 7] = 12
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor([8])).item()
    assert exercises.first_loss.check(loss).accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (math.log(50_257), "log V"),
        (12, "denominator"),
        (math.log(math.exp(12) + 50_256) - 12, "its own logit is 0"),
        (math.log2(math.exp(12) + 50_256), "in bits"),
        (12 + math.log(50_257), "not of a product"),
        (3.0, "minus the logit"),
    ],
)
def test_first_loss_wrong(value, hint):
    rejected(exercises.first_loss, value, hint)


def test_better_model():
    assert 3.2 / 4 < 1.0
    assert exercises.better_model.check("a").accepted


@pytest.mark.parametrize(
    ("letter", "why"),
    [("b", "per character"), ("c", "tokens are not the same"), ("d", "Per character it can")],
)
def test_better_model_wrong(letter, why):
    rejected(exercises.better_model, letter, why)


def test_share():
    assert exercises.attention_share.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_other_lines_are_rejected(line):
    verdict = exercises.attention_share.check(line)
    assert verdict.attempted and not verdict.accepted


def by_torch(logits, tokens):
    T = len(tokens) - 1
    return torch.nn.functional.cross_entropy(
        torch.tensor(logits[:T]), torch.tensor(tokens[1:]).long()
    ).numpy()


def silently_wrong(logits, tokens):
    T = len(tokens) - 1
    p = np.exp(logits[:T]) / np.exp(logits[:T]).sum(axis=0)
    return -np.mean(np.log(p[np.arange(T), tokens[:-1]]))


def same_token(logits, tokens):
    T = len(tokens) - 1
    p = np.exp(logits[:T]) / np.exp(logits[:T]).sum(axis=1, keepdims=True)
    return -np.mean(np.log(p[np.arange(T), tokens[:-1]]))


def over_positions(logits, tokens):
    T = len(tokens) - 1
    p = np.exp(logits[:T]) / np.exp(logits[:T]).sum(axis=0)
    return -np.mean(np.log(p[np.arange(T), tokens[1:]]))


def summed(logits, tokens):
    return by_torch(logits, tokens) * (len(tokens) - 1)


def test_repaired():
    assert exercises.repaired_loss.check(by_torch).accepted
    assert not exercises.repaired_loss.check(lambda logits, tokens: ...).attempted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (silently_wrong, "two faults"),
        (same_token, "asked for it again"),
        (over_positions, "distribution over the vocabulary"),
        (summed, "not their sum"),
    ],
)
def test_repaired_wrong(wrong, hint):
    rejected(exercises.repaired_loss, wrong, hint)


def by_matrix(tokens, V):
    met = np.zeros((V, V), dtype=bool)
    met[tokens[:-1], tokens[1:]] = True
    return met.sum(0) / met.sum()


def test_continuations():
    assert exercises.continuations.check(by_matrix).accepted
    assert not exercises.continuations.check(lambda tokens, V: ...).attempted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda tokens, V: np.bincount(tokens, minlength=V) / len(tokens), "how often"),
        (lambda tokens, V: np.bincount(tokens[1:], minlength=V) / len(tokens[1:]), "counts once"),
        (lambda tokens, V: by_matrix(tokens[::-1], V), "before"),
        (lambda tokens, V: by_matrix(tokens, V) * len(set(pairwise(tokens))), "divide"),
        (lambda tokens, V: np.full(V, 1 / V), "in a set first"),
    ],
)
def test_continuations_wrong(wrong, hint):
    rejected(exercises.continuations, wrong, hint)
