"""Searches against scikit-learn's, and on losses whose best point is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV, ParameterGrid
from sklearn.tree import DecisionTreeRegressor

from chapters_src.optimisation.search.searches import (
    grid_search,
    random_configurations,
    random_search,
    successive_halving,
)

SPACE = {"eta": (1e-4, 1.0), "lam": (1e-6, 1e-2)}


def bowl(eta, lam):
    return (np.log10(eta) + 1) ** 2 + 0.01 * (np.log10(lam) + 3) ** 2


def test_grid_is_every_combination():
    choices = {"eta": [0.1, 0.01], "lam": [1e-3, 1e-4, 1e-5]}
    trials = grid_search(bowl, choices)

    def key(c):
        return sorted(c.items())

    assert sorted(map(key, (t.configuration for t in trials))) == sorted(map(key, ParameterGrid(choices)))
    assert trials[0].configuration == {"eta": 0.1, "lam": 1e-3}
    assert [t.loss for t in trials] == sorted(bowl(**c) for c in ParameterGrid(choices))


def test_random_draws_are_even_on_a_log_scale():
    drawn = random_configurations(SPACE, 4000, np.random.default_rng(0))
    for name, (low, high) in SPACE.items():
        values = [one[name] for one in drawn]
        assert stats.kstest(values, stats.loguniform(low, high).cdf).pvalue > 0.01
        assert low <= min(values) and max(values) <= high
    again = random_configurations(SPACE, 4000, np.random.default_rng(0))
    assert drawn == again


def test_random_search_ranks():
    trials = random_search(bowl, SPACE, 60, np.random.default_rng(1))
    assert len(trials) == 60
    assert all(t.loss == bowl(**t.configuration) for t in trials)
    assert [t.loss for t in trials] == sorted(t.loss for t in trials)
    assert trials[0].configuration["eta"] == pytest.approx(0.1, rel=0.5)


def test_random_beats_the_grid_where_one_axis_matters():
    """Nine trials: a grid tries three rates, random search nine. Bergstra and Bengio's picture, averaged."""

    def spike(eta, lam):
        return (np.log10(eta) + 1.3) ** 2

    grid = grid_search(spike, {k: np.geomspace(*ends, 3) for k, ends in SPACE.items()})[0].loss
    at_random = [random_search(spike, SPACE, 9, np.random.default_rng(s))[0].loss for s in range(200)]
    assert np.median(at_random) < grid / 3


def test_what_diverges_ranks_last():
    losses = iter([np.nan, 2.0, np.inf, 1.0])
    trials = grid_search(lambda a: next(losses), {"a": [1, 2, 3, 4]})
    assert [t.configuration["a"] for t in trials[:2]] == [4, 2]
    assert trials[-1].loss == np.inf


class TestHalving:
    def test_rungs_as_in_scikit_learn(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(270, 2)), rng.normal(size=270)
        for count, factor in ((27, 3), (10, 3), (16, 2), (4, 2)):
            theirs = HalvingGridSearchCV(
                DecisionTreeRegressor(),
                {"max_depth": list(range(1, count + 1))},
                factor=factor,
                min_resources=10,
                max_resources=270,
                cv=2,
            ).fit(X, y)
            rungs = successive_halving(lambda budget, a: a, [{"a": k} for k in range(count)], 10, factor)
            # theirs stops before a last round among fewer than `factor` if the budget is spent
            shared = len(theirs.n_candidates_)
            assert [len(r.trials) for r in rungs][:shared] == theirs.n_candidates_
            assert [r.budget for r in rungs][:shared] == theirs.n_resources_

    def test_ends_with_the_best_where_early_leaders_lead(self):
        rungs = successive_halving(lambda budget, a: a + 1 / budget, [{"a": k} for k in range(27)])
        assert [(r.budget, len(r.trials)) for r in rungs] == [(1, 27), (3, 9), (9, 3), (27, 1)]
        assert rungs[-1].trials[0].configuration == {"a": 0}

    def test_loses_a_slow_starter(self):
        """What it bets on, and loses: the candidate that is best with all of the budget is last at first."""

        def slow(budget, a):
            return (10.0 if budget < 9 else 0.0) if a == 0 else float(a)

        rungs = successive_halving(slow, [{"a": k} for k in range(9)])
        assert all(t.configuration["a"] != 0 for t in rungs[-1].trials)
        assert slow(9, 0) < rungs[-1].trials[0].loss

    def test_one_candidate(self):
        assert len(successive_halving(lambda budget: 1.0, [{}])) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: grid_search(bowl, {}), "grid_search: choices must map one name or more"),
        (lambda: grid_search(bowl, {"eta": []}), "grid_search: choices must map"),
        (
            lambda: random_search(bowl, {"eta": (1, 0.1)}, 3, np.random.default_rng(0)),
            "space must give eta two positive ends",
        ),
        (lambda: random_search(bowl, {"eta": (0, 0.1)}, 3, np.random.default_rng(0)), "space must give eta"),
        (
            lambda: random_configurations({"eta": 5}, 1, np.random.default_rng(0)),
            "random_configurations: space must map one name or more",
        ),
        (
            lambda: random_configurations({"eta": "ab"}, 1, np.random.default_rng(0)),
            "space must give eta two positive ends",
        ),
        (lambda: random_configurations(SPACE, 0, np.random.default_rng(0)), "count must be at least 1"),
        (lambda: random_configurations(SPACE, 2, None), "rng must be a numpy.random.Generator"),
        (lambda: successive_halving(bowl, []), "successive_halving: configurations must be one or more"),
        (lambda: successive_halving(bowl, [{}], 0), "successive_halving: budget must be at least 1"),
        (lambda: successive_halving(bowl, [{}], 1, 1), "successive_halving: factor must be at least 2"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
