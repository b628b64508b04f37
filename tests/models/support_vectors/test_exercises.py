"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.models.support_vectors import exercises, max_margin
from tests.verdicts import rejected

# --- the weight of a point


def test_three_points_by_the_solver():
    X, y = np.array([[0.0, 0.0], [0.0, 2.0], [4.0, 1.0]]), np.array([-1.0, -1.0, 1.0])
    w, b, alpha = max_margin(X, y, 100.0)
    np.testing.assert_allclose([*w, b], [0.5, 0.0, -1.0], atol=1e-9)
    np.testing.assert_allclose(alpha, [1 / 16, 1 / 16, 1 / 8], atol=1e-9)
    assert exercises.three_points.check(alpha[2]).accepted
    assert not exercises.three_points.check(0.13).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("each healthy cell carries", 0.0625),
        ("total of all three weights, or you took", 0.25),
        ("the length of", 0.5),
        ("half the width", 2.0),
        ("score of the tumour cell", 1.0),
        ("find the street", 0.3),
    ],
)
def test_three_points_wrong(hint, value):
    rejected(exercises.three_points, value, hint)


# --- ten times larger numbers


def test_other_units_by_the_solver():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(30) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(30, 2)) + 0.5 * y[:, None]
    w, b, _ = max_margin(X, y, 1.0)
    for C, same in ((0.01, True), (1.0, False), (0.1, False), (100.0, False)):
        other = max_margin(10 * X, y, C)
        assert np.allclose(10 * other.w, w, rtol=1e-6) == same
        assert np.isclose(other.b, b, rtol=1e-6) == same
    assert exercises.other_units.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "balance between them"), ("b", "has its square"), ("d", "follow it down")]
)
def test_other_units_wrong(letter, why):
    rejected(exercises.other_units, letter, why)


# --- the false line


def test_squared_slack():
    assert exercises.squared_slack.false == 4
    assert "has to be taken away" in exercises.squared_slack.check("4").message


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("1", "where the derivation starts"),
        ("2", "Line 2 is right"),
        ("3", "Line 3 is right"),
        ("5", "false as that is"),
    ],
)
def test_squared_slack_wrong(line, why):
    rejected(exercises.squared_slack, line, why)


# --- a step for a pair


def step(K, y, alpha, i, j):
    E = K @ (alpha * y) - y
    return (E[j] - E[i]) / (K[i, i] + K[j, j] - 2 * K[i, j])


def move(y, alpha, i, j, t):
    alpha = alpha.copy()
    alpha[i] += y[i] * t
    alpha[j] -= y[j] * t
    return alpha


def right(K, y, alpha, C, i, j):
    """The longest of many shares of the step that keeps both weights in the box, then exactly."""
    t = step(K, y, alpha, i, j)
    for wall in (0.0, C):
        for k, sign in ((i, y[i]), (j, -y[j])):
            reach = (wall - alpha[k]) * sign  # the t that brings weight k to this wall
            if reach * t >= 0 and abs(reach) < abs(t) and (sign * t > 0) == (wall == C):
                t = reach
    return move(y, alpha, i, j, t)


def silently_wrong(K, y, alpha, C, i, j):
    return np.clip(move(y, alpha, i, j, step(K, y, alpha, i, j)), 0, C)


def test_repaired_pair_solution():
    assert exercises.repaired_pair.check(right).message == "Accepted: 5 cases."


def test_the_answer_climbs_the_dual_and_stays_allowed():
    for case in exercises.repaired_pair.cases:
        K, y, before, C = (case[name] for name in ("K", "y", "alpha", "C"))
        after = exercises.repaired_pair.answer(**case)
        D = [a.sum() - 0.5 * (a * y) @ K @ (a * y) for a in (before, after)]
        assert D[1] >= D[0] and abs(after @ y) < 1e-12
        assert (after >= 0).all() and (after <= C + 1e-12).all()


PAIR_WRONG = {
    "what is Σ αᵢyᵢ": silently_wrong,
    "left the box": lambda K, y, alpha, C, i, j: move(y, alpha, i, j, step(K, y, alpha, i, j)),
    "walks down": lambda K, y, alpha, C, i, j: move(y, alpha, i, j, -min(0.1, abs(step(K, y, alpha, i, j)))),
    "does not move": lambda K, y, alpha, C, i, j: alpha.copy(),
    "Cut t": lambda K, y, alpha, C, i, j: np.zeros(len(y)),
}


@pytest.mark.parametrize("hint", PAIR_WRONG)
def test_repaired_pair_wrong(hint):
    rejected(exercises.repaired_pair, PAIR_WRONG[hint], hint)


def test_the_forgotten_two_has_its_own_hint():
    def wrong(K, y, alpha, C, i, j):
        shrunk = K.copy()
        shrunk[i, j] = shrunk[j, i] = K[i, j] / 2
        t = step(K, y, alpha, i, j) * (K[i, i] + K[j, j] - 2 * K[i, j]) / (K[i, i] + K[j, j] - K[i, j])
        return move(y, alpha, i, j, t)

    rejected(exercises.repaired_pair, wrong, "with 2Kᵢⱼ")


# --- a point that narrows the street


@pytest.mark.parametrize("intruder", [((4.6, 3.75), 1.0), ([4.5, 3.65], 1), (np.array([7.5, 5.3]), -1.0)])
def test_narrow_street_solution(intruder):
    assert exercises.narrow_street.check(intruder).message == "Accepted."


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("of its width", ((5.0, 5.0), 1.0)),
        ("100% of its width", ((9.0, 9.0), 1.0)),
        ("no line separates", ((2.0, 3.1), 1.0)),
        ("turns by", ((1.25, 5.26), 1.0)),
        ("label of −1 or 1", ((5.0, 5.0), 0.5)),
        ("two coordinates", ((5.0, 5.0, 1.0), 1.0)),
        ("give a pair", 5.0),
        ("at most a thousand", ((1e9, 5.0), 1.0)),
    ],
)
def test_narrow_street_wrong(hint, attempt):
    verdict = exercises.narrow_street.check(attempt)
    assert not verdict.accepted and hint.lower() in verdict.message.lower(), verdict.message
