"""Newton's directions against closed forms, scipy, other units and what the theory promises."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src import data
from chapters_src.models.least_squares import least_squares, with_bias
from chapters_src.optimisation.descent import (
    backtracking,
    bowl,
    descend,
    double_well,
    logistic_landscape,
    quadratic,
    rosenbrock,
)
from chapters_src.optimisation.newton import downhill_newton, exact, newton

seeds = st.integers(0, 2**32 - 1)


def test_one_step_on_a_bowl():
    for start in ([2.4, 1.1], [-7.0, 0.01]):
        walk = descend(bowl(25.0), start, 1.0, newton)
        assert walk.steps == 1
        np.testing.assert_allclose(walk.theta, 0, atol=1e-12)


def test_one_step_on_a_turned_bowl_with_curvatures_far_apart():
    rng = np.random.default_rng(5)
    V, least = np.linalg.qr(rng.standard_normal((4, 4)))[0], rng.standard_normal(4)
    H = V * [1e-3, 1.0, 30.0, 1e3] @ V.T
    H = (H + H.T) / 2
    walk = descend(quadratic(H, H @ least), rng.standard_normal(4), 1.0, newton, tolerance=1e-7)
    assert walk.steps == 1
    np.testing.assert_allclose(walk.theta, least, atol=1e-9)


def test_least_squares_is_one_newton_step():
    table = data.cholesterol().train
    X, y = with_bias(table.X), table.y
    walk = descend(quadratic(2 / 5 * X.T @ X, 2 / 5 * X.T @ y), np.zeros(3), 1.0, newton, steps=1)
    np.testing.assert_allclose(walk.theta, least_squares(X, y), rtol=1e-6)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_other_units_make_no_difference(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((20, 3)), (rng.random(20) < 0.5).astype(float)
    A = np.linalg.qr(rng.standard_normal((3, 3)))[0] * [0.1, 1.0, 30.0]
    theta = rng.standard_normal(3)
    here, there = logistic_landscape(X, y), logistic_landscape(X @ A, y)
    psi = np.linalg.solve(A, theta)
    p = newton(here, theta, here.gradient(theta))
    q = newton(there, psi, there.gradient(psi))
    np.testing.assert_allclose(A @ q, p, rtol=1e-6, atol=1e-9)
    uphill = A @ there.gradient(psi)
    np.testing.assert_allclose(uphill, A @ A.T @ here.gradient(theta), rtol=1e-6, atol=1e-9)


def test_the_repaired_direction_depends_on_the_units():
    H, A, theta = np.array([[1.0, 2.0], [2.0, 1.0]]), np.diag([1.0, 10.0]), np.array([1.0, 0.5])
    here, there = quadratic(H), quadratic(A.T @ H @ A)
    psi = np.linalg.solve(A, theta)
    p = downhill_newton(here, theta, here.gradient(theta))
    q = A @ downhill_newton(there, psi, there.gradient(psi))
    assert np.linalg.norm(p - q) > 0.1 * np.linalg.norm(p)


def tumours():
    table = data.breast_cancer()
    return logistic_landscape(with_bias((table.X - table.X.mean(0)) / table.X.std(0)), table.y, ridge=1e-2)


def test_real_data_against_scipy():
    f = tumours()
    ours = descend(f, np.zeros(31), backtracking, downhill_newton, tolerance=1e-10)
    theirs = scipy.optimize.minimize(
        f.value, np.zeros(31), jac=f.gradient, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9}
    )
    assert ours.converged and ours.steps < 15
    assert ours.values[-1] == pytest.approx(theirs.fun, abs=1e-10)
    np.testing.assert_allclose(ours.theta, theirs.x, atol=1e-4)
    slow = descend(f, np.zeros(31), exact, steps=300, tolerance=1e-5)
    assert slow.values[-1] == pytest.approx(theirs.fun, abs=1e-8)


def test_digits_double():
    f = tumours()
    least = descend(f, np.zeros(31), 1.0, newton, tolerance=1e-12).theta
    errors = np.linalg.norm(descend(f, np.zeros(31), 1.0, newton, tolerance=1e-9).path - least, axis=1)
    close = [(a, b) for a, b in pairwise(errors) if 1e-6 < a < 0.5]
    assert close and all(b <= 2 * a**2 for a, b in close)


def test_plain_newton_climbs_to_the_saddle_and_downhill_newton_does_not():
    f, start = double_well(), np.array([0.1, 0.5])
    assert descend(f, start, 1.0, newton).theta == pytest.approx([0, 0], abs=1e-4)
    assert descend(f, start, backtracking, downhill_newton).theta == pytest.approx([1, 0], abs=1e-4)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_downhill_newton_against_the_polar_factor(seed):
    rng = np.random.default_rng(seed)
    S, theta = rng.standard_normal((4, 4)), rng.standard_normal(4)
    f = quadratic(S + S.T)
    g = f.gradient(theta)
    p = downhill_newton(f, theta, g)
    assert g @ p < 0
    # |H| from a route without eigenvectors: the symmetric factor of the polar decomposition.
    np.testing.assert_allclose(scipy.linalg.polar(S + S.T)[1] @ p, -g, rtol=1e-6, atol=1e-8)
    convex = quadratic(S @ S.T + np.eye(4))
    g = convex.gradient(theta)
    np.testing.assert_allclose(
        downhill_newton(convex, theta, g), newton(convex, theta, g), rtol=1e-8, atol=1e-12
    )


def test_a_flat_direction_does_not_stop_it():
    walk = descend(quadratic(np.diag([1.0, 0.0])), [3.0, 2.0], backtracking, downhill_newton)
    np.testing.assert_allclose(walk.theta, [0, 2], atol=1e-6)


def test_the_banana_against_scipy():
    walk = descend(rosenbrock(), [-1.2, 1.0], backtracking, downhill_newton, tolerance=1e-10)
    theirs = scipy.optimize.minimize(
        scipy.optimize.rosen,
        [-1.2, 1.0],
        jac=scipy.optimize.rosen_der,
        hess=scipy.optimize.rosen_hess,
        method="trust-exact",
        options={"gtol": 1e-10},
    )
    assert walk.steps < 30
    np.testing.assert_allclose(walk.theta, theirs.x, atol=1e-8)


def test_a_singular_hessian_is_refused():
    with pytest.raises(ValueError, match=r"^newton: the Hessian must have an inverse; try downhill_newton"):
        newton(quadratic(np.zeros((2, 2))), np.ones(2), np.ones(2))
