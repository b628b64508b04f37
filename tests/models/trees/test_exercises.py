"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from scipy.stats import entropy

from chapters_src.models.trees import best_split, exercises, fit_tree, gini, leaf_of
from chapters_src.models.trees.exercises import fewest_mistakes
from tests.verdicts import rejected

# --- what a question removes

PRICES = np.array([1.0, 2.0, 3.0, 10.0])


def drop(cut, weigh=lambda part: len(part) / 4, spread=np.var):
    return spread(PRICES) - sum(weigh(part) * spread(part) for part in (PRICES[:cut], PRICES[cut:]))


def test_removed_solution_by_the_book_and_by_hand():
    gain = best_split(np.arange(4.0), PRICES).gain
    assert gain == pytest.approx(max(drop(cut) for cut in (1, 2, 3)))
    assert gain == pytest.approx(exercises.removed_by_a_question.answer)
    assert exercises.removed_by_a_question.check(gain).accepted
    assert exercises.removed_by_a_question.check(11.9).accepted is False


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("smallest house", drop(1)),
        ("two houses on each side", drop(2)),
        ("variance which is left", PRICES.var() - drop(3)),
        ("variance before", PRICES.var()),
        ("sum of squares", drop(3, lambda part: 1, lambda part: len(part) * part.var())),
        ("not by one less", drop(3, lambda part: 1, lambda part: len(part) * part.var()) / 3),
        ("squared distance", (PRICES[:3].mean() - PRICES[3]) ** 2),
        ("one-hot", 2 * drop(3)),
        ("weigh each side", drop(3, lambda part: 1)),
        ("cannot be removed", 30),
        ("never raises", -0.1),
        ("three questions to compare", 7),
    ],
)
def test_removed_wrong(hint, value):
    rejected(exercises.removed_by_a_question, value, hint)


# --- the logarithm of a column


def test_logarithm_solution():
    rng = np.random.default_rng(0)
    X, y = rng.uniform(1, 9, (40, 2)), rng.normal(size=40)
    curved = np.column_stack([np.log(X[:, 0]), X[:, 1]])
    plain, logged = fit_tree(X, y, min_leaf=3), fit_tree(curved, y, min_leaf=3)
    np.testing.assert_array_equal(leaf_of(plain, X), leaf_of(logged, curved))
    asked = plain.feature == 0
    assert np.abs(np.log(plain.threshold[asked]) - logged.threshold[asked]).max() > 1e-3
    assert exercises.logarithm_of_a_column.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"),
    [("a", "middle of the logarithms"), ("b", "order of the rows alone"), ("d", "targets whose variance")],
)
def test_logarithm_wrong(letter, why):
    rejected(exercises.logarithm_of_a_column, letter, why)


# --- the false line


def test_most_mixed():
    assert exercises.most_mixed.false == 4
    assert "factor 2" in exercises.most_mixed.check("4").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("2", "follows from line 1"), ("3", "follows from line 2")],
)
def test_most_mixed_wrong(line, why):
    rejected(exercises.most_mixed, line, why)


# --- the repaired split


def silently_wrong(x, y):
    order = np.argsort(x)
    x, y = x[order], y[order]
    mixed = lambda part: float(entropy([part.mean(), 1 - part.mean()]))  # noqa: E731
    after = [mixed(y[:k]) + mixed(y[k:]) for k in range(1, len(x))]
    k = 1 + int(np.argmin(after))
    return (x[k - 1] + x[k]) / 2


def best_threshold(x, y):
    """As the chapter prints it, for the Gini impurity."""
    order = np.argsort(x)
    x, y = x[order], y[order]
    n_left, ones = np.arange(1, len(x)), y.cumsum()[:-1]
    a, p, q = n_left / len(x), ones / n_left, (y.sum() - ones) / (len(x) - n_left)
    gain = a * (1 - a) * 2 * (p - q) ** 2
    gain[x[1:] == x[:-1]] = -np.inf
    k = gain.argmax()
    return (x[k] + x[k + 1]) / 2, gain[k]


def scan(x, y, measure=entropy, weigh=True, between_equals=False, pick=min, where=0.5):
    order = np.argsort(x)
    x, y = x[order], y[order]
    found = []
    for k in range(1, len(x)):
        if x[k - 1] < x[k] or between_equals:
            sides = [(k, y[:k].mean()), (len(x) - k, y[k:].mean())]
            mixed = sum((n if weigh else 1) * measure([p, 1 - p]) for n, p in sides)
            found.append((round(mixed, 9), (1 - where) * x[k - 1] + where * x[k]))
    best = pick(value for value, _ in found)
    return next(threshold for value, threshold in found if value == best)


def test_repaired_solution():
    assert exercises.repaired_split.check(scan).message == "Accepted: 4 cases."

    def by_the_book(x, y):
        return best_split(x, np.eye(2)[y.astype(int)], impurity="entropy").threshold

    assert exercises.repaired_split.check(by_the_book).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("two things are wrong", silently_wrong),
        ("the Gini impurity", lambda x, y: scan(x, y, measure=gini)),
        ("the Gini impurity", lambda x, y: best_threshold(x, y)[0]),
        ("weigh each side", lambda x, y: scan(x, y, weigh=False)),
        ("between equal values", lambda x, y: scan(x, y, between_equals=True)),
        ("midway", lambda x, y: scan(x, y, where=0.0)),
        ("midway", lambda x, y: scan(x, y, where=1.0)),
        ("least entropy is wanted", lambda x, y: scan(x, y, pick=max)),
        ("by hand", lambda x, y: float(np.mean(x))),
    ],
)
def test_repaired_wrong(hint, attempt):
    rejected(exercises.repaired_split, attempt, hint)


# --- the trap


def test_trap_solution():
    X, y = exercises.greedy_trap.answer
    assert fewest_mistakes(X, y) == 0
    assert exercises.greedy_trap.check((X, y)).message == "Accepted."
    assert exercises.greedy_trap.check([2 * X - 1, 1 - y]).accepted


SQUARE = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("at least a quarter", (SQUARE, [0, 0, 1, 1])),  # a tie at the root is settled happily
        ("at least a quarter", (SQUARE, [0, 1, 0, 1])),
        ("Even the best tree", (np.arange(8.0).repeat(2).reshape(8, 2), [0, 1] * 4)),
        ("At most 16 rows", (np.ones((17, 2)), np.zeros(17))),
        ("labels 0 and 1", (SQUARE, [1, 2, 1, 2])),
        ("got shapes (4, 1)", (np.ones((4, 1)), np.zeros(4))),
        ("Give a pair", SQUARE),
    ],
)
def test_trap_wrong(hint, attempt):
    rejected(exercises.greedy_trap, attempt, hint)


def test_fewest_mistakes():
    assert fewest_mistakes(SQUARE, np.array([0, 0, 1, 1])) == 0
    assert fewest_mistakes(np.ones((5, 2)), np.array([0, 0, 0, 1, 1])) == 2
    line = np.column_stack([np.arange(8.0), np.zeros(8)])
    assert fewest_mistakes(line, np.array([0, 1, 0, 1, 0, 1, 0, 1])) == 2
