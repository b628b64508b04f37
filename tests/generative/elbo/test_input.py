"""What every function of the ELBO chapter does with bad input, and never does with good input."""

from __future__ import annotations

import importlib
import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.generative.elbo.bounds import linear_gaussian
from chapters_src.generative.elbo.climbing import banana
from chapters_src.generative.mixtures.gaussian_mixture import start_mixture
from chapters_src.generative.variational.mean_field import normal_gamma
from chapters_src.generative.variational.metropolis import random_walk
from tests.bad_input import bad_arrays, read_only, refused

rng = np.random.default_rng(0)
X = rng.standard_normal((20, 2))
model = start_mixture(X, 2, rng)
r = rng.dirichlet(np.ones(2), 20)
S = np.array([[1.0, 0.3], [0.3, 0.5]])
mean = np.array([0.5, -0.5])
gaussian = linear_gaussian(rng.standard_normal((2, 3)), np.zeros(3), 0.5)
prior = normal_gamma(0.0, 1.0, 2.0, 2.0)
bend = banana()
weights = np.array([0.4, 0.6])
spreads = np.stack([S, S])


def parabola(z):
    return -0.5 * z**2


GOOD = {
    "discrete_kl": {"q": weights, "p": weights[::-1].copy()},
    "gaussian_kl": {"mean_q": 0.0, "variance_q": 1.0, "mean_p": 1.0, "variance_p": 2.0},
    "multivariate_gaussian_kl": {"mean_q": mean, "covariance_q": S, "mean_p": mean, "covariance_p": S},
    "gaussian_entropy": {"covariance": S},
    "linear_gaussian": {"W": gaussian.W, "b": gaussian.b, "variance": 0.5},
    "log_evidence": {"model": gaussian, "x": np.ones(3)},
    "gaussian_posterior": {"model": gaussian, "x": np.ones(3)},
    "elbo": {"model": gaussian, "x": np.ones(3), "mean": mean, "covariance": S},
    "gaussian_elbo": {"log_joint": parabola, "mean": 0.0, "variance": 1.0, "points": 8},
    "mixture": {"weights": weights, "means": X[:2], "covariances": spreads},
    "start_mixture": {"X": X, "K": 2, "rng": rng},
    "log_likelihood": {"X": X, "model": model},
    "responsibilities": {"X": X, "model": model},
    "mixture_elbo": {"X": X, "r": r, "model": model},
    "maximised": {"X": X, "r": r, "floor": 1e-6},
    "fit_em": {"X": X, "start": model, "steps": 3, "tolerance": 0.0, "floor": 1e-6},
    "fit_mixture": {"X": X, "K": 2, "rng": rng, "starts": 2, "floor": 1e-6},
    "normal_gamma": {"mean": 0.0, "strength": 1.0, "shape": 2.0, "rate": 2.0},
    "normal_gamma_posterior": {"x": X[:, 0], "prior": prior},
    "normal_gamma_evidence": {"x": X[:, 0], "prior": prior},
    "mean_field_elbo": {
        "x": X[:, 0],
        "prior": prior,
        "mean": 0.0,
        "variance": 1.0,
        "shape": 2.0,
        "rate": 2.0,
    },
    "fit_mean_field": {"x": X[:, 0], "prior": prior, "precision": 1.0, "steps": 5, "tolerance": 1e-9},
    "correlated_mean_field": {"covariance": S},
    "banana": {"x": 1.0, "bend": 0.5, "variance": 0.25, "prior_variance": 4.0},
    "grid_posterior": {"log_joint": bend.log_joint, "low": -np.ones(2), "high": np.ones(2), "points": 9},
    "fit_gaussian": {
        "log_joint": bend.log_joint,
        "gradient": bend.gradient,
        "mean": mean,
        "covariance": S,
        "points": 3,
        "independent": False,
        "steps": 3,
    },
    "random_walk": {"scale": 1.0},
    "metropolis_hastings": {
        "log_density": bend.log_joint,
        "start": X[:3],
        "propose": random_walk(1.0),
        "steps": 3,
        "rng": rng,
    },
    "autocorrelation": {"x": X[:, 0]},
    "effective_sample_size": {"x": X[:, 0]},
}
FUNCTIONS = {
    name: getattr(module, name)
    for module in (
        importlib.import_module(f"chapters_src.generative.{name}")
        for name in (
            "elbo.bounds",
            "mixtures.gaussian_mixture",
            "variational.mean_field",
            "elbo.climbing",
            "variational.metropolis",
        )
    )
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}
# Any real number will do for these, so only what is no number is bad.
ANY_NUMBER = {"mean_q", "mean_p", "mean", "x", "bend"}


def test_no_public_function_is_forgotten():
    assert set(GOOD) == set(FUNCTIONS)
    for name, good in GOOD.items():
        assert list(inspect.signature(FUNCTIONS[name]).parameters) == list(good), name
        FUNCTIONS[name](**good)


BAD_NUMBERS = [np.nan, np.inf, None, "1", True, 1j, [1.0], np.ones(2), object()]


@st.composite
def bad_calls(draw):
    name = draw(st.sampled_from(sorted(GOOD)))
    argument = draw(st.sampled_from([a for a in sorted(GOOD[name]) if a != "independent"]))
    good = GOOD[name][argument]
    if isinstance(good, np.ndarray):
        return name, argument, draw(bad_arrays(good, any_shape=False, fixed_rows=False))
    if isinstance(good, (int, float)):
        wrong = [*BAD_NUMBERS, *([] if argument in ANY_NUMBER else [-1, -0.5])]
    else:  # a model, a prior, a function, a generator
        wrong = [None, 1.0, "model", (1, 2), np.ones(3)]
    return name, argument, wrong[draw(st.integers(0, len(wrong) - 1))]


@settings(max_examples=500, deadline=None)
@given(bad_calls())
def test_bad_input_gets_a_sentence(call):
    name, argument, value = call
    refused(name, FUNCTIONS[name], GOOD[name], argument, value)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_arguments_are_never_changed(name):
    FUNCTIONS[name](**read_only(GOOD[name]))
