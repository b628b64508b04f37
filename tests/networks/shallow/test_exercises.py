"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.networks.approximation.hinges import fewest_regions, interpolate
from chapters_src.networks.shallow import exercises
from chapters_src.networks.shallow.arrangement import count_cells
from chapters_src.studio.oracle import autograd_gradient
from tests.verdicts import rejected


def relu(a):
    return a * (a > 0)


# --- the general network


def test_forward_solution():
    def in_loops(X, W1, b1, W2, b2):
        out = np.zeros((len(X), len(b2)))
        for i, x in enumerate(X):
            for j in range(len(b2)):
                hidden = (max(0.0, b1[d] + x @ W1[:, d]) for d in range(len(b1)))
                out[i, j] = b2[j] + sum(W2[d, j] * h for d, h in enumerate(hidden))
        return out

    assert exercises.forward.check(in_loops).message == "Accepted: 4 cases."

    def by_torch(X, W1, b1, W2, b2):
        X, W1, b1, W2, b2 = map(torch.tensor, (X, W1, b1, W2, b2))
        return torch.nn.functional.linear(torch.relu(torch.nn.functional.linear(X, W1.T, b1)), W2.T, b2)

    assert exercises.forward.check(by_torch).accepted


FORWARD_WRONG = {
    "collapse into one": lambda X, W1, b1, W2, b2: X @ W1 @ W2 + b1 @ W2 + b2,
    "output is not clipped": lambda X, W1, b1, W2, b2: relu(relu(X @ W1 + b1) @ W2 + b2),
    "not at the end": lambda X, W1, b1, W2, b2: relu(X @ W1 @ W2 + b1 @ W2 + b2),
    "added before clipping": lambda X, W1, b1, W2, b2: (relu(X @ W1) + b1) @ W2 + b2,
    "where is b_1": lambda X, W1, b1, W2, b2: relu(X @ W1) @ W2 + b2,
    "has an offset": lambda X, W1, b1, W2, b2: relu(X @ W1 + b1) @ W2,
    "keeps the transpose": lambda X, W1, b1, W2, b2: relu(X @ W1.T + b1) @ W2 + b2,
    "folds instead": lambda X, W1, b1, W2, b2: abs(X @ W1 + b1) @ W2 + b2,
    "three steps": lambda X, W1, b1, W2, b2: np.tanh(X @ W1 + b1) @ W2 + b2,
    "expected shape (2, 1), got shape (2,)": lambda X, W1, b1, W2, b2: (relu(X @ W1 + b1) @ W2 + b2)[:, 0],
    "raised ValueError": lambda X, W1, b1, W2, b2: relu(X @ W1 + b1) @ W2.T + b2,
}


@pytest.mark.parametrize("hint", FORWARD_WRONG)
def test_forward_wrong(hint):
    rejected(exercises.forward, FORWARD_WRONG[hint], hint)


# --- the slope between joints


def test_slope_solution():
    def by_machine(x, w, b, v, c):
        def height(t, w, b, v):
            return c + (v * (w * t + b).clamp(min=0)).sum()

        return autograd_gradient(height, x, w, b, v)

    assert exercises.slope_at.check(by_machine).message == "Accepted: 4 cases."

    def unit_by_unit(x, w, b, v, c):
        return sum(v[d] * w[d] for d in range(len(w)) if w[d] * x + b[d] > 0)

    assert exercises.slope_at.check(unit_by_unit).accepted


SLOPE_WRONG = {
    "contribute nothing": lambda x, w, b, v, c: v @ w,
    "weighted by v_d": lambda x, w, b, v, c: w[w * x + b > 0].sum(),
    "brings down w_d": lambda x, w, b, v, c: v[w * x + b > 0].sum(),
    "sign and all": lambda x, w, b, v, c: (v * abs(w))[w * x + b > 0].sum(),
    "height of the network": lambda x, w, b, v, c: v @ relu(w * x + b) + c,
    "pre-activation is positive": lambda x, w, b, v, c: (v * w)[w * x + b < 0].sum(),
    "does not change with x": lambda x, w, b, v, c: c + (v * w)[w * x + b > 0].sum(),
    "term by term": lambda x, w, b, v, c: 0.0,
}


@pytest.mark.parametrize("hint", SLOPE_WRONG)
def test_slope_wrong(hint):
    rejected(exercises.slope_at, SLOPE_WRONG[hint], hint)


# --- outer weights


def test_outer_weights_solution():
    def in_a_loop(knots, values):
        v, slope = [], 0.0
        for j in range(len(knots) - 1):
            new = (values[j + 1] - values[j]) / (knots[j + 1] - knots[j])
            v.append(new - slope)
            slope = new
        return np.array(v)

    assert exercises.outer_weights.check(in_a_loop).message == "Accepted: 4 cases."

    def by_solving(knots, values):  # the network's values at the knots are linear in v
        H = relu(knots[1:, None] - knots[:-1])
        return np.linalg.solve(H, values[1:] - values[0])

    assert exercises.outer_weights.check(by_solving).accepted
    assert exercises.outer_weights.check(lambda knots, values: interpolate(knots, values).W2[:, 0]).accepted


