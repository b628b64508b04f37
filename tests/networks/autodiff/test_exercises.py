"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.networks.autodiff import exercises
from chapters_src.networks.autodiff.reverse import gradient, vjp
from chapters_src.networks.jacobians.forward_mode import jvp
from tests.verdicts import rejected


class TestNormalise:
    def test_solutions(self):
        def by_hand(x, g):
            r = np.linalg.norm(x)
            return g / r - x * np.dot(x, g) / r**3

        def by_engine(x, g):
            return vjp(lambda x: x / np.sqrt(np.sum(x * x)), x)[1](g)[0]

        def by_torch(x, g):
            t = torch.tensor(x, requires_grad=True)
            return torch.autograd.grad(t / t.norm(), t, torch.tensor(g))[0].numpy()

        for attempt in (by_hand, by_engine, by_torch):
            assert exercises.pull_normalise.check(attempt).accepted

    @pytest.mark.parametrize(
        ("attempt", "hint"),
        [
            (lambda x, g: g / np.linalg.norm(x), "a second path"),
            (lambda x, g: g - x * np.dot(x, g) / np.dot(x, x), "wrong size"),
            (lambda x, g: g / np.linalg.norm(x) + x * (x @ g) / np.linalg.norm(x) ** 3, "check a sign"),
            (lambda x, g: (g - np.outer(x, x) @ g) / np.linalg.norm(x), "of length 1"),
            (lambda x, g: g / np.linalg.norm(x) - x / np.linalg.norm(x) ** 2, "enters the path"),
            (lambda x, g: x, "two steps"),
        ],
    )
    def test_wrong(self, attempt, hint):
        rejected(exercises.pull_normalise, attempt, hint)


class TestQuotient:
    def test_solutions(self):
        def by_hand(a, a_dot, b, b_dot):
            return a / b, a_dot / b - a * b_dot / b**2

        def by_engine(a, a_dot, b, b_dot):
            return jvp(lambda a, b: a / b, (a, b), (a_dot, b_dot))

        for attempt in (by_hand, by_engine):
            assert exercises.dual_quotient.check(attempt).accepted

    @pytest.mark.parametrize(
        ("attempt", "hint"),
        [
            (lambda a, a_dot, b, b_dot: [a / b, a_dot / b_dot if b_dot != 0 else np.inf], "no tangent"),
            (lambda a, a_dot, b, b_dot: [a / b, a_dot / b + a * b_dot / b**2], "check the sign"),
            (lambda a, a_dot, b, b_dot: [a / b, a * b_dot / b**2 - a_dot / b], "changed places"),
            (lambda a, a_dot, b, b_dot: [a / b, a_dot - a * b_dot / b], "is squared"),
            (lambda a, a_dot, b, b_dot: [a / b, a_dot / b], "moves too"),
            (lambda a, a_dot, b, b_dot: [a * b, a_dot * b], "the inverse of"),
        ],
    )
    def test_wrong(self, attempt, hint):
        rejected(exercises.dual_quotient, attempt, hint)


class TestProduct:
    def test_solutions(self):
        def by_engine(A, B, G):
            return np.stack(vjp(np.matmul, A, B)[1](G))

        def by_hand(A, B, G):
            return [np.einsum("ik,jk->ij", G, B), np.einsum("ij,ik->jk", A, G)]

        for attempt in (by_engine, by_hand):
            assert exercises.pull_product.check(attempt).accepted

    @pytest.mark.parametrize(
        ("attempt", "hint"),
        [
            (lambda A, B, G: [G @ B, A @ G], "meets the transpose"),
            (lambda A, B, G: [B.T @ G, G @ A.T], "the order is not"),
            (lambda A, B, G: [A.T @ G, G @ B.T], "the other way round"),
            (lambda A, B, G: [G * B, G * A], "entry by entry"),
            (lambda A, B, G: [B.T, A.T], "depend on the adjoint"),
            (lambda A, B, G: [A, B], "differentiate by one"),
        ],
    )
    def test_wrong(self, attempt, hint):
        rejected(exercises.pull_product, attempt, hint)


