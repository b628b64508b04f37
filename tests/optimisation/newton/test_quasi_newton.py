"""BFGS and L-BFGS against the product of matrices, scipy's update, each other and scipy's minimisers."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.optimisation.descent import backtracking, descend, quadratic, rosenbrock
from chapters_src.optimisation.newton import BFGS, LBFGS, bfgs_update, exact, lbfgs_product, wolfe

seeds = st.integers(0, 2**32 - 1)


def pairs(seed, m, d=4):
    """Steps on a bowl and the changes of its gradient."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(d, d))
    S = rng.normal(size=(m, d))
    return S, S @ (root @ root.T + 0.1 * np.eye(d))


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_update_is_the_product_and_obeys_the_secant_equation(seed):
    (s,), (y,) = pairs(seed, 1)
    root = np.random.default_rng(seed + 1).normal(size=(4, 4))
    G = root @ root.T + 0.1 * np.eye(4)
    left = np.eye(4) - np.outer(s, y) / (s @ y)
    new = bfgs_update(G, s, y)
    np.testing.assert_allclose(new, left @ G @ left.T + np.outer(s, s) / (s @ y), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(new @ y, s, atol=1e-7)
    assert np.linalg.eigvalsh(new)[0] > 0


def test_update_against_scipy():
    theirs = scipy.optimize.BFGS(init_scale=1.0)
    theirs.initialize(4, "inv_hess")
    G = np.eye(4)
    for s, y in zip(*pairs(3, 6), strict=True):
        theirs.update(s, y)
        G = bfgs_update(G, s, y)
    np.testing.assert_allclose(G, theirs.get_matrix(), rtol=1e-8, atol=1e-8)


def test_a_worked_number():
    # s = (1, 0) changed the slope by (2, 0): along it the inverse curvature is ½, across nothing is learnt.
    np.testing.assert_array_equal(bfgs_update(np.eye(2), [1.0, 0.0], [2.0, 0.0]), [[0.5, 0], [0, 1]])


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 6))
def test_two_loops_are_the_updates_without_the_matrix(seed, m):
    S, Y = pairs(seed, m)
    G = S[-1] @ Y[-1] / (Y[-1] @ Y[-1]) * np.eye(4)
    for s, y in zip(S, Y, strict=True):
        G = bfgs_update(G, s, y)
    g = np.random.default_rng(seed + 1).normal(size=4)
    np.testing.assert_allclose(lbfgs_product(S, Y, g), G @ g, rtol=1e-6, atol=1e-7)


def test_on_a_bowl_with_exact_steps_it_ends_after_d_steps_and_knows_the_inverse():
    H, start = np.diag([1.0, 4.0, 25.0]), np.array([3.0, -2.0, 1.0])
    rule = BFGS()
    walk = descend(quadratic(H), start, exact, rule, tolerance=1e-5)
    assert walk.steps <= 4  # three in exact arithmetic
    np.testing.assert_allclose(rule.G, np.linalg.inv(H), atol=1e-4)


@pytest.mark.parametrize("rule", [BFGS, LBFGS, lambda: LBFGS(memory=2)])
def test_the_banana_against_scipy(rule):
    walk = descend(rosenbrock(), [-1.2, 1.0], wolfe, rule(), tolerance=1e-8)
    theirs = scipy.optimize.minimize(
        scipy.optimize.rosen, [-1.2, 1.0], jac=scipy.optimize.rosen_der, options={"gtol": 1e-8}
    )
    assert walk.converged
    assert walk.steps < 2 * theirs.nit
    np.testing.assert_allclose(walk.theta, theirs.x, atol=1e-6)


def test_only_the_last_pairs_are_kept():
    rule = LBFGS(memory=3)
    descend(rosenbrock(), [-1.2, 1.0], wolfe, rule, steps=12)
    assert len(rule.pairs) == 3


def test_a_step_without_upward_curvature_is_left_out():
    f = quadratic(-np.eye(2))
    for rule in (BFGS(), LBFGS()):
        for theta in ([1.0, 0.0], [2.0, 0.5]):
            np.testing.assert_array_equal(rule(f, np.array(theta), f.gradient(theta)), theta)
    assert rule.pairs == []


def test_directions_go_down_where_the_function_is_not_convex():
    f = rosenbrock()
    walk = descend(f, [-1.2, 1.0], backtracking, BFGS(), tolerance=1e-8)
    assert walk.converged and (np.diff(walk.values) <= 0).all()


def test_bad_input():
    with pytest.raises(ValueError, match=r"^bfgs_update: y must have a positive product with s; got -1"):
        bfgs_update(np.eye(1), [1.0], [-1.0])
    with pytest.raises(ValueError, match=r"^lbfgs_product: y must have a positive product with s; got 0"):
        lbfgs_product(np.eye(2), np.array([[1.0, 0.0], [1.0, 0.0]]), np.ones(2))
