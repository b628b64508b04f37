"""Descent against closed forms, scipy, torch, and what the theory promises."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src import data
from chapters_src.models.least_squares import with_bias
from chapters_src.optimisation.descent import best_rate, convergence_factor, logistic_landscape, rate_bound
from chapters_src.optimisation.descent.landscapes import (
    Landscape,
    bowl,
    double_well,
    quadratic,
    rosenbrock,
    saddle,
)
from chapters_src.optimisation.descent.walks import backtracking, descend, steepest
from chapters_src.optimisation.newton import downhill_newton, exact, newton

seeds = st.integers(0, 2**32 - 1)
METHODS = {
    "fixed": (0.02, steepest),
    "backtracking": (backtracking, steepest),
    "exact": (exact, steepest),
    "newton": (backtracking, downhill_newton),
}


def random_bowl(seed, d=4, low=0.2, high=6.0):
    """H with chosen curvatures, b, and a start: the minimiser is known without solving anything."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((d, d)))[0]
    curvatures = np.concatenate([[low, high], rng.uniform(low, high, d - 2)])
    H = Q * curvatures @ Q.T
    H, least = (H + H.T) / 2, rng.standard_normal(d)
    return H, H @ least, least, rng.standard_normal(d)


def tumours(ridge=0.01):
    table = data.breast_cancer()
    X = (table.X - table.X.mean(axis=0)) / table.X.std(axis=0)
    return logistic_landscape(with_bias(X), table.y.astype(float), ridge=ridge)


class TestFixedRate:
    @settings(max_examples=25, deadline=None)
    @given(seeds, st.floats(0.01, 0.3))
    def test_closed_form_on_a_quadratic(self, seed, eta):
        # θ_t − θ* = (I − ηH)^t (θ_0 − θ*)
        H, b, least, start = random_bowl(seed)
        walk = descend(quadratic(H, b), start, eta, steps=30, tolerance=0.0)
        power = np.linalg.matrix_power(np.eye(4) - eta * H, 30)
        np.testing.assert_allclose(walk.theta - least, power @ (start - least), rtol=1e-9, atol=1e-11)
        assert walk.steps == 30 and not walk.converged

    def test_step_for_step_as_torch(self):
        start = np.array([-1.2, 1.0])
        walk = descend(rosenbrock(), start, 1e-3, steps=100, tolerance=0.0)
        theta = torch.tensor(start, requires_grad=True)
        optimiser = torch.optim.SGD([theta], lr=1e-3)
        for t in range(100):
            np.testing.assert_allclose(walk.path[t], theta.detach().numpy(), rtol=1e-12)
            optimiser.zero_grad()
            ((1 - theta[0]) ** 2 + 100 * (theta[1] - theta[0] ** 2) ** 2).backward()
            optimiser.step()

    @pytest.mark.parametrize("share", [0.1, 0.5, 0.98])
    def test_below_the_bound_it_goes_down_and_arrives(self, share):
        H, b, least, start = random_bowl(3)
        walk = descend(quadratic(H, b), start, share * rate_bound(H), steps=4000, tolerance=1e-9)
        assert walk.converged
        assert (np.diff(walk.values) <= 1e-12).all()
        np.testing.assert_allclose(walk.theta, least, atol=1e-7)

    def test_at_the_bound_it_bounces_and_above_it_diverges(self):
        f = quadratic(np.diag([1.0, 4.0]))
        bouncing = descend(f, [0.0, 1.0], rate_bound(np.diag([1.0, 4.0])), steps=11, tolerance=0.0)
        np.testing.assert_allclose(bouncing.path[:, 1], [(-1.0) ** t for t in range(12)])
        walk = descend(f, [1.0, 1.0], 0.9, steps=10_000)
        assert not walk.converged
        assert walk.steps < 10_000  # it ended at the last finite θ
        assert np.isfinite(walk.path).all() and np.isfinite(walk.values).all()
        assert walk.values[-1] > 1e100

    def test_worked_numbers(self):
        square = quadratic(np.array([[2.0]]))  # x²
        assert descend(square, [1.0], 1.1, steps=20).theta[0] == pytest.approx(38.3376, abs=1e-4)
        slow = descend(square, [1.0], 1e-6, steps=1000, tolerance=0.0)
        assert slow.theta[0] == pytest.approx(0.998, abs=5e-4)
        H = np.diag([1.0, 25.0])
        assert best_rate(H) == pytest.approx(1 / 13)
        assert rate_bound(H) == pytest.approx(0.08)
        assert convergence_factor(H, best_rate(H)) == pytest.approx(12 / 13)

    @settings(max_examples=40, deadline=None)
    @given(seeds, st.floats(0.01, 1.0))
    def test_no_rate_beats_the_best_one(self, seed, eta):
        H = random_bowl(seed)[0]
        kappa = 6.0 / 0.2
        best = convergence_factor(H, best_rate(H))
        assert best == pytest.approx((kappa - 1) / (kappa + 1), rel=1e-9)
        assert convergence_factor(H, eta) >= best - 1e-12
        assert convergence_factor(H, eta) == pytest.approx(np.linalg.norm(np.eye(4) - eta * H, 2), rel=1e-9)

    @settings(max_examples=20, deadline=None)
    @given(seeds)
    def test_the_slope_gets_as_small_as_promised(self, seed):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((15, 3)), (rng.random(15) < 0.5).astype(float)
        f, cap = logistic_landscape(X, y), np.linalg.norm(X, 2) ** 2 / 60
        walk = descend(f, rng.standard_normal(3), 1 / cap, steps=40, tolerance=0.0)
        assert (walk.slopes[:-1] ** 2).min() <= 2 * cap / 40 * (walk.values[0] - walk.values[-1]) * (1 + 1e-9)
        falls = -np.diff(walk.values)
        assert (falls >= walk.slopes[:-1] ** 2 / (2 * cap) - 1e-12).all()

    def test_the_convex_deadline(self):
        f = tumours()
        least = descend(f, np.zeros(31), 1.0, newton, tolerance=1e-11)
        eta = 1 / np.linalg.eigvalsh(f.hessian(np.zeros(31)))[-1]
        walk = descend(f, np.zeros(31), eta, steps=100, tolerance=0.0)
        t = np.arange(1, 101)
        assert (walk.values[1:] - least.values[-1] <= least.theta @ least.theta / (2 * eta * t)).all()


