"""The rule for a mean over N(0, 1), against the moments of that."""

import pytest

from chapters_src.core.quadrature import normal_rule


@pytest.mark.parametrize("points", [1, 2, 5, 64, 200])
def test_moments_are_the_double_factorials(points):
    nodes, weights = normal_rule(points)
    assert weights.sum() == pytest.approx(1, abs=1e-14)
    for power, moment in ((1, 0), (2, 1), (3, 0), (4, 3), (6, 15)):
        if power < 2 * points:
            assert weights @ nodes**power == pytest.approx(moment, abs=1e-9)
