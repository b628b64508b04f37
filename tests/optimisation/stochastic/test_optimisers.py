"""Optimisers against torch.optim step for step, closed forms, and numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.optimisation.stochastic.optimisers import SGD, Optimiser, walk

H = np.diag([1.0, 25.0])


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_step_for_step_as_torch(weight_decay):
    """A hundred steps on a noisy quartic with a rate of its own for each, in float64."""
    rng = np.random.default_rng(0)
    theta, noise, rates = rng.normal(size=(3, 4)), rng.normal(size=(100, 3, 4)), rng.uniform(0.001, 0.02, 100)
    point = torch.tensor(theta, requires_grad=True)
    mine = SGD(1.0, weight_decay=weight_decay)
    other = torch.optim.SGD([point], lr=1.0, weight_decay=weight_decay)
    for shake, eta in zip(noise, rates, strict=True):
        theta = mine.step(theta, theta**3 - 2 * theta + shake, eta)
        point.grad = (point**3 - 2 * point + torch.tensor(shake)).detach()
        other.param_groups[0]["lr"] = eta
        other.step()
        np.testing.assert_allclose(theta, point.detach().numpy(), rtol=1e-12, atol=1e-12)


def test_arguments_are_not_changed():
    theta, g = np.ones(3), np.arange(3.0)
    SGD(0.1).step(theta, g)
    np.testing.assert_array_equal(theta, 1)
    np.testing.assert_array_equal(g, np.arange(3.0))


def test_goes_down_a_bowl():
    path = walk(lambda t: H @ t, np.array([1.0, -1.0]), SGD(0.07), 200)
    np.testing.assert_allclose(path[-1], [0.93**200, -((1 - 25 * 0.07) ** 200)], rtol=1e-9)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"^SGD: learning_rate must be at least 0; got -1"):
        SGD(-1.0)
    with pytest.raises(ValueError, match=r"^SGD: weight_decay must be a number at least 0; got 'x'"):
        SGD(0.1, weight_decay="x")
    with pytest.raises(TypeError):
        SGD(0.1, 0.9)  # torch has momentum there
    with pytest.raises(
        ValueError, match=r"^step: gradient must have shape \(3,\), the shape of theta; got \(1,\)"
    ):
        SGD(0.1).step(np.ones(3), np.ones(1))
    with pytest.raises(ValueError, match=r"^step: gradient must be finite; got nan"):
        SGD(0.1).step(np.ones(3), [0, np.nan, 0])
    with pytest.raises(ValueError, match=r"^step: learning_rate must be at least 0"):
        SGD(0.1).step(np.ones(3), np.ones(3), -0.1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: walk(lambda t: t, [[1.0]], SGD(0.1), 3), "walk: theta must have one axis"),
        (lambda: walk(lambda t: t, [1.0], SGD(0.1), 0), "walk: steps must be at least 1"),
        (lambda: walk(lambda t: t, [1.0], "SGD", 3), "walk: optimiser must be an Optimiser"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_base_class_does_not_move():
    with pytest.raises(NotImplementedError):
        Optimiser(0.1, 0.0, 0).step([1.0], [1.0])


def test_walk_ends_where_numbers_do():
    path = walk(lambda t: 2 * t, np.ones(1), SGD(1.1), 20)
    assert abs(path[-1, 0]) == pytest.approx(38.3376, abs=5e-5)
    with np.errstate(all="ignore"):
        path = walk(lambda t: t**3, np.array([10.0]), SGD(1.0), 50)
    assert len(path) < 51
    assert np.isfinite(path).all()


def test_walk_hands_the_schedule_its_step():
    seen = []
    walk(lambda t: t, np.ones(1), SGD(9.0), 4, schedule=lambda t: seen.append(t) or 0.1)
    assert seen == [0, 1, 2, 3]
