"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.generative.mixtures import exercises, maximised
from tests.verdicts import rejected

# --- the M step


def test_m_step_solution():
    def by_the_book(x, r):
        model = maximised(x[:, None], r, floor=0.0)
        return model.weights, model.means[:, 0], model.covariances[:, 0, 0]

    assert exercises.m_step.check(by_the_book).message == "Accepted: 4 cases."

    def with_loops(x, r):
        rows = []
        for k in range(r.shape[1]):
            mean = np.average(x, weights=r[:, k])
            rows.append((r[:, k].mean(), mean, np.average((x - mean) ** 2, weights=r[:, k])))
        return tuple(np.array(rows).T)

    assert exercises.m_step.check(with_loops).accepted


def answer(x, r):
    N = r.sum(axis=0)
    mean = x @ r / N
    return N / len(x), mean, ((x[:, None] - mean) ** 2 * r).sum(0) / N


def hard(x, r):
    parts = [x[r.argmax(axis=1) == k] for k in range(r.shape[1])]
    return (
        np.array([len(p) / len(x) for p in parts]),
        np.array([p.mean() for p in parts]),
        np.array([p.var() for p in parts]),
    )


M_WRONG = {
    "divide the means": lambda x, r: (r.mean(0), (r * x[:, None]).mean(0), answer(x, r)[2]),
    "divide the variances": lambda x, r: (
        *answer(x, r)[:2],
        (r * (x[:, None] - answer(x, r)[1]) ** 2).mean(0),
    ),
    "the weights are shares": lambda x, r: (r.sum(0), *answer(x, r)[1:]),
    "around its own mean": lambda x, r: (
        *answer(x, r)[:2],
        ((x - np.mean(x)) ** 2 @ r) / r.sum(0),
    ),
    "not standard deviations": lambda x, r: (*answer(x, r)[:2], answer(x, r)[2] ** 0.5),
    "not squared itself": lambda x, r: (
        *answer(x, r)[:2],
        ((r * (x[:, None] - answer(x, r)[1])) ** 2).sum(0) / r.sum(0),
    ),
    "do not round": hard,
    "expected 3 values": lambda x, r: answer(x, r)[1],
}


@pytest.mark.parametrize("hint", M_WRONG)
def test_m_step_wrong(hint):
    rejected(exercises.m_step, M_WRONG[hint], hint)


# --- a start from which EM gets stuck


def test_stuck_solution():
    assert exercises.stuck_start.check([-4.5, -3.5, 2.0]).message == "Accepted."
    assert exercises.stuck_start.check(np.array([3.5, 4.5, -2.0])).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("ends 0.0 nats below", [-4.0, 0.0, 4.0]),
        ("ends 0.0 nats below", [-1.0, 0.0, 1.0]),
        ("got shape (2,)", [-4.0, 4.0]),
        ("three different means", [0.0, 0.0, 4.0]),
        ("between −20 and 20", [0.0, np.nan, 4.0]),
        ("between −20 and 20", [0.0, 1e6, 4.0]),
        ("could not be checked", "left"),
    ],
)
def test_stuck_wrong(hint, attempt):
    rejected(exercises.stuck_start, attempt, hint)
