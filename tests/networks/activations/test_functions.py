"""Activation functions against torch, differences and complex steps, at extremes, and with bad input."""

from __future__ import annotations

import importlib
import inspect
import re

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import erf

from chapters_src.networks.activations import functions as activations
from chapters_src.networks.activations.functions import ACTIVATIONS, Activation
from chapters_src.studio.oracle import complex_step_gradient, finite_difference_gradient

torch.set_num_threads(1)
F = torch.nn.functional

TORCH = {
    "step": lambda a: torch.heaviside(a, torch.ones((), dtype=a.dtype)),
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "leaky_relu": lambda a: F.leaky_relu(a, 0.01),
    "prelu": lambda a: F.prelu(a, torch.tensor([0.25], dtype=a.dtype)),
    "softplus": F.softplus,
    "elu": F.elu,
    "gelu": F.gelu,
    "silu": F.silu,
}
# The textbook formula of each, which shares nothing with our code and is analytic away from a kink.
LITERAL = {
    "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
    "tanh": lambda a: (np.exp(2 * a) - 1) / (np.exp(2 * a) + 1),
    "relu": lambda a: a if a.real > 0 else 0 * a,
    "leaky_relu": lambda a: a if a.real > 0 else 0.01 * a,
    "prelu": lambda a: a if a.real > 0 else 0.25 * a,
    "softplus": lambda a: np.log(1 + np.exp(a)),
    "elu": lambda a: a if a.real > 0 else np.exp(a) - 1,
    "gelu": lambda a: 0.5 * a * (1 + erf(a / np.sqrt(2))),
    "silu": lambda a: a / (1 + np.exp(-a)),
}
GRID = np.concatenate([np.linspace(-8, 8, 161), [-1e3, -37.0, -20.0, 20.0, 37.0, 1e3]])
NAMES = sorted(ACTIVATIONS)


def test_the_table_holds_ten_named_pairs():
    assert " ".join(ACTIVATIONS) == "step sigmoid tanh relu leaky_relu prelu softplus elu gelu silu"
    for name, activation in ACTIVATIONS.items():
        assert isinstance(activation, Activation) and activation.name == name
        assert activation.value is getattr(activations, name)
        assert activation.derivative is getattr(activations, f"{name}_derivative")


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_torch(name):
    theirs = TORCH[name](torch.tensor(GRID)).numpy()
    np.testing.assert_allclose(ACTIVATIONS[name].value(GRID), theirs, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"step"}))
def test_derivatives_are_those_of_autograd_also_at_the_kinks(name):
    a = torch.tensor(GRID, requires_grad=True)
    (theirs,) = torch.autograd.grad(TORCH[name](a).sum(), a)
    np.testing.assert_allclose(ACTIVATIONS[name].derivative(GRID), theirs.numpy(), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", sorted(LITERAL))
def test_derivatives_are_complex_steps_of_the_formula(name):
    at = np.linspace(-6.05, 6.05, 23)  # 0, where some have a kink, is not among them
    steps = [complex_step_gradient(LITERAL[name], one).item() for one in at]
    np.testing.assert_allclose(ACTIVATIONS[name].derivative(at), steps, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
@given(st.floats(-30, 30))
@settings(max_examples=25)
def test_derivatives_are_differences_of_the_values(name, a):
    a = a if abs(a) > 0.1 else a + 0.3  # away from the kink
    slope = finite_difference_gradient(ACTIVATIONS[name].value, a, step=1e-3)
    np.testing.assert_allclose(ACTIVATIONS[name].derivative(a), slope, rtol=1e-8, atol=1e-10)


def test_the_step_passes_nothing_back():
    assert not activations.step_derivative(GRID).any()
    np.testing.assert_array_equal(activations.step([-1e-300, 0.0, 1e-300]), [0, 1, 1])


@pytest.mark.parametrize("slope", [0.1, 1.0, 7.0, 300.0])
def test_the_slope_of_a_sigmoid(slope):
    a = torch.tensor(GRID, requires_grad=True)
    value = torch.sigmoid(slope * a)
    np.testing.assert_allclose(activations.sigmoid(slope * GRID), value.detach(), rtol=1e-12, atol=1e-15)
    (theirs,) = torch.autograd.grad(value.sum(), a)
    np.testing.assert_allclose(
        slope * activations.sigmoid_derivative(slope * GRID), theirs, rtol=1e-12, atol=slope * 1e-15
    )
    assert activations.sigmoid_derivative(0.0) == 1 / 4


def test_a_steep_sigmoid_is_a_step():
    a = GRID[np.abs(GRID) > 1e-9]
    np.testing.assert_allclose(activations.sigmoid(1e4 * a), activations.step(a), atol=1e-100)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 3.0])
