"""Landscapes against torch, finite differences, scipy and answers known by construction."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.optimisation.descent import logistic_landscape
from chapters_src.optimisation.descent.landscapes import bowl, double_well, quadratic, rosenbrock, saddle
from chapters_src.studio.oracle import autograd_gradient, autograd_hessian, finite_difference_gradient

rng = np.random.default_rng(0)
X, y = rng.standard_normal((12, 3)), (rng.random(12) < 0.5).astype(float)
A = rng.standard_normal((3, 3))
H, b = A @ A.T + np.eye(3), rng.standard_normal(3)

LANDSCAPES = {
    "quadratic": (quadratic(H, b), lambda t: t @ torch.tensor(H) @ t / 2 - torch.tensor(b) @ t),
    "bowl": (bowl(7.0), lambda t: (t[0] ** 2 + 7 * t[1] ** 2) / 2),
    "rosenbrock": (rosenbrock(), lambda t: (1 - t[0]) ** 2 + 100 * (t[1] - t[0] ** 2) ** 2),
    "gentle": (rosenbrock(3.0), lambda t: (1 - t[0]) ** 2 + 3 * (t[1] - t[0] ** 2) ** 2),
    "saddle": (saddle(), lambda t: (t[0] ** 2 - t[1] ** 2) / 2),
    "wells": (double_well(0.2), lambda t: (t[0] ** 2 - 1) ** 2 / 4 + t[1] ** 2 / 2 + 0.2 * t[0]),
    "logistic": (
        logistic_landscape(X, y, ridge=0.3),
        lambda t: (
            torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor(X) @ t, torch.tensor(y))
            + 0.15 * (t**2).sum()
        ),
    ),
}


@pytest.mark.parametrize("name", LANDSCAPES)
def test_values_and_derivatives_against_torch_and_differences(name):
    f, theirs = LANDSCAPES[name]
    for seed in range(5):
        theta = np.random.default_rng(seed).standard_normal(f.dimension)
        assert f.value(theta) == pytest.approx(float(theirs(torch.tensor(theta))), rel=1e-12)
        np.testing.assert_allclose(
            f.gradient(theta), autograd_gradient(theirs, theta), rtol=1e-10, atol=1e-12
        )
        np.testing.assert_allclose(
            f.gradient(theta), finite_difference_gradient(f.value, theta), rtol=1e-8, atol=1e-8
        )
        np.testing.assert_allclose(f.hessian(theta), autograd_hessian(theirs, theta), rtol=1e-10, atol=1e-12)
        rows = [
            finite_difference_gradient(lambda t, i=i: f.gradient(t)[i], theta) for i in range(f.dimension)
        ]
        np.testing.assert_allclose(f.hessian(theta), rows, rtol=1e-8, atol=1e-8)


def test_rosenbrock_against_scipy():
    for theta in np.random.default_rng(1).standard_normal((5, 2)):
        assert rosenbrock().value(theta) == pytest.approx(scipy.optimize.rosen(theta), rel=1e-12)
        np.testing.assert_allclose(rosenbrock().gradient(theta), scipy.optimize.rosen_der(theta), rtol=1e-12)
        np.testing.assert_allclose(rosenbrock().hessian(theta), scipy.optimize.rosen_hess(theta), rtol=1e-12)


@pytest.mark.parametrize(
    "f", [quadratic(H, b), bowl(30.0, 0.7), rosenbrock(), double_well(), double_well(-0.3)]
)
def test_minimisers_are_stationary_convex_and_lowest(f):
    assert f.minimisers
    for theta in f.minimisers:
        np.testing.assert_allclose(f.gradient(theta), 0, atol=1e-12)
        assert np.linalg.eigvalsh(f.hessian(theta))[0] > 0
        values = [f.value(2 * spot) for spot in np.random.default_rng(2).standard_normal((300, f.dimension))]
        assert f.value(theta) <= min(values)


def test_the_double_well_has_two_lowest_places_only_when_level():
    assert [list(theta) for theta in double_well().minimisers] == [
        [pytest.approx(-1), 0],
        [pytest.approx(1), 0],
    ]
    (lowest,) = double_well(0.1).minimisers
    assert lowest[0] == pytest.approx(-1.04668, abs=1e-5)
    (only,) = double_well(1.0).minimisers  # past 2/√27 one valley is gone
    assert only[0] == pytest.approx(-1.32472, abs=1e-5)


def test_a_saddle_and_an_indefinite_quadratic_have_no_minimiser():
    assert saddle().minimisers == ()
    assert quadratic(np.diag([1.0, 0.0])).minimisers == ()


@settings(max_examples=30, deadline=None)
@given(st.floats(1.0, 1e6), st.floats(-4, 4))
def test_a_bowl_has_the_curvatures_it_was_given(condition, angle):
    curvatures = np.linalg.eigvalsh(bowl(condition, angle).hessian(np.zeros(2)))
    np.testing.assert_allclose(curvatures, [1, condition], rtol=1e-9)


def test_a_turned_bowl_is_steep_across():
    f = bowl(9.0, np.pi / 2)  # the flat axis now points along θ₁
    assert f.value([1.0, 0.0]) == pytest.approx(4.5)
    assert f.value([0.0, 1.0]) == pytest.approx(0.5)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_curvature_of_the_logistic_loss_is_capped_and_largest_at_zero(seed):
    theta = 3 * np.random.default_rng(seed).standard_normal(3)
    f = logistic_landscape(X, y, ridge=0.1)
    cap = np.linalg.norm(X, 2) ** 2 / (4 * len(X)) + 0.1
    assert np.linalg.eigvalsh(f.hessian(theta))[-1] <= cap * (1 + 1e-12)
    assert np.linalg.eigvalsh(f.hessian(np.zeros(3)))[-1] == pytest.approx(cap, rel=1e-12)


def test_a_penalty_can_leave_the_bias_free():
    import sklearn.linear_model

    Z = np.column_stack([np.ones(12), X])
    f = logistic_landscape(Z, y, ridge=np.array([0.0, 0.3, 0.3, 0.3]))
    theirs = sklearn.linear_model.LogisticRegression(C=1 / (0.3 * 12), tol=1e-12, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(f.gradient(np.append(theirs.intercept_, theirs.coef_)), 0, atol=1e-6)
    np.testing.assert_allclose(np.diag(f.hessian(50 * np.eye(4)[0])), [0, 0.3, 0.3, 0.3], atol=1e-12)


def test_the_logistic_loss_does_not_overflow():
    f = logistic_landscape(np.array([[1.0], [-1.0]]), np.array([1.0, 0.0]))
    assert f.value([1000.0]) == 0.0
    assert f.value([-1000.0]) == pytest.approx(1000.0)
    np.testing.assert_allclose(f.gradient([-1000.0]), [-1.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quadratic(np.ones(3)), r"^quadratic: H must have two axes"),
        (
            lambda: quadratic(np.array([[1.0, 2.0], [0.0, 1.0]])),
            r"^quadratic: H must be symmetric",
        ),
        (lambda: quadratic(np.ones((2, 3))), r"^quadratic: H must be square"),
        (
            lambda: quadratic(np.eye(2), np.ones(3)),
            r"^quadratic: b must have shape \(2,\), one per row of H; got",
        ),
        (lambda: bowl(0.5), r"^bowl: condition must be at least 1; got 0.5"),
        (lambda: bowl(2.0, np.nan), r"^bowl: angle must be a finite number"),
        (lambda: rosenbrock(0.0), r"^rosenbrock: steepness must be above 0; got 0"),
        (lambda: double_well("steep"), r"^double_well: tilt must be a number; got 'steep'"),
        (
            lambda: logistic_landscape(X, y[:-1]),
            r"^logistic_landscape: y must have shape \(12,\), one per row of X",
        ),
        (lambda: logistic_landscape(X, 2 * y - 1), r"^logistic_landscape: y must hold only 0 and 1; got -1"),
        (lambda: logistic_landscape(X, y, -1.0), r"^logistic_landscape: ridge must be at least 0"),
        (
            lambda: rosenbrock().value(np.ones(3)),
            r"^theta must have shape \(2,\), one per coordinate",
        ),
        (
            lambda: double_well().gradient([np.nan, 0.0]),
            r"^theta must be finite; got nan at \[0\]",
        ),
        (lambda: saddle().hessian("pass"), r"^theta must hold real numbers"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
