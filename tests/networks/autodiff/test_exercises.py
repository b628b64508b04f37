"""Answers as a student would write them, right and wrong."""

from graphlib import TopologicalSorter

import numpy as np
import pytest
import torch

from chapters_src.networks.autodiff import exercises, relu
from tests.verdicts import rejected


class TestOneAdjoint:
    def test_solution_by_torch(self):
        a = torch.tensor(4.0, requires_grad=True)
        (a * (a + 2.0)).backward()
        assert exercises.one_adjoint.check(a.grad.item()).accepted

    @pytest.mark.parametrize(
        ("answer", "hint"),
        [
            (6, "uses a as well"),
            (4, "the product"),
            (6 * 4, "added, not multiplied"),
            (4 * 2**3 + 3 * 2**2, "one step too far back"),
            (6 + 1, "is not 1"),
            (12, "used twice"),
        ],
    )
    def test_wrong(self, answer, hint):
        rejected(exercises.one_adjoint, answer, hint)


class TestPassingOn:
    # the lines as they are shown: p, s, q, ℓ
    @pytest.mark.parametrize("order", ["dacb", "dcab"])
    def test_both_orders_are_right(self, order):
        assert exercises.passing_on.check(order).accepted

    @pytest.mark.parametrize(
        ("order", "hint"),
        [
            ("adcb", "has to wait"),
            ("cdab", "has to wait"),
            ("dbac", "not complete"),
            ("dabc", "before q has reported"),
            ("bcad", "Not yet"),
        ],
    )
    def test_wrong(self, order, hint):
        rejected(exercises.passing_on, order, hint)


class TestScaledColumns:
    def test_solution(self):
        assert exercises.scaled_columns.false == 3
        assert exercises.scaled_columns.check("3").accepted

    def test_the_true_last_line_by_torch(self):
        rng = np.random.default_rng(0)
        X, G = rng.standard_normal((2, 5, 3))
        s = torch.ones(3, dtype=torch.float64, requires_grad=True)
        (torch.tensor(G) * torch.tensor(X) * s).sum().backward()
        np.testing.assert_allclose((G * X).sum(axis=0), s.grad.numpy())

    @pytest.mark.parametrize("line", ["1", "2", "4"])
    def test_wrong(self, line):
        assert not exercises.scaled_columns.check(line).accepted


def given(parents, slopes, output):
    """The function of the notebook, with both faults."""
    adjoint = np.zeros(len(parents))
    adjoint[output] = 1.0
    reached = [output]
    for node in reached:
        for parent, slope in zip(parents[node], slopes[node], strict=True):
            adjoint[parent] = slope * adjoint[node]
            if parent not in reached:
                reached.append(parent)
    return adjoint


class TestRepairedSweep:
    def test_solution_by_the_standard_library(self):
        def attempt(parents, slopes, output):
            order = TopologicalSorter(dict(enumerate(parents))).static_order()
            adjoint = np.zeros(len(parents))
            adjoint[output] = 1.0
            for node in reversed([*order]):
                for parent, slope in zip(parents[node], slopes[node], strict=True):
                    adjoint[parent] += slope * adjoint[node]
            return adjoint

        assert exercises.repaired_sweep.check(attempt).accepted

    def test_solution_path_by_path(self):
        def attempt(parents, slopes, output):
            adjoint = np.zeros(len(parents))

            def visit(node, seed):
                adjoint[node] += seed
                for parent, slope in zip(parents[node], slopes[node], strict=True):
                    visit(parent, slope * seed)

            visit(output, 1.0)
            return adjoint

        assert exercises.repaired_sweep.check(attempt).accepted

    def test_the_cube(self):
        # y = (2x)³ at x = 1: slope 24, and 12 in a
        np.testing.assert_allclose(exercises.repaired_sweep.answer(**exercises.CUBE), [1, 12, 2, 24])

    def test_wrong(self):
        def added(parents, slopes, output):
            adjoint = np.zeros(len(parents))
            adjoint[output] = 1.0
            reached = [output]
            for node in reached:
                for parent, slope in zip(parents[node], slopes[node], strict=True):
                    adjoint[parent] += slope * adjoint[node]
                    if parent not in reached:
                        reached.append(parent)
            return adjoint

        def by_number(parents, slopes, output):
            adjoint = np.zeros(len(parents))
            adjoint[output] = 1.0
            for node in range(len(parents) - 1, -1, -1):
                for parent, slope in zip(parents[node], slopes[node], strict=True):
                    adjoint[parent] += slope * adjoint[node]
            return adjoint

        rejected(exercises.repaired_sweep, given, "you were given")
        rejected(exercises.repaired_sweep, added, "still passed on")
        rejected(exercises.repaired_sweep, by_number, "say nothing")
        rejected(
            exercises.repaired_sweep, lambda parents, slopes, output: np.ones(len(parents)), "two faults"
        )


class TestMisled:
    def test_solutions(self):
        def own_line(x):
            return -x if x == 0 else x

        def kinks(x):
            return 3 * (relu(x) - relu(-x)) - 2 * x

        for attempt in ((own_line, 0.0), (kinks, 0.0), (lambda x: x**2 if x != 3 else 15 - 2 * x, 3.0)):
            assert exercises.misled_engine.check(attempt).accepted

    @pytest.mark.parametrize(
        ("attempt", "hint"),
        [
            ((np.sin, 1.0), "so do differences"),
            ((lambda x: 9.0 if x == 3 else x * x, 3.0), "not yet in its sign"),
            ((lambda x: np.sqrt(x**4), 0.0), "anybody would notice"),
            ((np.abs, 0.0), "it has to be smooth"),
            ((lambda x: np.where(x > 0, 1.0, 0.0), 0.0), "it has to be smooth"),
            ((lambda x: 1 / x, 0.0), "only its slope"),
            ((lambda x: np.fft.fft(np.array([x])).real[0], 1.0), "let it run"),
            (np.sin, "f, x"),
            ((lambda x: undefined, 1.0), "use numpy"),
        ],
    )
    def test_wrong(self, attempt, hint):
        with np.errstate(all="ignore"):
            rejected(exercises.misled_engine, attempt, hint)