class TestWalk:
    def test_it_stops_where_the_ground_is_flat(self):
        walk = descend(bowl(3.0), [1.0, 1.0], 0.3, tolerance=1e-4)
        assert walk.converged
        assert walk.slopes[-1] <= 1e-4 < walk.slopes[-2]
        unfinished = descend(bowl(3.0), [1.0, 1.0], 0.3, steps=walk.steps - 1, tolerance=1e-4)
        assert 1e-4 < unfinished.slopes[-1] < 2e-4 and not unfinished.converged
        assert descend(bowl(3.0), [0.0, 0.0]).steps == 0
        assert descend(bowl(3.0), [0.0, 0.0]).converged

    def test_the_diary_is_true(self):
        f = rosenbrock()
        walk = descend(f, [-1.2, 1.0], backtracking, downhill_newton, tolerance=1e-8)
        np.testing.assert_array_equal(walk.path[-1], walk.theta)
        assert len(walk.path) == len(walk.values) == len(walk.slopes) == len(walk.rates) + 1 == walk.steps + 1
        for theta, value, slope in zip(walk.path, walk.values, walk.slopes, strict=True):
            assert value == f.value(theta)
            assert slope == np.linalg.norm(f.gradient(theta))
        for (before, after), eta in zip(pairwise(walk.path), walk.rates, strict=True):
            p = downhill_newton(f, before, f.gradient(before))
            np.testing.assert_allclose(after, before + eta * p, rtol=1e-14)

    def test_the_price_is_counted(self):
        asked = {"value": 0, "gradient": 0, "hessian": 0}
        f = rosenbrock()

        def spy(what):
            def answer(theta):
                asked[what] += 1
                return getattr(f, what)(theta)

            return answer

        watched = type(f)(spy("value"), spy("gradient"), spy("hessian"), 2)
        for rate, way in METHODS.values():
            asked.update(value=0, gradient=0, hessian=0)
            walk = descend(watched, [-1.2, 1.0], rate, way, steps=15)
            assert tuple(walk.calls) == tuple(asked.values())
        assert asked["hessian"] == 15

    def test_arguments_are_left_alone(self):
        start = np.array([-1.2, 1.0])
        walk = descend(rosenbrock(), start, 1e-3, steps=3)
        np.testing.assert_array_equal(start, [-1.2, 1.0])
        walk.theta[:] = 7.0
        assert walk.path[-1, 0] != 7.0

    @pytest.mark.parametrize("method", METHODS)
    def test_every_method_finds_the_banana_and_goes_down(self, method):
        rate, way = METHODS[method]
        walk = descend(rosenbrock(5.0), [-1.2, 1.0], rate, way, steps=2000, tolerance=1e-3)
        assert walk.converged
        np.testing.assert_allclose(walk.theta, [1, 1], atol=1e-2)
        assert (np.diff(walk.values) <= 0).all()


