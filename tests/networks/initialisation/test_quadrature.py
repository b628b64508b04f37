"""Means over Gaussians against closed forms, adaptive integration and draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from chapters_src.networks.initialisation import gaussian_mean, gaussian_pair_mean

FUNCTIONS = {"tanh": np.tanh, "hinge": lambda a: np.maximum(a, 0), "gate": lambda a: a * special.ndtr(a)}


@pytest.mark.parametrize("power", [0, 2, 4, 6])
def test_moments_of_a_gaussian(power):
    """E a^(2k) = (2k − 1)!! qᵏ."""
    wanted = special.factorial2(power - 1) * 1.7 ** (power / 2) if power else 1.0
    assert gaussian_mean(lambda a: a**power, 1.7) == pytest.approx(wanted, rel=1e-13)
    assert gaussian_mean(lambda a: a ** (power + 1), 1.7) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("q", [0.01, 1.0, 20.0])
def test_mean_against_adaptive_integration(name, q):
    f, normal = FUNCTIONS[name], stats.norm(0, np.sqrt(q))
    reach = 10 * np.sqrt(q)
    wanted = integrate.quad(
        lambda a: f(a) ** 2 * normal.pdf(a), -reach, reach, points=[0], epsabs=1e-13, limit=300
    )[0]
    assert gaussian_mean(lambda a: f(a) ** 2, q) == pytest.approx(wanted, rel=1e-10)


def test_pair_of_hinges_is_the_arc_cosine_kernel():
    """q(√(1 − ρ²) + ρ(π − arccos ρ))/2π, a published closed form."""
    for rho in (-1.0, -0.7, 0.0, 0.4, 0.99, 1.0):
        wanted = 2.3 * (np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))) / (2 * np.pi)
        found = gaussian_pair_mean(FUNCTIONS["hinge"], 2.3, rho)
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-15)


def test_pair_of_error_functions_has_a_closed_form():
    """E erf(a)erf(a′) = (2/π) arcsin(2qρ/(1 + 2q))."""
    for q, rho in ((0.3, 0.5), (1.0, -0.8), (4.0, 0.9)):
        wanted = 2 / np.pi * np.arcsin(2 * q * rho / (1 + 2 * q))
        assert gaussian_pair_mean(special.erf, q, rho) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_pair_against_draws(name):
    f, rho, q = FUNCTIONS[name], 0.6, 1.5
    draws = np.random.default_rng(0).multivariate_normal([0, 0], q * np.array([[1, rho], [rho, 1]]), 400_000)
    products = f(draws[:, 0]) * f(draws[:, 1])
    error = products.std() / np.sqrt(len(products))
    assert abs(gaussian_pair_mean(f, q, rho) - products.mean()) < 4 * error


@settings(max_examples=25, deadline=None)
@given(q=st.floats(0.01, 5), rho=st.floats(-1, 1))
def test_ends_and_order(q, rho):
    """With ρ = 1 the pair is one number, with ρ = 0 two independent ones; more alike is never less."""
    f = FUNCTIONS["gate"]
    alone, squared = gaussian_mean(f, q), gaussian_mean(lambda a: f(a) ** 2, q)
    assert gaussian_pair_mean(f, q, 1.0) == pytest.approx(squared, rel=1e-9)
    assert gaussian_pair_mean(f, q, 0.0) == pytest.approx(alone**2, rel=1e-9)
    assert abs(gaussian_pair_mean(f, q, rho)) <= squared * (1 + 1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gaussian_mean(np.tanh, -1.0), "gaussian_mean: q must be at least 0"),
        (lambda: gaussian_pair_mean(np.tanh, 1.0, 1.2), "gaussian_pair_mean: rho must be"),
        (lambda: gaussian_mean(3.0, 1.0), "gaussian_mean: f must be"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
