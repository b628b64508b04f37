"""Deep networks: batches against torch, composition, counts against torch, and bad input."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.activations.functions import ACTIVATIONS
from chapters_src.networks.deep import network as deep
from chapters_src.networks.deep.network import (
    compose,
    deep_parameters,
    forward,
    forward_cost,
    hidden,
    random_network,
    region_limit,
    width_within,
)
from chapters_src.networks.shallow import Layer, parameter_count

torch.set_num_threads(1)
rng = np.random.default_rng(0)
widths = st.lists(st.integers(1, 6), min_size=2, max_size=5)


def in_torch(layers, activation):
    """The same network from torch's own parts, whose weights are transposed."""
    parts = []
    for W, b in layers:
        linear = torch.nn.Linear(*W.shape, dtype=torch.float64)
        with torch.no_grad():
            linear.weight.copy_(torch.tensor(W.T))
            linear.bias.copy_(torch.tensor(b))
        parts += [linear, activation]
    return torch.nn.Sequential(*parts[:-1])


# --- forward


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("relu", torch.nn.ReLU()),
        ("tanh", torch.nn.Tanh()),
        ("gelu", torch.nn.GELU()),
        ("silu", torch.nn.SiLU()),
    ],
)
@given(d=widths, n=st.integers(1, 5), seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_a_batch_through_any_network_is_what_torch_says(name, theirs, d, n, seed):
    draw = np.random.default_rng(seed)
    layers, X = random_network(d, draw, bias=0.5), draw.standard_normal((n, d[0]))
    with torch.no_grad():
        expected = in_torch(layers, theirs)(torch.tensor(X)).numpy()
    np.testing.assert_allclose(forward(layers, X, ACTIVATIONS[name].value), expected, rtol=1e-12, atol=1e-13)


def test_rows_do_not_know_of_one_another():
    layers, X = random_network([3, 4, 5, 2], rng, bias=1.0), rng.standard_normal((6, 3))
    one_by_one = np.concatenate([forward(layers, row[None]) for row in X])
    np.testing.assert_allclose(forward(layers, X), one_by_one, rtol=1e-13)
    states = hidden(layers, X)
    assert [H.shape for H in states] == [(6, 4), (6, 5)] and min(H.min() for H in states) >= 0
    np.testing.assert_allclose(states[-1] @ layers[-1].W + layers[-1].b, forward(layers, X))


def test_the_worked_network_of_two_inputs_one_unit_and_two_outputs():
    layers = [Layer(np.array([[0.5], [-0.5]]), np.array([0.1])), Layer([[0.7, 0.3]], [0.2, -0.2])]
    np.testing.assert_allclose(hidden(layers, [[5.0, 2.0]])[0], [[1.6]], rtol=1e-15)
    np.testing.assert_allclose(forward(layers, [[5.0, 2.0]]), [[1.32, 0.28]], rtol=1e-14)


def test_a_hidden_unit_may_be_moved():
    """Permuting units, or scaling one up before a hinge and down after it, changes nothing."""
    layers, X = random_network([2, 5, 1], rng, bias=1.0), rng.standard_normal((7, 2))
    (W, b), (V, c) = layers
    order, by = rng.permutation(5), rng.uniform(0.1, 9, 5)
    other = [Layer((W * by)[:, order], (b * by)[order]), Layer((V / by[:, None])[order], c)]
    np.testing.assert_allclose(forward(other, X), forward(layers, X), rtol=1e-12)


# --- composition


@given(a=widths, b=widths, middle=st.integers(1, 4), seed=st.integers(0, 10**6))
@settings(max_examples=40)
def test_composed_networks_do_one_thing_after_the_other(a, b, middle, seed):
    draw = np.random.default_rng(seed)
    first, second = random_network([*a, middle], draw, bias=1.0), random_network([middle, *b], draw, bias=1.0)
    X = draw.standard_normal((4, a[0]))
    both = compose(first, second)
    assert len(both) == len(first) + len(second) - 1
    np.testing.assert_allclose(forward(both, X), forward(second, forward(first, X)), rtol=1e-10, atol=1e-11)


def test_the_middle_layer_of_two_shallow_networks_has_rank_one():
    both = compose(random_network([1, 3, 1], rng, bias=1.0), random_network([1, 3, 1], rng, bias=1.0))
    assert both[1].W.shape == (3, 3) and np.linalg.matrix_rank(both[1].W) == 1


# --- counts


@given(widths)
def test_parameters_and_cost_are_those_of_torch(d):
    model = in_torch(random_network(d, np.random.default_rng(0)), torch.nn.ReLU())
    assert parameter_count(d) == sum(p.numel() for p in model.parameters())
    assert forward_cost(d) == sum(p.numel() for p in model.parameters() if p.ndim == 2)


def test_a_layer_of_ten_inputs_and_four_units_has_44_parameters():
    assert parameter_count([10, 4]) == 44 == sum(p.numel() for p in torch.nn.Linear(10, 4).parameters())


@given(D=st.integers(1, 12), K=st.integers(1, 6))
def test_the_formula_for_one_input_and_one_output(D, K):
    assert deep_parameters(D, K) == parameter_count([1, *[D] * K, 1])
    assert deep_parameters(D, 1) == 3 * D + 1 and region_limit(D, K) == (D + 1) ** K


@pytest.mark.parametrize(
    ("D", "K", "parameters", "regions"),
    [(3, 1, 10, 4), (3, 2, 22, 16), (5, 2, 46, 36), (10, 3, 251, 1331), (10, 5, 471, 161_051)],
)
def test_worked_counts(D, K, parameters, regions):
    assert (deep_parameters(D, K), region_limit(D, K)) == (parameters, regions)


@given(extra=st.integers(0, 3000), m=st.integers(1, 9), n=st.integers(1, 9), K=st.integers(1, 5))
def test_the_width_within_a_budget_is_the_largest(extra, m, n, K):
    budget = parameter_count([m, *[1] * K, n]) + extra
    D = width_within(budget, m, n, K)
    assert parameter_count([m, *[D] * K, n]) <= budget < parameter_count([m, *[D + 1] * K, n])


# --- drawn at random


def test_random_networks_have_the_spread_that_was_asked_for():
    (W, b), _ = random_network([400, 300, 1], rng, scale=1.5, bias=0.2)
    np.testing.assert_allclose([W.std() * 20, b.std()], [1.5, 0.2], rtol=0.15)


# --- input

GOOD = {
    "hidden": {
        "layers": [(np.ones((2, 3)), np.ones(3)), (np.ones((3, 1)), np.ones(1))],
        "X": np.ones((4, 2)),
    },
    "forward": {
        "layers": [(np.ones((2, 3)), np.ones(3)), (np.ones((3, 1)), np.ones(1))],
        "X": np.ones((4, 2)),
        "activation": np.tanh,
    },
    "compose": {"first": [(np.ones((1, 2)), np.ones(2))], "second": [(np.ones((2, 3)), np.ones(3))]},
    "forward_cost": {"widths": [2, 3, 1]},
    "deep_parameters": {"width": 3, "depth": 2},
    "region_limit": {"width": 3, "depth": 2},
    "width_within": {"budget": 100, "inputs": 2, "outputs": 3, "depth": 2},
    "random_network": {"widths": [2, 3, 1], "rng": rng, "scale": 1.0, "bias": 0.5},
}
BAD_LAYERS = [
    [],
    None,
    "layers",
    np.ones((2, 3)),
    [np.ones((2, 3))],
    [(np.ones((2, 3)),)],
    [(np.ones((2, 3)), np.ones(2))],
    [(np.ones(3), np.ones(3))],
    [(np.ones((2, 3)), np.ones(3)), (np.ones((2, 1)), np.ones(1))],
    [(np.full((2, 3), np.nan), np.ones(3))],
    [(np.ones((2, 0)), np.ones(0))],
]
BAD = {
    "layers": BAD_LAYERS,
    "first": BAD_LAYERS,
    "second": [*BAD_LAYERS, [(np.ones((3, 1)), np.ones(1))]],
    "X": [np.ones((4, 3)), np.ones(2), [], [[np.nan, 1.0]], "X", None],
    "activation": ["relu", 3, None, [np.tanh]],
    "widths": [[], [3], None, 5, [2, 0, 1], [2, 1.5, 1], [2, "3"], [True, 2]],
    "rng": [0, None, np.random],
}
BAD_NUMBERS = [-1, np.nan, np.inf, None, "1", True, 1j, [1.0], object()]


def test_no_public_function_is_forgotten():
    assert set(GOOD) == set(deep.__all__)


@st.composite
def bad_calls(draw):
    name = draw(st.sampled_from(sorted(GOOD)))
    argument = draw(st.sampled_from(sorted(GOOD[name])))
    numbers = BAD_NUMBERS if argument in ("scale", "bias") else [*BAD_NUMBERS, 0, 2.0]
    return name, argument, draw(st.sampled_from(BAD.get(argument, numbers)))


@settings(max_examples=300)
@given(bad_calls())
def test_bad_input_is_named_in_one_sentence(call):
    name, argument, value = call
    places = f"{argument}.*" if argument in ("layers", "first", "second") else argument
    with pytest.raises(ValueError, match=rf"^{name}: ({places}|second) must .+; got ") as caught:
        getattr(deep, name)(**{**GOOD[name], argument: value})
    assert "\n" not in str(caught.value)


def test_good_calls_are_good():
    for name, arguments in GOOD.items():
        getattr(deep, name)(**arguments)


def test_messages_say_where():
    wrong = [(np.ones((2, 3)), np.ones(3)), (np.ones((2, 1)), np.ones(1))]
    text = "forward: layers[1].W must have shape (3, units), one row per unit of layer 0; got (2, 1)"
    with pytest.raises(ValueError, match=re.escape(text)):
        forward(wrong, np.ones((4, 2)))
    with pytest.raises(
        ValueError, match=re.escape("forward: X must have shape (n, 2), one column per row of the")
    ):
        forward(wrong[:1], np.ones((4, 3)))
    with pytest.raises(ValueError, match=r"width_within: budget must be at least 8; got 7"):
        width_within(7, 3, 2, 1)
