"""Both estimators against autograd, quadrature and differences; their variances against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.generative.variational.estimators import (
    leave_one_out_baseline,
    reparameterised_gradient,
    score_function_gradient,
    total_variance,
)
from chapters_src.studio.oracle import finite_difference_gradient

nodes, weights = np.polynomial.hermite_e.hermegauss(90)
weights = weights / weights.sum()


def f(z):
    return np.sin(z) + 0.3 * z**2


def slope(z):
    return np.cos(z) + 0.6 * z


def expected(theta):
    """E[f] at θ = (μ, σ), exactly."""
    return weights @ f(theta[0] + theta[1] * nodes)


@given(st.floats(-2, 2), st.floats(0.3, 1.5), st.floats(-3, 3))
def test_both_have_the_gradient_as_their_mean(mean, std, baseline):
    """At the nodes of a quadrature the weighted mean of an estimator is its expectation."""
    eps = nodes[:, None]
    z = mean + std * nodes
    exact = finite_difference_gradient(expected, np.array([mean, std]))
    by_slope = [weights @ part[:, 0] for part in reparameterised_gradient(slope(z)[:, None], eps)]
    by_value = [
        weights @ part[:, 0] for part in score_function_gradient(f(z), eps, np.array([std]), baseline)
    ]
    np.testing.assert_allclose(by_slope, exact, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(by_value, exact, rtol=1e-6, atol=1e-7)


def test_against_autograd_sample_by_sample():
    rng = np.random.default_rng(0)
    mean, std, eps = rng.standard_normal(3), rng.uniform(0.5, 2, 3), rng.standard_normal((5, 3))
    for s in range(5):
        mu, sigma = (torch.tensor(value, requires_grad=True) for value in (mean, std))
        z = mu + sigma * torch.tensor(eps[s])
        (torch.sin(z).sum() + (z**3).sum()).backward()
        slopes = (np.cos(mean + std * eps) + 3 * (mean + std * eps) ** 2)[s : s + 1]
        ours = reparameterised_gradient(slopes, eps[s : s + 1])
        np.testing.assert_allclose(ours[0][0], mu.grad.numpy(), rtol=1e-12)
        np.testing.assert_allclose(ours[1][0], sigma.grad.numpy(), rtol=1e-12)
        # the score, from torch's own density
        mu, sigma = (torch.tensor(value, requires_grad=True) for value in (mean, std))
        torch.distributions.Normal(mu, sigma).log_prob(torch.tensor(mean + std * eps[s])).sum().backward()
        score = score_function_gradient(np.array([2.5]), eps[s : s + 1], std, baseline=0.5)
        np.testing.assert_allclose(score[0][0], 2 * mu.grad.numpy(), rtol=1e-12)
        np.testing.assert_allclose(score[1][0], 2 * sigma.grad.numpy(), rtol=1e-12)


@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (2.0, 0.5), (-1.0, 2.0)])
def test_variances_for_a_square(mean, std):
    """f = z²: 4σ² by the slope, μ⁴/σ² + 14μ² + 15σ² by the value."""
    z = mean + std * nodes
    by_slope = reparameterised_gradient(2 * z[:, None], nodes[:, None])[0][:, 0]
    by_value = score_function_gradient(z**2, nodes[:, None], np.array([std]))[0][:, 0]
    assert weights @ by_slope**2 - (2 * mean) ** 2 == pytest.approx(4 * std**2, abs=1e-8)
    expected = mean**4 / std**2 + 14 * mean**2 + 15 * std**2
    assert weights @ by_value**2 - (2 * mean) ** 2 == pytest.approx(expected, abs=1e-7)


def test_leave_one_out():
    np.testing.assert_allclose(leave_one_out_baseline([1.0, 2.0, 6.0]), [4.0, 3.5, 1.5])


def test_a_baseline_lowers_the_variance_and_keeps_the_mean():
    rng = np.random.default_rng(1)
    eps = rng.standard_normal((40_000, 1))
    values = 10 + f(0.5 + eps[:, 0])
    plain = score_function_gradient(values, eps, np.ones(1))[0]
    better = score_function_gradient(values, eps, np.ones(1), leave_one_out_baseline(values))[0]
    exact = finite_difference_gradient(expected, np.array([0.5, 1.0]))[0]
    assert better.mean() == pytest.approx(exact, abs=0.03)
    assert plain.mean() == pytest.approx(exact, abs=0.3)
    assert total_variance(better) < total_variance(plain) / 10


@given(st.integers(0, 2**32 - 1))
def test_total_variance(seed):
    g = np.random.default_rng(seed).standard_normal((7, 3))
    assert total_variance(g) == pytest.approx(np.mean(np.sum((g - g.mean(0)) ** 2, axis=1)))


def test_arguments_are_not_changed():
    slopes, eps = np.ones((2, 1)), np.ones((2, 1))
    first, _ = reparameterised_gradient(slopes, eps)
    first[0] = 9
    assert slopes[0] == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: reparameterised_gradient(np.ones((3, 2)), np.ones((2, 2))),
            r"^reparameterised_gradient: eps must have shape \(3, 2\), the shape of slopes; got \(2, 2\)$",
        ),
        (
            lambda: score_function_gradient(np.ones(3), np.ones((3, 2)), np.ones(3)),
            r"^score_function_gradient: std must have shape \(2,\), one per column of eps; got \(3,\)$",
        ),
        (
            lambda: score_function_gradient(np.ones(3), np.ones((3, 1)), np.zeros(1)),
            r"^score_function_gradient: std must be above 0; got 0$",
        ),
        (
            lambda: score_function_gradient(np.ones(3), np.ones((3, 1)), np.ones(1), np.ones(2)),
            r"baseline must have shape \(3,\), one per entry of values; got \(2,\)$",
        ),
        (
            lambda: leave_one_out_baseline([1.0]),
            r"^leave_one_out_baseline: values must be two or more, or there is no other; got 1$",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


bad = st.one_of(st.none(), st.text(max_size=3), st.just([]), st.just([[float("nan")]]), st.just([[1j]]))


@given(bad)
def test_nonsense_is_refused(value):
    eps = np.ones((1, 1))
    for call in (
        lambda: reparameterised_gradient(value, eps),
        lambda: reparameterised_gradient(eps, value),
        lambda: score_function_gradient(value, eps, np.ones(1)),
        lambda: score_function_gradient(np.ones(1), value, np.ones(1)),
        lambda: score_function_gradient(np.ones(1), eps, np.ones(1), value),
        lambda: leave_one_out_baseline(value),
        lambda: total_variance(value),
    ):
        with pytest.raises(ValueError, match=r"^\w+: \w+ must "):
            call()
