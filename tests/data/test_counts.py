"""The counts against what was published about them."""

import numpy as np
import pytest
from sklearn.datasets import load_linnerud

from chapters_src import data


class TestShips:
    def test_34_groups_that_sailed(self):
        table = data.ships()
        assert table.X.shape == (34, 4)
        assert (table.X[:, 3] > 0).all()
        assert table.columns == ("type", "year", "period", "months")
        assert table.classes == ("A", "B", "C", "D", "E")

    def test_no_group_sailed_before_it_was_built(self):
        year, period = data.ships().X[:, 1:3].T
        assert not ((year == 1975) & (period == 1960)).any()

    def test_the_published_deviance_comes_out(self):
        """38.695 on 25 degrees of freedom for type + year + period with the months as exposure."""
        api = pytest.importorskip("statsmodels.api")
        table = data.ships()
        kind, year, period, months = table.X.T
        dummies = [kind == k for k in range(1, 5)] + [year == y for y in (1965, 1970, 1975)]
        X = np.column_stack([np.ones(34), *dummies, period == 1975]).astype(float)
        fit = api.GLM(table.y, X, family=api.families.Poisson(), offset=np.log(months)).fit()
        assert fit.deviance == pytest.approx(38.695, abs=5e-4)
        assert fit.df_resid == 25


def test_linnerud_is_scikit_learns():
    table, bunch = data.linnerud(), load_linnerud()
    np.testing.assert_array_equal(table.y, bunch.data[:, 0])
    np.testing.assert_array_equal(table.X[:, [3, 4]], bunch.data[:, 1:])
    np.testing.assert_array_equal(table.X[:, :3], bunch.target)
    assert len(table.columns) == 5


def test_the_children_of_caithness():
    table = data.eyes_and_hair()
    assert table.counts.shape == (len(table.rows), len(table.columns)) == (4, 5)
    assert table.counts.sum() == 5387
    np.testing.assert_array_equal(table.counts.sum(axis=1), [718, 1580, 1774, 1315])
    np.testing.assert_array_equal(table.counts.sum(axis=0), [1455, 286, 2137, 1391, 118])
