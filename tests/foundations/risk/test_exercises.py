"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.foundations.risk import exercises
from tests.verdicts import rejected

# --- how many models a test can bear


def test_models_by_trying_every_number():
    M = max(M for M in range(1, 10_000) if M * 2 * np.exp(-2 * 2000 * 0.05**2) <= 0.05)
    assert exercises.models_of_a_test.check(M).accepted
    assert exercises.models_of_a_test.check("550.7").accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (0.05 * np.exp(10), "counts one side"),
        (0.05 / 2 * np.exp(5), "lost its 2"),
        (3, "lost its 2"),
        (0.95 / 2 * np.exp(10), "what is left"),
        (np.exp(10), "where are the 5 %"),
        (31, "What if any"),
    ],
)
def test_models_wrong(value, hint):
    rejected(exercises.models_of_a_test, value, hint)


# --- fifty cars


def test_cars():
    assert "independent draws" in exercises.cars_to_hold_out.check("c").message


@pytest.mark.parametrize(("letter", "why"), [("a", "Nearly every car"), ("b", "balanced"), ("d", "later")])
def test_cars_wrong(letter, why):
    rejected(exercises.cars_to_hold_out, letter, why)


# --- noise and distance


def test_false_line():
    assert exercises.noise_and_distance.false == 3
    assert "were lost" in exercises.noise_and_distance.check("3").message


@pytest.mark.parametrize(("line", "why"), [("1", "where the derivation starts"), ("2", ""), ("4", "")])
def test_false_line_wrong(line, why):
    rejected(exercises.noise_and_distance, line, why)


# --- the proof in order


def letters(*numbers):
    """The letters under which the page shows these lines."""
    question = exercises.best_of_class
    return "".join(question.labels[question._shown.index(number)] for number in numbers)


def test_proof_in_order():
    assert exercises.best_of_class.check(letters(1, 2, 3, 4, 5)).accepted


@pytest.mark.parametrize(
    ("order", "hint"),
    [
        ((2, 1, 3, 4, 5), "chosen first"),
        ((1, 3, 2, 4, 5), "the bound comes before"),
        ((1, 2, 4, 3, 5), "conclusion of this line"),
        ((1, 2, 3, 5, 4), "compared with"),
    ],
)
def test_proof_out_of_order(order, hint):
    rejected(exercises.best_of_class, letters(*order), hint)


# --- repaired selection


def honest(X, y, train, test):
    mistakes = [np.sum(X[train, j] != y[train]) for j in range(X.shape[1])]
    best = mistakes.index(min(mistakes))
    return float((X[test][:, best] != y[test]).mean())


def with_rows(choose, judge):
    def attempt(X, y, train, test):
        every = np.arange(len(y))
        here, there = ({"train": train, "test": test, "all": every}[name] for name in (choose, judge))
        best = np.argmin((X[here] != y[here, None]).sum(axis=0))
        return (X[there, best] != y[there]).mean()

    return attempt


def test_repaired_selection():
    assert exercises.repaired_selection.check(honest).message == "Accepted: 3 cases."


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (with_rows("all", "test"), "still help to choose"),
        (with_rows("test", "test"), "rows that judge it"),
        (with_rows("train", "train"), "empirical risk"),
        (with_rows("train", "all"), "must not be among"),
        (with_rows("test", "train"), "exchanged"),
        (lambda X, y, train, test: 1 - honest(X, y, train, test), "share that is wrong"),
        (lambda X, y, train, test: 0.5, "which rows may"),
    ],
)
def test_repaired_selection_wrong(attempt, hint):
    rejected(exercises.repaired_selection, attempt, hint)


def test_the_silent_version_flatters():
    """Choosing among many coins on all rows makes them look better than coins."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (40, 1000)), rng.integers(0, 2, 40)
    parts = {"X": X, "y": y, "train": np.arange(20), "test": np.arange(20, 40)}
    assert with_rows("all", "test")(**parts) < 0.35 < honest(**parts)
