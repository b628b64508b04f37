"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from chapters_src.generative.components import exercises, fit_ica, unmixed
from tests.verdicts import rejected

# --- six columns in step


def test_share_by_eigenvalues():
    S = np.full((6, 6), 0.4) + 0.6 * np.eye(6)
    assert exercises.columns_in_step.check(np.linalg.eigvalsh(S)[-1] / np.trace(S)).accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (0.4, "not a share of variance"),
        (3, "compares it with the whole"),
        (1 / 6, "without correlation"),
        (0.7, "right for two columns"),
        (0.6, "*other* directions"),
    ],
)
def test_share_wrong(answer, hint):
    rejected(exercises.columns_in_step, round(answer, 4), hint)


# --- one Gaussian source


def test_one_gaussian_source_is_no_obstacle():
    rng = np.random.default_rng(0)
    S = np.column_stack([rng.normal(size=20_000), rng.uniform(-1, 1, 20_000)])
    X = S @ np.array([[1.0, 0.5], [0.6, 1.0]])
    found = np.abs(np.corrcoef(S.T, unmixed(fit_ica(X, rng), X).T)[:2, 2:])
    assert (found.max(axis=1) > 0.999).all()
    assert exercises.one_gaussian_source.check("a").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("b", "breaks the symmetry"), ("c", "knowing one"), ("d", "the mixture is the same")]
)
def test_one_gaussian_wrong(letter, why):
    rejected(exercises.one_gaussian_source, letter, why)


# --- the false line


def test_false_line():
    assert exercises.skewed_directions.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_false_line_wrong(line):
    assert not exercises.skewed_directions.check(line).accepted


# --- repaired scores


def by_hand(train, new, M):
    train, new = np.asarray(train), np.asarray(new)
    mean, scale = train.mean(axis=0), train.std(axis=0)
    U = np.linalg.svd((train - mean) / scale, full_matrices=False)[2].T[:, :M]
    U = U * np.sign(U[np.abs(U).argmax(axis=0), range(M)])
    return (new - mean) / scale @ U


def by_scikit_learn(train, new, M):
    scaler = StandardScaler().fit(train)
    model = PCA(M, svd_solver="full").fit(scaler.transform(train))
    U = model.components_.T
    return scaler.transform(new) @ (U * np.sign(U[np.abs(U).argmax(axis=0), range(M)]))


@pytest.mark.parametrize("answer", [by_hand, by_scikit_learn])
def test_scores_solutions(answer):
    assert exercises.repaired_scores.check(answer).accepted


def test_scores_stub():
    assert not exercises.repaired_scores.check(lambda train, new, M: ...).attempted


def wrong(mean, scale):
    def attempt(train, new, M):
        train, new = np.asarray(train), np.asarray(new)
        both = np.concatenate([train, new])
        standard = (train - train.mean(axis=0)) / train.std(axis=0)
        U = np.linalg.svd(standard, full_matrices=False)[2].T[:, :M]
        U = U * np.sign(U[np.abs(U).argmax(axis=0), range(M)])
        return (new - mean(train, new, both)) / scale(train, new, both) @ U

    return attempt


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("of their own", wrong(lambda t, n, b: n.mean(axis=0), lambda t, n, b: n.std(axis=0))),
        (
            "subtract the training",
            wrong(lambda t, n, b: n.mean(axis=0), lambda t, n, b: t.std(axis=0)),
        ),
        ("divide the new rows", wrong(lambda t, n, b: t.mean(axis=0), lambda t, n, b: n.std(axis=0))),
        ("not even in the mean", wrong(lambda t, n, b: b.mean(axis=0), lambda t, n, b: b.std(axis=0))),
        ("standardised columns", wrong(lambda t, n, b: t.mean(axis=0), lambda t, n, b: 1.0)),
    ],
)
def test_scores_wrong(hint, attempt):
    rejected(exercises.repaired_scores, attempt, hint)


# --- one point that turns the first component


@pytest.mark.parametrize("point", [(-3.4, 4.5), (3.4, -4.5), [-3.5, 4.8]])
def test_points_that_turn(point):
    assert exercises.turned_by_one.check(np.array(point)).accepted


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ((4.8, 3.6), "degrees only"),
        ((-1.0, 1.3), "degrees only"),
        ((60.0, -80.0), "within 6 of the origin"),
        ((1.0, 2.0, 3.0), "two finite numbers"),
        ((np.inf, 0.0), "two finite numbers"),
    ],
)
def test_points_wrong(point, message):
    rejected(exercises.turned_by_one, np.array(point), message)


def test_point_stub():
    assert not exercises.turned_by_one.check(...).attempted
