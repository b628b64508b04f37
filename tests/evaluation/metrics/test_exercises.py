"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

from chapters_src.evaluation.metrics import exercises
from tests.verdicts import rejected

# --- a second opinion


def precision_of(base_rate, recall, false_alarm_rate):
    return base_rate * recall / (base_rate * recall + (1 - base_rate) * false_alarm_rate)


def test_second_opinion_by_using_the_first_as_base_rate():
    first = precision_of(0.01, 0.9, 0.05)
    assert exercises.asked_twice.check(precision_of(first, 0.9, 0.05)).accepted
    assert exercises.asked_twice.check(precision_of(0.01, 0.81, 0.0025)).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("first detector alone", precision_of(0.01, 0.9, 0.05)),
        ("recall of the pair", 0.9**2),
        ("recall of one detector", 0.9),
        ("squared too", precision_of(0.01, 0.9, 0.05**2)),
        ("frauds are rare", precision_of(0.5, 0.9**2, 0.05**2)),
        ("class by class", 0.3),
    ],
)
def test_second_opinion_wrong(hint, value):
    rejected(exercises.asked_twice, value, hint)


# --- all probabilities squared


def test_squared_probabilities_by_squaring():
    rng = np.random.default_rng(0)
    y, q = np.arange(40) % 2, rng.uniform(size=40)
    assert roc_auc_score(y, q) == roc_auc_score(y, q**2)
    assert average_precision_score(y, q) == average_precision_score(y, q**2)
    assert log_loss(y, q) != log_loss(y, q**2)
    assert np.mean(q[y == 1] >= 0.5) != np.mean(q[y == 1] ** 2 >= 0.5)
    assert exercises.squared_probabilities.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "keeps the order"), ("c", "Where is"), ("d", "who is rare")]
)
def test_squared_probabilities_wrong(letter, why):
    rejected(exercises.squared_probabilities, letter, why)


# --- the false line


def test_shifted_predictions():
    assert exercises.shifted_predictions.false == 3
    assert "taken away again" in exercises.shifted_predictions.check("3").message


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("2", "is right"), ("4", "false as that is")]
)
def test_shifted_predictions_wrong(line, why):
    rejected(exercises.shifted_predictions, line, why)


# --- the repaired area


def broken(y, score):
    order = np.argsort(-score, kind="stable")
    found = np.cumsum(y[order]) / y.sum()
    alarmed = np.cumsum(1 - y[order]) / (1 - y).sum()
    return np.sum(np.diff(alarmed, prepend=0) * found)


def at_distinct_scores(y, score):
    thresholds = [np.inf, *np.unique(score)[::-1]]
    found = [np.mean(score[y == 1] >= t) for t in thresholds]
    alarmed = [np.mean(score[y == 0] >= t) for t in thresholds]
    return np.trapezoid(found, alarmed)


def test_repaired_area_solution():
    assert exercises.repaired_auc.check(at_distinct_scores).message == "Accepted: 4 cases."
    assert exercises.repaired_auc.check(roc_auc_score).accepted


REPAIRED_WRONG = {
    "exchange two rows": broken,
    "counts as lost": lambda y, score: np.mean(score[y == 1][:, None] > score[y == 0]),
    "counts as won": lambda y, score: np.mean(score[y == 1][:, None] >= score[y == 0]),
    "should come first": lambda y, score: at_distinct_scores(y, -score),
    "pass the threshold together": lambda y, score: 0.9,
}


@pytest.mark.parametrize("hint", REPAIRED_WRONG)
def test_repaired_area_wrong(hint):
    rejected(exercises.repaired_auc, REPAIRED_WRONG[hint], hint)


# --- data with a flattering area


def test_flattering_data_solution():
    y, score = np.zeros(40), -np.arange(40.0)
    y[3] = 1
    assert exercises.flattering_data.check((y, score)).message == "Accepted."
    two = np.zeros(40)
    two[[3, 4]] = 1
    assert roc_auc_score(two, score) >= 0.9
    assert average_precision_score(two, score) <= 0.35
    assert exercises.flattering_data.check([two.tolist(), score.tolist()]).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("AUC is 1.000", ([1, 0, 0], [3.0, 2.0, 1.0])),
        ("average precision is 0.500", ([0, 1] + [0] * 20, -np.arange(22.0))),
        ("AUC is 0.500", ([0, 1] * 5, np.ones(10))),
        ("at most 40", (np.eye(41)[3], -np.arange(41.0))),
        ("got shapes (2,) and (3,)", ([0, 1], [1.0, 2.0, 3.0])),
        ("both occur", ([1, 1], [1.0, 2.0])),
        ("Give a pair", np.eye(3)),
    ],
)
def test_flattering_data_wrong(hint, attempt):
    rejected(exercises.flattering_data, attempt, hint)
