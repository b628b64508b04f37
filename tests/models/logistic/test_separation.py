"""Whether a fit may claim to have converged, against a search over all directions that matter."""

import numpy as np
import pytest

from chapters_src.models.generalised import POISSON, fit_glm
from chapters_src.models.logistic import fit_logistic, fit_logistic_by_blocks, grows_for_ever, separates
from chapters_src.models.softmax import fit_softmax


def has_direction(rows, level=()):
    """In the plane a cone {v : rows·v ≥ 0} has its edges at right angles to rows: try them all."""
    turns = [np.array([-b, a]) for a, b in [*rows, *level]]
    candidates = [sign * v for v in [*turns, *rows] for sign in (1, -1) if np.any(v)]
    return any(
        np.all(rows @ v >= 0) and np.any(rows @ v > 0) and all(x @ v == 0 for x in level) for v in candidates
    )


def designs(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(3, 7))
        X = np.column_stack([np.ones(n), rng.integers(-1, 2, n)]).astype(float)
        if np.ptp(X[:, 1]) > 0:
            yield X, rng


def test_logistic_converges_exactly_where_there_is_a_maximum():
    seen = []
    for X, rng in designs(0, 120):
        y = rng.integers(0, 2, len(X)).astype(float)
        exists = not has_direction((2 * y - 1)[:, None] * X)
        assert fit_logistic(X, y).converged == exists, (X, y)
        seen.append(exists)
    assert 10 < sum(seen) < len(seen) - 10


def test_poisson_converges_exactly_where_there_is_a_maximum():
    seen = []
    for X, rng in designs(1, 120):
        y = rng.poisson(0.7, len(X)).astype(float)
        if not y.any():
            continue
        exists = not has_direction(-X[y == 0], X[y > 0]) if (y == 0).any() else True
        assert fit_glm(X, y, POISSON).converged == exists, (X, y)
        seen.append(exists)
    assert 10 < sum(seen) < len(seen) - 10


def test_two_classes_of_softmax_agree_with_logistic():
    for X, rng in designs(2, 60):
        y = rng.integers(0, 2, len(X))
        assert fit_softmax(X, y, 2).converged == fit_logistic(X, y).converged, (X, y)


def test_the_example_that_used_to_be_wrong():
    X, y = [[1, 1], [1, 0], [1, 0], [1, 1]], [0, 0, 0, 1]
    assert not fit_logistic(X, y).converged
    assert not fit_logistic_by_blocks(X, y).converged
    assert fit_logistic(X, y, ridge=1e-3).converged


def test_certain_examples_alone_prove_nothing():
    """Two far points are nearly certain, yet the others overlap, so there is a maximum."""
    x = np.array([-40.0, -1.0, -0.5, 0.5, 1.0, 40.0])
    fit = fit_logistic(np.column_stack([np.ones(6), x]), [0, 0, 1, 0, 1, 1])
    assert fit.converged
    assert np.abs(fit.theta[1] * 40) > 15


def test_strict_separation_is_strict():
    X = np.array([[1.0], [2.0], [-1.0]])
    assert separates(X, [1, 1, 0], [1.0])
    assert not separates(np.vstack([X, [[0.0]]]), [1, 1, 0, 0], [1.0])
    assert grows_for_ever(np.array([[1.0], [2.0], [0.0]]))
    assert not grows_for_ever(np.zeros((3, 1)))


def test_outputs_too_large_to_square_are_refused():
    from chapters_src.models.generalised import GAUSSIAN

    with pytest.raises(ValueError, match=r"^fit_glm: y must be of a size .*; got 5e\+160, which gives NaN"):
        fit_glm(
            np.column_stack([np.ones(4), np.arange(4.0)]), 1e160 * np.array([1.0, 2.0, 5.0, 3.0]), GAUSSIAN
        )
