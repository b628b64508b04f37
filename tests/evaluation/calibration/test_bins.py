"""Promise and outcome, against counting by hand and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from chapters_src.evaluation.calibration import brier_parts, calibration_error, reliability


def forecasts(n=400, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.uniform(size=n)
    return p, (rng.uniform(size=n) < p**2).astype(float)


@pytest.mark.parametrize("bins", [1, 7, 10])
def test_bins_agree_with_scikit_learn(bins):
    p, y = forecasts()
    came_true, promised = calibration_curve(y, p, n_bins=bins)
    ours = reliability(p, y, bins)
    np.testing.assert_allclose(ours.promised, promised, atol=1e-12)
    np.testing.assert_allclose(ours.came_true, came_true, atol=1e-12)
    assert ours.counts.sum() == len(p)


def test_the_edges_belong_to_bins():
    assert reliability([0.0, 1.0, 0.5], [0, 1, 1], bins=2).counts.tolist() == [1, 2]


def test_a_worked_error():
    # two of four come true where 0.9 was said, and one of one where 0.2 was said
    p, y = [0.9, 0.9, 0.9, 0.9, 0.2], [1, 1, 0, 0, 1]
    assert calibration_error(p, y) == pytest.approx((4 * 0.4 + 1 * 0.8) / 5)


def test_error_by_a_loop():
    p, y = forecasts(seed=3)
    total = 0.0
    for low in np.arange(10) / 10:
        inside = (p >= low) & (p < low + 0.1)
        total += abs(y[inside].sum() - p[inside].sum())
    assert calibration_error(p, y, 10) == pytest.approx(total / len(p))


@given(st.lists(st.tuples(st.sampled_from([0, 0.2, 0.5, 0.7, 1]), st.booleans()), min_size=1, max_size=40))
def test_the_parts_add_up_to_the_brier_score(pairs):
    p, y = np.array(pairs, dtype=float).T
    calibration, refinement = brier_parts(p, y)
    assert calibration + refinement == pytest.approx(np.mean((y - p) ** 2))
    assert min(calibration, refinement) >= 0
    if 0 < y.sum() < len(y):
        assert calibration + refinement == pytest.approx(brier_score_loss(y, p))


def test_saying_the_base_rate_is_calibrated_and_unrefined():
    y = np.array([1.0, 0, 0, 1, 0])
    assert brier_parts(np.full(5, 0.4), y) == pytest.approx((0, 0.24))
    assert brier_parts(y, y) == (0, 0)


def test_merging_bins_never_raises_the_error():
    for seed in range(20):
        p, y = forecasts(60, seed)
        assert calibration_error(p, y, 5) <= calibration_error(p, y, 10) + 1e-12


def test_unclear_input_is_refused():
    with pytest.raises(ValueError, match=r"reliability: p must .*1\.5"):
        reliability([0.5, 1.5], [0, 1])
    with pytest.raises(ValueError, match="calibration_error: y must"):
        calibration_error([0.5, 0.5], [0, 2])
