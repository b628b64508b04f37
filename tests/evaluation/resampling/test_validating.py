"""Folds are dealt as promised, and what is chosen inside is judged outside, as by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_score

from chapters_src.evaluation.resampling import cross_validated, nested
from chapters_src.models.shrinkage import folds

X, y = load_diabetes(return_X_y=True)
X, y = X[:90], y[:90]


def ridge_score(train, test, alpha=0.1):
    return Ridge(alpha=alpha).fit(X[train], y[train]).score(X[test], y[test])


def numbered(parts, n):
    """For each row the number of its part, as scikit-learn wants it."""
    place = np.empty(n, int)
    for number, rows in enumerate(parts):
        place[rows] = number
    return PredefinedSplit(place)


def test_scores_agree_with_scikit_learn():
    ours = cross_validated(ridge_score, 90, 5, np.random.default_rng(0))
    split = numbered(folds(90, 5, np.random.default_rng(0)), 90)
    assert ours == pytest.approx(cross_val_score(Ridge(alpha=0.1), X, y, cv=split))


def test_every_row_is_tested_once_and_never_trained_on_then():
    tested = []

    def look(train, test):
        assert not set(train) & set(test)
        assert len(train) + len(test) == 17
        tested.extend(test)
        return 0.0

    assert cross_validated(look, 17, 4, np.random.default_rng(0)).shape == (4,)
    assert sorted(tested) == list(range(17))


def test_nested_agrees_with_a_grid_search_inside_each_part():
    alphas = [1e-3, 1e-2, 0.1, 1.0, 10.0]
    ours = nested(ridge_score, alphas, 90, 3, np.random.default_rng(4))
    rng = np.random.default_rng(4)
    theirs = []
    for test in folds(90, 3, rng):
        train = np.setdiff1d(np.arange(90), test)
        inner = folds(len(train), 3, np.random.default_rng(rng.integers(2**32)))
        search = GridSearchCV(Ridge(), {"alpha": alphas}, cv=numbered(inner, len(train)))
        theirs.append(search.fit(X[train], y[train]).score(X[test], y[test]))
    assert ours == pytest.approx(theirs)


def test_on_coin_flips_the_best_of_many_looks_good_and_nested_does_not():
    chosen, judged = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        guesses, labels = rng.integers(2, size=(20, 40)), rng.integers(2, size=40)

        def score(train, test, which, guesses=guesses, labels=labels):
            return np.mean(guesses[which][test] == labels[test])

        chosen.append(max(np.mean(score(None, np.arange(40), which)) for which in range(20)))
        judged.append(nested(score, range(20), 40, 4, rng).mean())
    assert np.mean(chosen) > 0.6
    assert np.mean(judged) == pytest.approx(0.5, abs=0.05)


def test_errors():
    with pytest.raises(ValueError, match=r"^cross_validated: k must be at most 3"):
        cross_validated(ridge_score, 3, 4, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^nested: k must be at most 5"):
        nested(ridge_score, [1.0], 5, 9, np.random.default_rng(0))
    with pytest.raises(ValueError, match="nested: candidates must"):
        nested(ridge_score, [], 10, 2, np.random.default_rng(0))
