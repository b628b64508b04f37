"""Line searches against closed forms, scipy and what they promise."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.optimisation.descent import Landscape, bowl, descend, quadratic, rosenbrock, saddle
from chapters_src.optimisation.newton import BFGS, exact, golden_section, wolfe

seeds = st.integers(0, 2**32 - 1)
banana, start = rosenbrock(), np.array([-1.2, 1.0])
uphill = banana.gradient(start)


def random_bowl(seed):
    rng = np.random.default_rng(seed)
    V = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    H = V * rng.uniform(0.1, 6.0, 4) @ V.T
    return (H + H.T) / 2, rng.normal(size=4), rng.normal(size=4)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_exact_is_the_formula_on_a_bowl(seed):
    H, b, theta = random_bowl(seed)
    f = quadratic(H, b)
    g = f.gradient(theta)
    for p in (-g, -np.sign(g), -np.linalg.solve(H, g)):
        eta = exact(f, theta, g, p)
        assert eta == pytest.approx(-(g @ p) / (p @ H @ p), rel=1e-6)
        # Perpendicular to the direction, as far as half of the digits go.
        assert abs(f.gradient(theta + eta * p) @ p) <= 1e-5 * abs(g @ p)


def test_exact_against_scipy():
    eta = exact(banana, start, uphill, -uphill)
    theirs = scipy.optimize.minimize_scalar(
        lambda e: banana.value(start - e * uphill), bracket=(0, 1e-3, 2e-3)
    )
    assert banana.value(start - eta * uphill) <= theirs.fun * (1 + 1e-9)


def test_exact_steps_zigzag_at_the_pace_of_the_best_fixed_rate():
    walk = descend(bowl(25.0), [25.0, 1.0], exact, steps=15, tolerance=0.0)
    np.testing.assert_allclose(walk.values[1:] / walk.values[:-1], (24 / 26) ** 2, rtol=1e-5)


@pytest.mark.parametrize(
    ("phi", "low", "high", "least"),
    [
        (lambda x: (x - 2) ** 2, 0, 5, 2.0),
        (lambda x: abs(x + 1), -4, 3, -1.0),
        (lambda x: np.exp(x) - 2 * x, -3, 3, np.log(2)),
        (lambda x: x, 1, 2, 1.0),
        (lambda x: -x, 1, 2, 2.0),
    ],
)
def test_golden_section(phi, low, high, least):
    assert golden_section(phi, low, high) == pytest.approx(least, abs=2e-7)


def test_golden_section_asks_once_a_round():
    asked = []
    golden_section(lambda x: asked.append(x) or (x - 0.3) ** 2, 0.0, 1.0, tolerance=1e-6)
    assert len(asked) <= 2 + np.ceil(np.log(1e-6) / np.log(0.6180339887))
    assert len(asked) == len(set(asked))


@settings(max_examples=40, deadline=None)
@given(seeds, st.floats(1e-4, 0.4), st.floats(0.5, 0.95), st.floats(-3.0, 3.0))
def test_wolfe_keeps_both_promises(seed, share, flatter, scale):
    H, b, theta = random_bowl(seed)
    f = quadratic(H, b)
    g = f.gradient(theta)
    p = -(10.0**scale) * g
    eta = wolfe(f, theta, g, p, share=share, flatter=flatter)
    assert f.value(theta + eta * p) <= f.value(theta) + share * eta * g @ p + 1e-12
    assert (H @ (theta + eta * p) - b) @ p >= flatter * g @ p
    # On a bowl the rates that pass are an interval, known in closed form.
    best = -(g @ p) / (p @ H @ p)
    assert (1 - flatter) * best * (1 - 1e-9) <= eta <= 2 * (1 - share) * best * (1 + 1e-9)


def test_wolfe_agrees_with_scipys_conditions_on_the_banana():
    eta = wolfe(banana, start, uphill, -uphill)
    assert eta == pytest.approx(2.0**-10)

    def along(e):
        return scipy.optimize.rosen(start - e * uphill)

    def slope(e):
        return -scipy.optimize.rosen_der(start - e * uphill) @ uphill

    assert along(eta) <= along(0) + 1e-4 * eta * slope(0)
    assert slope(eta) >= 0.9 * slope(0)
    assert along(2 * eta) > along(0) + 1e-4 * 2 * eta * slope(0)


def test_a_first_step_of_one_is_lengthened():
    f = quadratic(np.array([[1e-3]]))
    g = f.gradient([1.0])
    assert wolfe(f, np.array([1.0]), g, -g) == 128.0  # the first power of 2 beyond a tenth of the way, 100


def test_wolfe_ends_where_values_cannot_tell():
    walk = descend(rosenbrock(), start, wolfe, BFGS(), steps=100, tolerance=0.0)
    assert walk.slopes[-1] < 1e-12


@pytest.mark.parametrize("search", [exact, wolfe])
def test_a_function_without_a_floor_is_refused(search):
    with pytest.raises(ValueError, match=rf"^{search.__name__}: f must stop falling along p"):
        descend(saddle(), [0.1, 1.0], search)


def test_a_step_out_of_range_is_shortened():
    f = Landscape(lambda t: float(t[0] ** 2), lambda t: 2 * t, lambda t: np.array([[2.0]]), 1)
    with np.errstate(over="ignore"):
        eta = wolfe(f, np.array([1.0]), np.array([2.0]), np.array([-1e200]))
    assert -1 < 1 - eta * 1e200 < 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: exact(banana, start, uphill, uphill), r"^exact: p must point downhill"),
        (lambda: wolfe(banana, start, uphill, uphill), r"^wolfe: p must point downhill"),
        (
            lambda: wolfe(banana, start, uphill, -uphill, share=0.5, flatter=0.4),
            r"^wolfe: share must be below flatter = 0.4; got 0.5",
        ),
        (lambda: golden_section(abs, 1.0, 0.0), r"^golden_section: high must be above 1; got 0"),
        (
            lambda: golden_section(abs, 0.0, 1.0, 0.0),
            r"^golden_section: tolerance must be above 0 and below 1",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