class TestLineSearch:
    @settings(max_examples=40, deadline=None)
    @given(seeds, st.floats(0.01, 0.9), st.floats(0.1, 50.0))
    def test_backtracking_keeps_its_promise_and_its_bound(self, seed, share, first):
        H, b, _, theta = random_bowl(seed)
        f = quadratic(H, b)
        g = f.gradient(theta)
        eta = backtracking(f, theta, g, -g, first=first, share=share)
        assert np.log2(first / eta) == pytest.approx(round(np.log2(first / eta)), abs=1e-9)
        assert f.value(theta - eta * g) <= f.value(theta) - share * eta * g @ g + 1e-12
        assert eta >= min(first, (1 - share) / 6.0) * (1 - 1e-9)  # never below half of what must pass
        if eta < first:  # the rate before was rightly refused
            assert f.value(theta - 2 * eta * g) > f.value(theta) - share * 2 * eta * g @ g - 1e-12

    @settings(max_examples=40, deadline=None)
    @given(seeds, st.floats(0.5, 200.0))
    def test_how_many_halvings(self, seed, first):
        H, b, _, theta = random_bowl(seed)
        f = quadratic(H, b)
        g = f.gradient(theta)
        eta = backtracking(f, theta, g, -g, first=first, share=0.5)
        assert round(np.log2(first / eta)) <= max(0, np.ceil(np.log2(first * 6.0) + 1e-9))

    def test_backtracking_leaves_a_forbidden_region(self):
        f = quadratic(np.array([[1e8]]))
        g = f.gradient([1.0])
        assert f.value([1.0] - backtracking(f, np.array([1.0]), g, -g, first=1e305) * g) < f.value([1.0])

    def test_backtracking_ends_at_a_minimum(self):
        # So close to the minimum that no value shows the fall any more.
        f = logistic_landscape(np.array([[1.0], [-1.0], [2.0]]), np.array([1.0, 0.0, 0.0]), ridge=0.1)
        walk = descend(f, [0.0], backtracking, downhill_newton, steps=40, tolerance=0.0)
        assert walk.slopes[-1] < 1e-15

    def test_a_rise_of_one_rounding_is_none(self):
        rough = Landscape(lambda t: 1.0 if t[0] == 0.3 else 1.0 + 2.0**-52, lambda t: t, lambda t: t, 1)
        assert backtracking(rough, np.array([0.3]), np.array([1e-9]), np.array([-1e-9])) == 1.0


class TestSaddles:
    @pytest.mark.parametrize(("delta", "steps"), [(1e-2, 43), (1e-4, 91), (1e-8, 188), (1e-16, 381)])
    def test_each_digit_closer_costs_the_same(self, delta, steps):
        walk = descend(double_well(), [delta, 1.0], 0.1, steps=500, tolerance=0.0)
        assert int(np.argmax(walk.path[:, 0] > 0.5)) == steps

    def test_on_the_watershed_it_ends_on_the_pass(self):
        walk = descend(double_well(), [0.0, 1.0], 0.1)
        assert walk.converged
        assert np.linalg.eigvalsh(double_well().hessian(walk.theta))[0] == pytest.approx(-1)

    @settings(max_examples=15, deadline=None)
    @given(st.floats(0.01, 1.8), st.floats(-1.5, 1.5))
    def test_the_watershed_of_gradient_descent(self, x, y):
        for side in (-1, 1):
            walk = descend(double_well(), [side * x, y], 0.1, steps=500, tolerance=1e-4)
            assert walk.theta[0] == pytest.approx(side, abs=1e-3)

    def test_without_a_floor(self):
        walk = descend(saddle(), [1.0, 0.01], 0.1, steps=200)
        assert not walk.converged and walk.values[-1] < -1e6


f, theta = rosenbrock(), np.array([-1.2, 1.0])
g = f.gradient(theta)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: descend(f, [1.0]),
            r"^descend: start must have shape \(2,\), one per coordinate of f; got \(1,\)",
        ),
        (lambda: descend(f, [1.0, np.inf]), r"^descend: start must be finite"),
        (lambda: descend(f, theta, 0.0), r"^descend: learning_rate must be above 0; got 0"),
        (lambda: descend(f, theta, "fast"), r"^descend: learning_rate must be a function; got 'fast'"),
        (lambda: descend(f, theta, 0.1, steps=-1), r"^descend: steps must be at least 0; got -1"),
        (lambda: descend(f, theta, 0.1, steps=2.5), r"^descend: steps must be a whole number"),
        (lambda: descend(f, theta, 0.1, tolerance=-1), r"^descend: tolerance must be at least 0"),
        (
            lambda: backtracking(f, theta, g, g),
            r"^backtracking: p must point downhill, with ∇fᵀp below 0; got",
        ),
        (lambda: backtracking(f, theta, g, -g, first=0), r"^backtracking: first must be above 0"),
        (lambda: backtracking(f, theta, g, -g, share=1), r"^backtracking: share must be above 0 and below 1"),
        (lambda: rate_bound(np.ones((2, 3))), r"^rate_bound: H must be square"),
        (
            lambda: best_rate(np.diag([1.0, -1.0])),
            r"^best_rate: H must be positive definite; got an eigenvalue of -1",
        ),
        (lambda: convergence_factor(np.eye(2), -1), r"^convergence_factor: learning_rate must be above 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