class TestPredictions:
    def test_mode_ratio(self):
        assert exercises.mode_ratio.check(400).accepted
        wrong = {
            0.0025: "many inputs",
            1200: "there are three",
            3600: "do not multiply",
            30: "it cancels",
            3: "number of reverse passes",
            7: "count the passes",
        }
        for attempt, hint in wrong.items():
            rejected(exercises.mode_ratio, attempt, hint)

    def test_checkpoint_factor(self):
        assert exercises.checkpoint_factor.check(4 / 3).accepted
        assert exercises.checkpoint_factor.check(1.333).accepted
        wrong = {
            2: "the backward pass does not",
            1.5: "as cheap as the forward",
            1.25: "one block of four; here",
            1.083: "one block of four run again",
            1: "for nothing",
            5: "what comes on top",
        }
        for attempt, hint in wrong.items():
            rejected(exercises.checkpoint_factor, attempt, hint)


class TestRecurrence:
    def test_solutions(self):
        def run(a, x):
            h = 0.0
            for x_t in x:
                h = a * h + x_t
            return h

        def by_engine(a, x):
            a_bar, x_bar = gradient(run, (0, 1))(a, x)
            return np.concatenate([[a_bar], x_bar])

        def by_formula(a, x):
            T = len(x)
            powers = float(a) ** np.arange(T - 1, -1, -1)
            slope = sum((T - 1 - t) * float(a) ** (T - 2 - t) * x[t] for t in range(T - 1))
            return np.concatenate([[slope], powers])

        for attempt in (by_engine, by_formula):
            assert exercises.recurrence_gradient.check(attempt).accepted

    @pytest.mark.parametrize("kind", ["ascending", "ones", "last"])
    def test_wrong(self, kind):
        def attempt(a, x):
            T = len(x)
            powers = np.array([a ** (T - 1 - t) for t in range(T)])
            h, states = 0.0, []
            for x_t in x:
                states.append(h)
                h = a * h + x_t
            total = sum(p * s for p, s in zip(powers, states, strict=True))
            if kind == "ascending":
                return np.array([total, *powers[::-1]])
            if kind == "ones":
                return np.array([total, *np.ones(T)])
            return np.array([states[-1], *powers])

        hint = {"ascending": "travelled furthest", "ones": "a factor a per step", "last": "every step"}[kind]
        rejected(exercises.recurrence_gradient, attempt, hint)


class TestMisled:
    def test_solutions(self):
        def special_case(x):
            return 9.0 if x == 3 else x * x

        def unchosen_branch(x):
            return np.where(x == 0, 1.0, np.sin(x) / np.where(x == 0, x, x))

        def root_of_a_square(x):
            return np.sqrt(x**4)

        for attempt in ((special_case, 3.0), (root_of_a_square, 0.0), (unchosen_branch, 0.0)):
            with np.errstate(all="ignore"):
                verdict = exercises.misled_engine.check(attempt)
            assert verdict.accepted, verdict.message

    @pytest.mark.parametrize(
        ("attempt", "hint"),
        [
            ((np.sin, 1.0), "differentiates the branch that ran"),
            ((np.abs, 0.0), "it has to be smooth"),
            ((lambda x: np.where(x > 0, 1.0, 0.0), 0.0), "it has to be smooth"),
            ((lambda x: 1 / x, 0.0), "only its derivative"),
            ((lambda x: np.fft.fft(np.array([x])).real[0], 1.0), "let it run"),
            (np.sin, "f, x"),
            ((lambda x: undefined, 1.0), "use numpy"),
        ],
    )
    def test_wrong(self, attempt, hint):
        with np.errstate(all="ignore"):
            rejected(exercises.misled_engine, attempt, hint)
