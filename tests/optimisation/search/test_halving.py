"""Halving against scikit-learn's rounds, on curves whose winner is known; Hyperband's brackets counted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV
from sklearn.tree import DecisionTreeRegressor

from chapters_src.optimisation.search import hyperband_brackets, successive_halving


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

    def test_the_largest_budget_is_kept(self):
        rungs = successive_halving(lambda budget, a: a, [{"a": k} for k in range(75)], 1, 3, most=9)
        assert [(r.budget, len(r.trials)) for r in rungs] == [(1, 75), (3, 25), (9, 9)]
        assert sum(r.budget * len(r.trials) for r in rungs) == 231

    @pytest.mark.parametrize(("factor", "power", "first"), [(3, 3, 1), (2, 4, 3), (4, 2, 5)])
    def test_every_round_costs_the_same(self, factor, power, first):
        everyone = [{"a": k} for k in range(factor**power)]
        rungs = successive_halving(lambda budget, a: -a, everyone, first, factor)
        assert {r.budget * len(r.trials) for r in rungs} == {first * factor**power}
        assert len(rungs) == power + 1


class TestHyperband:
    def test_brackets_by_hand(self):
        assert hyperband_brackets(27) == [(27, 1), (12, 3), (6, 9), (4, 27)]
        assert hyperband_brackets(1) == [(1, 1)]

    @pytest.mark.parametrize(("most", "factor"), [(81, 3), (100, 3), (64, 4), (50, 2)])
    def test_brackets_by_logarithms(self, most, factor):
        m = int(np.floor(np.log(most) / np.log(factor) + 1e-9))
        expected = [
            (int(np.ceil((m + 1) / (s + 1) * factor**s - 1e-9)), most // factor**s) for s in range(m, -1, -1)
        ]
        assert hyperband_brackets(most, factor) == expected

    def test_no_bracket_exceeds_the_budget_and_costs_are_alike(self):
        costs = []
        for count, first in hyperband_brackets(81):
            everyone = [{"a": k} for k in range(count)]
            rungs = successive_halving(lambda budget, a: a, everyone, first, 3, 81)
            assert rungs[-1].budget == 81
            costs.append(sum(r.budget * len(r.trials) for r in rungs))
        assert max(costs) < 1.6 * min(costs)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: successive_halving(max, []), "successive_halving: configurations must be one or more"),
        (lambda: successive_halving(max, [{}], 0), "successive_halving: budget must be at least 1"),
        (lambda: successive_halving(max, [{}], 1, 1), "successive_halving: factor must be at least 2"),
        (lambda: successive_halving(max, [{}], 1, 3, 0), "successive_halving: most must be at least 1"),
        (lambda: hyperband_brackets(0), "hyperband_brackets: most must be at least 1"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
