"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.sequences.recurrent import exercises
from tests.verdicts import rejected

# --- how soon it is gone


def test_gone_by_counting():
    k = next(k for k in range(100) if 0.75**k < 0.01)
    assert exercises.steps_until_gone.check(k).accepted


@pytest.mark.parametrize(
    ("hint", "answer"),
    [
        ("not quite below", 16),
        ("the weight as well", next(k for k in range(100) if 0.25**k < 0.01)),
        ("one factor", 18),
    ],
)
def test_gone_wrong(hint, answer):
    rejected(exercises.steps_until_gone, answer, hint)


# --- what a window sees


def test_window():
    assert exercises.what_a_window_sees.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "handed on"), ("c", "wherever windows start"), ("d", "does not precede")]
)
def test_window_wrong(letter, why):
    rejected(exercises.what_a_window_sees, letter, why)


# --- the false line


def test_false_line():
    assert exercises.input_weight.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_false_line_wrong(line):
    assert not exercises.input_weight.check(line).accepted


# --- the repaired way back


def by_torch(G, W1, H):
    """∂L/∂a_t with a_t as leaves, whose states are H."""
    G, W1, H = (torch.tensor(np.asarray(one)) for one in (G, W1, H))
    own = torch.atanh(H)
    own[1:] -= H[:-1] @ W1  # what the inputs contributed
    own.requires_grad_()
    loss, h = 0.0, torch.zeros_like(H[0])
    for t in range(len(G)):
        h = torch.tanh(own[t] + (h @ W1 if t else 0))
        loss = loss + (G[t] * h).sum()
    loss.backward()
    return own.grad.numpy()


def by_recursion(G, W1, H):
    def from_step(t):
        back = from_step(t + 1) if t + 1 < len(G) else []
        return [(G[t] + (back[0] @ np.transpose(W1) if back else 0)) * (1 - H[t] ** 2), *back]

    return np.array(from_step(0))


@pytest.mark.parametrize("answer", [by_torch, by_recursion])
def test_way_back(answer):
    assert exercises.repaired_way_back.check(answer).accepted


def test_way_back_stub():
    assert not exercises.repaired_way_back.check(lambda G, W1, H: ...).attempted


def loop(line):
    def attempt(G, W1, H):
        out, delta = np.zeros_like(G), None
        for t in reversed(range(len(G))):
            delta = line(G[t], delta, W1, H[t])
            out[t] = delta
        return out

    return attempt


@pytest.mark.parametrize(
    ("hint", "line"),
    [
        ("never read", lambda g, d, W, h: (g if d is None else d @ W.T) * (1 - h * h)),
        ("slope of step t as well", lambda g, d, W, h: g if d is None else g + d @ W.T * (1 - h * h)),
        ("transpose", lambda g, d, W, h: (g if d is None else g + d @ W) * (1 - h * h)),
        ("minus the square", lambda g, d, W, h: (g if d is None else g + d @ W.T) * h),
    ],
)
def test_way_back_wrong(hint, line):
    rejected(exercises.repaired_way_back, loop(line), hint)


# --- inputs that mislead


@pytest.mark.parametrize("x", [[0.2, -0.4, 0.2, 0.0], [0.1, -0.2, 0.1, 0.9], [-0.2, 0.4, -0.2, 0.0]])
def test_misleading(x):
    assert exercises.misleading_inputs.check(x).accepted


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([0.1, 0.1, 0.1, 0.1], "oth point the same way"),
        ([0.2, -0.4, 0.2], "four numbers between"),
        ([2.0, -4.0, 2.0, 0.0], "four numbers between"),
        ([0.002, -0.004, 0.002, 0.0], "one is nearly 0"),
    ],
)
def test_misleading_wrong(x, message):
    rejected(exercises.misleading_inputs, x, message)


def test_misleading_stub():
    assert not exercises.misleading_inputs.check(...).attempted
