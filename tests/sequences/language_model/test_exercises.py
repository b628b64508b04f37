"""Answers as a student would write them, right and wrong."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from chapters_src.core.device import seed
from chapters_src.sequences.language_model import GPT, Config, exercises
from tests.verdicts import rejected


def test_the_bill_by_counting_the_model():
    config = Config(vocabulary=50_257, context=8, d=768, heads=12, layers=12)
    matrices = [p.numel() for p in GPT(config, seed(0), device="meta").parameters() if p.ndim == 2]
    assert exercises.training_bill.check(6 * sum(matrices) * 1e10 / 4e13 / 3600).accepted


IN_LAYERS, AT_OUTPUT = 12 * 12 * 768**2, 50_257 * 768


@pytest.mark.parametrize(
    ("operations", "rate", "hint"),
    [
        (2 * (IN_LAYERS + AT_OUTPUT), 4e13, "forward pass"),
        (6 * IN_LAYERS, 4e13, "the output"),
        (6 * (IN_LAYERS + AT_OUTPUT), 1e14, "not used in full"),
        (3 * (IN_LAYERS + AT_OUTPUT), 4e13, "*and* an addition"),
        (10 * (IN_LAYERS + AT_OUTPUT), 4e13, "How many numbers"),
    ],
)
def test_a_wrong_bill(operations, rate, hint):
    rejected(exercises.training_bill, operations * 1e10 / rate / 3600, hint)


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