def test_the_level_of_an_elu(alpha):
    a = torch.tensor(GRID, requires_grad=True)
    value = F.elu(a, alpha)
    np.testing.assert_allclose(activations.elu(GRID, alpha), value.detach(), rtol=1e-14, atol=1e-16)
    (theirs,) = torch.autograd.grad(value.sum(), a)
    np.testing.assert_allclose(activations.elu_derivative(GRID, alpha), theirs, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("slope", [0.0, 0.05, 1.0, 2.5])
def test_the_slope_of_a_leaky_hinge(slope):
    theirs = F.leaky_relu(torch.tensor(GRID), slope)
    np.testing.assert_allclose(activations.leaky_relu(GRID, slope), theirs, rtol=1e-15)
    np.testing.assert_array_equal(activations.leaky_relu_derivative([-1.0, 2.0], slope), [slope, 1.0])


def test_prelu_has_a_slope_for_every_unit():
    rng = np.random.default_rng(0)
    values, slopes = rng.standard_normal((5, 3)), np.array([0.25, -0.5, 2.0])
    a = torch.tensor(values, requires_grad=True)
    s = torch.tensor(slopes)
    out = F.prelu(a, s)
    np.testing.assert_allclose(activations.prelu(values, slopes), out.detach(), rtol=1e-15)
    by_a = torch.autograd.grad(out.sum(), a)[0]
    np.testing.assert_allclose(activations.prelu_derivative(values, slopes), by_a, rtol=1e-15)


# --- far out


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_overflows_and_the_type_is_kept(name, dtype):
    far = np.array([-3e38, -1e3, -1e-3, 0.0, 1e-3, 1e3, 3e38], dtype=dtype)
    with np.errstate(all="raise", under="ignore"):
        value, derivative = ACTIVATIONS[name].value(far), ACTIVATIONS[name].derivative(far)
    assert value.dtype == derivative.dtype == dtype
    assert np.isfinite(value).all() and np.isfinite(derivative).all()
    assert ACTIVATIONS[name].value(far[3]).dtype == dtype  # a single number keeps its type too
    assert ACTIVATIONS[name].value([1, 2]).dtype == np.float64


@pytest.mark.parametrize("name", NAMES)
def test_float32_is_as_good_as_float32_can_be(name):
    a = GRID.astype(np.float32)
    for function in ACTIVATIONS[name][1:]:
        np.testing.assert_allclose(function(a), function(a.astype(np.float64)), rtol=1e-6, atol=2e-7)


def test_digits_survive_where_one_minus_something_loses_them():
    np.testing.assert_allclose(activations.sigmoid(-40.0), np.exp(-40.0), rtol=1e-14)
    np.testing.assert_allclose(activations.sigmoid_derivative(40.0), np.exp(-40.0), rtol=1e-14)
    np.testing.assert_allclose(activations.tanh_derivative(25.0), 4 * np.exp(-50.0), rtol=1e-14)
    np.testing.assert_allclose(activations.softplus(-40.0), np.exp(-40.0), rtol=1e-14)
    assert 1 - np.tanh(25.0) ** 2 == 0.0


# --- what the prose says of them


@given(hnp.arrays(np.float64, 7, elements=st.floats(-50, 50)))
def test_identities(a):
    np.testing.assert_allclose(activations.tanh(a), 2 * activations.sigmoid(2 * a) - 1, atol=1e-15)
    np.testing.assert_allclose(activations.sigmoid(a) + activations.sigmoid(-a), 1.0, rtol=1e-15)
    np.testing.assert_allclose(activations.softplus(a) - activations.softplus(-a), a, rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(activations.relu(a) - activations.relu(-a), a)


@pytest.mark.parametrize("name", NAMES)
def test_which_ones_rise(name):
    rises = bool((np.diff(ACTIVATIONS[name].value(GRID[:161])) >= 0).all())
    assert rises == (name not in {"gelu", "silu"})


# --- input

FUNCTIONS = {
    name: getattr(activations, name)
    for name in importlib.import_module("chapters_src.networks.activations.functions").__all__
    if inspect.isfunction(getattr(activations, name)) and name != "per_unit"  # that one reads arguments
}
BAD = [
    np.nan,
    [1.0, np.inf],
    [[1.0], [2.0, 3.0]],
    [],
    np.ones((0, 2), dtype=np.float32),
    np.array([1.0, np.nan], dtype=np.float32),
    "numbers",
    None,
    1j,
    {"a": 1},
    object(),
    torch.ones(2, requires_grad=True),
    np.ma.array([1.0, 2.0], mask=[0, 1]),
]
BAD_NUMBERS = [-1.0, np.nan, np.inf, None, "1", True, 1j, [1.0, 2.0], object()]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@given(bad=st.sampled_from(BAD))
@settings(max_examples=30)
def test_bad_pre_activations_are_named(name, bad):
    with pytest.raises(ValueError, match=rf"^{name}: a must .+; got "):
        FUNCTIONS[name](bad)


@pytest.mark.parametrize(
    ("name", "option"),
    [
        (name, option)
        for name, function in sorted(FUNCTIONS.items())
        for option in list(inspect.signature(function).parameters)[1:]
    ],
)
@given(bad=st.sampled_from(BAD_NUMBERS))
def test_bad_options_are_named(name, option, bad):
    if name.startswith("prelu") and isinstance(bad, float) and bad == -1.0:
        bad = [[0.25]]  # a learned slope may be negative, but has one axis at most
    with pytest.raises(ValueError, match=rf"^{name}: {option} must .+; got "):
        FUNCTIONS[name](np.ones((4, 3)), **{option: bad})


def test_prelu_wants_one_slope_per_unit():
    with pytest.raises(ValueError, match=re.escape("slope must have shape (3,), one per unit; got (2,)")):
        activations.prelu(np.ones((4, 3)), [0.1, 0.2])


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_arguments_are_neither_changed_nor_handed_back(name):
    a = np.linspace(-2, 2, 12).reshape(4, 3)
    kept = a.copy()
    a.flags.writeable = False
    result = FUNCTIONS[name](a)
    np.testing.assert_array_equal(a, kept)
    assert result.shape == a.shape and not np.shares_memory(result, a)
    for same in (a.tolist(), torch.tensor(kept), pd.DataFrame(kept), np.asfortranarray(a)):
        np.testing.assert_array_equal(FUNCTIONS[name](same), result)
