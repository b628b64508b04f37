"""Variance components of scores whose make-up is known are found again, and add up exactly."""

from __future__ import annotations

import re

import numpy as np
import pytest

from chapters_src.evaluation.resampling import change_variances, variance_components


def made_scores(m, rng, a=2.0, b=1.0, ab=0.5, c=0.0):
    """Score a·A + b·B + ab·AB + c·C with standard normal effects, two draws of each source."""
    A, B, C = (rng.normal(size=(m, 2)) for _ in range(3))
    both = rng.normal(size=(m, 2, 2))
    scores = a * A[:, :, None, None] + b * B[:, None, :, None] + ab * both[..., None] + c * C[:, None, None]
    return np.moveaxis(scores, 0, -1)


def test_components_of_known_scores():
    found = variance_components(made_scores(20_000, np.random.default_rng(0)))
    expected = np.zeros((2, 2, 2))
    expected[1, 0, 0], expected[0, 1, 0], expected[1, 1, 0] = 4.0, 1.0, 0.25
    assert found == pytest.approx(expected, abs=0.1)


def test_components_add_up_to_the_variance_of_drawing_all_again():
    scores = np.random.default_rng(1).normal(size=(2, 2, 2, 7))
    changed = change_variances(scores)
    assert variance_components(scores).sum() == pytest.approx(changed[1, 1, 1])
    assert changed[0, 0, 0] == 0.0


def test_a_change_meets_every_component_that_it_touches():
    scores = np.random.default_rng(2).normal(size=(2, 2, 2, 5))
    parts, changed = variance_components(scores), change_variances(scores)
    for again in np.ndindex(2, 2, 2):
        touched = sum(parts[part] for part in np.ndindex(2, 2, 2) if np.any(np.multiply(part, again)))
        assert changed[again] == pytest.approx(touched)


def test_two_draws_of_one_source_by_hand():
    scores = np.array([[1.0, 2.0], [3.0, 2.0]])
    assert change_variances(scores) == pytest.approx([0.0, 1.0])
    assert variance_components(scores) == pytest.approx([0.0, 1.0])


def test_random_effects_of_a_crossed_table_agree_with_the_analysis_of_variance():
    """For 2 × 2 tables the mean of the textbook's estimates from mean squares is the same number."""
    scores = np.random.default_rng(3).normal(size=(6, 2, 2))
    rows, columns, whole = scores.mean(2), scores.mean(1), scores.mean((1, 2))
    ms_rows = 2 * ((rows - whole[:, None]) ** 2).sum(1)
    rest = scores - rows[:, :, None] - columns[:, None, :] + whole[:, None, None]
    ms_rest = (rest**2).sum((1, 2))
    found = variance_components(np.moveaxis(scores, 0, -1))
    assert found[1, 0] == pytest.approx(((ms_rows - ms_rest) / 2).mean())
    assert found[1, 1] == pytest.approx(ms_rest.mean())


@pytest.mark.parametrize("scores", [np.zeros((3, 4)), np.zeros((1, 2, 4)), np.zeros(4)])
@pytest.mark.parametrize("function", [change_variances, variance_components])
def test_errors(function, scores):
    with pytest.raises(ValueError, match=re.escape("scores must have")):
        function(scores)
