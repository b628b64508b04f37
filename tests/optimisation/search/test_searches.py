"""Searches against scikit-learn's, and on losses whose best point is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import ParameterGrid

from chapters_src.optimisation.search import grid_search, random_configurations

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


def test_random_beats_the_grid_where_one_axis_matters():
    """Nine trials: a grid tries three rates, random search nine. Bergstra and Bengio's picture, averaged."""

    def spike(eta, lam):
        return (np.log10(eta) + 1.3) ** 2

    grid = grid_search(spike, {k: np.geomspace(*ends, 3) for k, ends in SPACE.items()})[0].loss
    draws = [random_configurations(SPACE, 9, np.random.default_rng(s)) for s in range(200)]
    at_random = [min(spike(**one) for one in drawn) for drawn in draws]
    assert np.median(at_random) < grid / 3


def test_what_diverges_ranks_last():
    losses = iter([np.nan, 2.0, np.inf, 1.0])
    trials = grid_search(lambda a: next(losses), {"a": [1, 2, 3, 4]})
    assert [t.configuration["a"] for t in trials[:2]] == [4, 2]
    assert trials[-1].loss == np.inf


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: grid_search(bowl, {}), "grid_search: choices must map one name or more"),
        (lambda: grid_search(bowl, {"eta": []}), "grid_search: choices must map"),
        (
            lambda: random_configurations({"eta": (1, 0.1)}, 3, np.random.default_rng(0)),
            "space must give eta two positive ends",
        ),
        (
            lambda: random_configurations({"eta": (0, 0.1)}, 3, np.random.default_rng(0)),
            "space must give eta",
        ),
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
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
