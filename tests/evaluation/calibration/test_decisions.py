"""The cheapest decision, against all decisions tried one by one."""

import numpy as np
import pytest

from chapters_src.evaluation.calibration import cheapest_decision

MEDICAL = np.array([[0.0, 10.0], [1.0, 0.0]])  # rows: call healthy, call ill; columns: healthy, ill


@pytest.mark.parametrize(("ill", "decision"), [(0.05, 0), (0.09, 0), (0.1, 1), (0.5, 1)])
def test_a_missed_illness_costs_ten_alarms(ill, decision):
    assert cheapest_decision(MEDICAL, [[1 - ill, ill]]).tolist() == [decision]


def test_no_other_decision_is_cheaper():
    rng = np.random.default_rng(0)
    costs, p = rng.uniform(size=(3, 5)), rng.dirichlet(np.ones(5), size=30)
    chosen = cheapest_decision(costs, p)
    for row, decision in zip(p, chosen, strict=True):
        expected = [sum(costs[i, j] * row[j] for j in range(5)) for i in range(3)]
        assert expected[decision] == min(expected)


def test_a_column_per_class():
    with pytest.raises(ValueError, match="cheapest_decision: p must"):
        cheapest_decision(MEDICAL, [[0.2, 0.3, 0.5]])