OUTER_WRONG = {
    "only the *change*": lambda knots, values: (values[1:] - values[:-1]) / (knots[1:] - knots[:-1]),
    "divide by the gaps": lambda knots, values: np.diff(np.diff(values), prepend=0),
    "the gaps differ": lambda knots, values: np.diff(np.diff(values), prepend=0) / np.diff(knots),
    "first hinge is missing": lambda knots, values: np.diff(np.diff(values) / np.diff(knots)),
    "sign is turned": lambda knots, values: -np.diff(np.diff(values) / np.diff(knots), prepend=0),
    "what does a hinge add": lambda knots, values: values[:-1],
    "it has to be s_k": lambda knots, values: np.zeros(len(knots) - 1),
}


@pytest.mark.parametrize("hint", OUTER_WRONG)
def test_outer_weights_wrong(hint):
    rejected(exercises.outer_weights, OUTER_WRONG[hint], hint)


# --- chords moved towards the curve


def test_pieces_solution_by_measuring():
    def by_search(M, width, tolerance):
        D = 1
        while True:
            x = np.linspace(0, width / D, 101)
            curve = M * x**2 / 2
            gap = np.interp(x, [0, width / D], curve[[0, -1]]) - curve
            if np.ptp(gap) / 2 <= tolerance:
                return D
            D += 1

    assert exercises.pieces_enough.check(by_search).message == "Accepted: 4 cases."
    assert exercises.pieces_enough.check(
        lambda M, width, tolerance: fewest_regions(tolerance, width, M)
    ).accepted


PIECES_WRONG = {
    "*without* moving": lambda M, width, tolerance: np.ceil(width * (M / 8 / tolerance) ** 0.5),
    "smaller, not larger": lambda M, width, tolerance: np.ceil(width * (M / 4 / tolerance) ** 0.5),
    "round up": lambda M, width, tolerance: width * (M / 16 / tolerance) ** 0.5,
    "Rounding down": lambda M, width, tolerance: np.floor(width * (M / 16 / tolerance) ** 0.5),
    "take a root": lambda M, width, tolerance: np.ceil(width * M / 16 / tolerance),
    "no line can be that good": lambda M, width, tolerance: np.ceil(width * (M / 32 / tolerance) ** 0.5),
    "move it half-way": lambda M, width, tolerance: 1,
}


@pytest.mark.parametrize("hint", PIECES_WRONG)
def test_pieces_wrong(hint):
    verdict = exercises.pieces_enough.check(PIECES_WRONG[hint])
    assert not verdict.accepted and hint.lower() in verdict.message.lower(), verdict.message


# --- five lines


def test_five_lines_by_counting():
    W = np.array([[1.0, 0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0, 1.0]])
    assert count_cells(W, np.array([0.0, 0.0, 0.0, -1.0, -1.0])) == 13
    assert exercises.five_lines.check(13).message == "Accepted."


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (16, "the most five lines"),
        (14, "costs a region"),
        (15, "each costs a region"),
        (12, "6 regions"),
        (32, "do not occur"),
        (6, "for one input"),
        (11, "one by one"),
    ],
)
def test_five_lines_wrong(value, hint):
    verdict = rejected(exercises.five_lines, value, hint)
    assert "13" not in verdict.message


# --- four units without a joint


def test_jointless_solution():
    two = np.array([2.0, -2.0])
    attempt = np.append(two, -3 * two), np.array([1.0, -1.0, 0.0, 0.0]), np.array([1.0, -1.0, 0.5, -0.5]), 3
    assert exercises.jointless.check(attempt).message == "Accepted."


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("There is a joint at -3", ([1, 1, 1, 1], [0, 1, 2, 3], [1, 1, 1, 1], 0)),
        ("changes by 2", ([1, -1, 2, -2], [0, 0, 1, -1], [1, 1, 1, -1], 0)),
        ("differ from zero", ([1, -1, 1, 0], [0, 0, 1, 1], [1, -1, 1, 1], 0)),
        ("differ from zero", ([1, -1, 1, 2], [0, 0, 1, 1], [1, -1, 0, 0], 0)),
        ("alike", ([1, 1, -1, -1], [0, 0, 0, 0], [1, 1, -1, -1], 0)),
        ("constant", ([1, 2, 1, 3], [0, 0, 1, 3], [2, -1, 3, -1], 0)),
        ("four things", ([1, -1], [0, 0])),
        ("got (2,), (2,), (2,), ()", ([1, -1], [0, 0], [1, -1], 0)),
        ("finite", ([1, -1, np.inf, 1], [0, 0, 1, 1], [1, -1, 1, 1], 0)),
        ("could not be checked", ("w", "b", "v", "c")),
    ],
)
def test_jointless_wrong(hint, attempt):
    rejected(exercises.jointless, attempt, hint)
