"""Answers as a student would write them, right and wrong."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.networks.activations import exercises, highest_preactivation, silu
from tests.verdicts import rejected


class TestSurelyDead:
    def test_solution_by_the_package(self):
        highest = highest_preactivation(np.array([[2.0], [-1.0], [3.0], [-4.0]]), [0.0], -1.0, 1.0)
        assert exercises.surely_dead.check(-highest.item()).accepted

    @pytest.mark.parametrize(
        ("answer", "hint"),
        [
            (-5, "between 0 and 1"),
            (0, "need not all be equal"),
            (10, "the sign"),
            (-7, "agrees in sign"),
            (-12, "Which input"),
        ],
    )
    def test_wrong(self, answer, hint):
        rejected(exercises.surely_dead, answer, hint)


class TestWaking:
    def test_solution(self):
        assert exercises.waking.check("c").accepted

    @pytest.mark.parametrize(
        ("answer", "hint"), [("a", "exactly 0"), ("b", "Any number times"), ("d", "own slope")]
    )
    def test_wrong(self, answer, hint):
        rejected(exercises.waking, answer, hint)


class TestSteepGate:
    def test_solution(self):
        assert exercises.steep_gate.false == 3
        assert exercises.steep_gate.check("3").accepted

    def test_the_true_last_line_by_torch(self):
        a = torch.linspace(-3, 3, 13, dtype=torch.float64, requires_grad=True)
        (a * torch.sigmoid(2.5 * a)).sum().backward()
        u = 2.5 * a.detach().numpy()
        theirs = silu(u) / np.where(u == 0, 1, u) * (1 + u / (1 + np.exp(u)))
        np.testing.assert_allclose(a.grad.numpy()[u != 0], theirs[u != 0], rtol=1e-12)

    @pytest.mark.parametrize("answer", ["2", "4", "1"])
    def test_wrong(self, answer):
        assert not exercises.steep_gate.check(answer).accepted


def back(a, slope, delta):
    """By autograd, which shares no code with the checker."""
    at, learned = (torch.tensor(v, requires_grad=True) for v in (a, slope))
    out = torch.nn.functional.prelu(at, learned)
    by_a, by_slope = torch.autograd.grad((out * torch.tensor(delta)).sum(), (at, learned))
    return np.vstack([by_a.numpy(), by_slope.numpy()])


class TestRepairedPrelu:
    def test_solution_by_torch(self):
        assert exercises.repaired_prelu.check(back).accepted

    def test_stub(self):
        assert not exercises.repaired_prelu.check(lambda a, slope, delta: ...).attempted

    @pytest.mark.parametrize(
        ("wrong", "hint"),
        [
            (
                lambda a, slope, delta: np.vstack(
                    [
                        delta * np.where(np.maximum(a, 0) + slope * np.minimum(a, 0) > 0, 1.0, slope),
                        (delta * a).sum(axis=0),
                    ]
                ),
                "you were given",
            ),
            (
                lambda a, slope, delta: np.vstack([back(a, slope, delta)[:-1], (delta * a).sum(axis=0)]),
                "only the negative part",
            ),
            (
                lambda a, slope, delta: np.vstack(
                    [
                        delta * np.where(np.maximum(a, 0) + slope * np.minimum(a, 0) > 0, 1.0, slope),
                        back(a, slope, delta)[-1],
                    ]
                ),
                "depends on a",
            ),
            (
                lambda a, slope, delta: np.vstack(
                    [back(a, slope, delta)[:-1], (delta * np.minimum(a, 0)).mean(axis=0)]
                ),
                "are added",
            ),
            (lambda a, slope, delta: np.vstack([delta, back(a, slope, delta)[-1]]), "two faults"),
        ],
    )
    def test_wrong(self, wrong, hint):
        rejected(exercises.repaired_prelu, wrong, hint)


X = np.array([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0]])
W = np.array([1.0, 1.0])


class TestDeadlyStep:
    def test_solution_and_torch_agrees_that_it_kills(self):
        assert exercises.deadly_step.check((X, W, 0.0, -3.0, 2)).accepted
        w, b = (torch.tensor(v, requires_grad=True) for v in (W, np.array(0.0)))
        ((torch.relu(torch.tensor(X[2]) @ w + b) + 3.0) ** 2).backward()
        after = X @ (w - 0.1 * w.grad).detach().numpy() + (b - 0.1 * b.grad).item()
        assert (after <= 0).all()

    def test_stub(self):
        assert not exercises.deadly_step.check(...).attempted

    @pytest.mark.parametrize(
        ("attempt", "hint"),
        [
            ((X, W, 0.0, -3.0), "Give five things"),
            ((X, W, 0.0, 2.0, 2), "still on"),
            ((X, W, 0.0, 10.0, 2), "lifted"),
            ((X, -W, 0.0, -3.0, 2), "on for every example at first"),
            ((X, W, 0.0, -30.0, 2), "between −10 and 10"),
            ((X[[0, 0, 1]], W, 0.0, -3.0, 2), "the same"),
            ((X[:2], W, 0.0, -3.0, 1), "between 3 and 10 rows"),
            ((X, W[:1], 0.0, -3.0, 2), "ValueError"),
            ((X, W, 0.0, -3.0, 7), "IndexError"),
            ((np.full((3, 2), np.nan), W, 0.0, -3.0, 0), "between −10 and 10"),
        ],
    )
    def test_wrong(self, attempt, hint):
        rejected(exercises.deadly_step, attempt, hint)
