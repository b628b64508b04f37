"""What the functions of the chapter on shallow networks do with bad input, and never do with good input."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.shallow.network import Network
from tests.bad_input import bad_arrays, read_only, refused

rng = np.random.default_rng(0)
X = rng.standard_normal((12, 2))
x = rng.uniform(0.0, 1.0, 12)
W1, b1, W2, b2 = (rng.standard_normal(shape) for shape in ((2, 3), 3, (3, 1), 1))
net = Network(W1, b1, W2, b2)
one_input = Network(W1[:1], b1, W2, b2)
SIZES = (2, 3, 1)

GOOD = {
    "Network": {"W1": W1, "b1": b1, "W2": W2, "b2": b2},
    "relu": {"a": X},
    "parameter_count": {"widths": SIZES},
    "steps": {"network": net, "X": X},
    "active": {"network": net, "X": X},
    "affine_on": {"network": net, "pattern": np.array([True, False, True])},
    "linear_pieces": {"network": one_input},
    "side_by_side": {"networks": [net, net], "scales": np.array([1.0, 2.0])},
    "interpolate": {"knots": np.arange(12.0), "values": x},
    "lipschitz_error": {"lipschitz": 1.0, "width": 2.0, "segments": 3},
    "curvature_error": {"curvature": 1.0, "width": 2.0, "segments": 3},
    "units_needed": {"tolerance": 0.1, "width": 2.0, "lipschitz": 1.0, "curvature": 1.0},
    "approximate": {
        "f": np.sin,
        "low": 0.0,
        "high": 1.0,
        "tolerance": 0.1,
        "lipschitz": 1.0,
        "curvature": 1.0,
    },
    "fewest_regions": {"tolerance": 0.1, "width": 2.0, "curvature": 1.0},
    "along": {"direction": b1, "network": one_input},
    "most_regions": {"hidden": 3, "inputs": 2},
    "count_cells": {"W1": W1, "b1": b1},
    "cells": {"W1": W1, "b1": b1, "half_width": 2.0},
    "quantile_layer": {"x": x, "hidden": 3},
    "fit_outer": {"W1": W1, "b1": b1, "X": X, "Y": x, "ridge": 0.5},
    "start": {"sizes": SIZES, "rng": rng},
    "flat": {"layers": net.layers},
    "network_from": {"theta": rng.standard_normal(13), "sizes": SIZES},
    "layers_from": {"theta": rng.standard_normal(13), "widths": SIZES},
    "predict_in_blocks": {"network": net, "X": X},
    "objective": {"X": X, "Y": x, "sizes": SIZES, "device": "cpu"},
    "lifted": {"X": X},
    "disc_decision": {"X": X},
    "bernstein": {"f": np.sin, "degree": 4, "x": x},
    "bernstein_error": {"lipschitz": 1.0, "degree": 4},
    "chebyshev_points": {"degree": 4},
    "polynomial_through": {"nodes": np.arange(5.0), "values": x[:5], "x": x},
    "monomials": {"inputs": 2, "degree": 4},
}
MODULES = [
    importlib.import_module(f"chapters_src.networks.{name}")
    for name in (
        "shallow.network",
        "shallow.parameters",
        "shallow.fast",
        "approximation.hinges",
        "shallow.arrangement",
        "shallow.fitting",
        "approximation.lifting",
    )
]
RESULTS = {"Pieces", "Steps", "Approximation", "Cell", "Layer"}  # what functions return
READERS = {"Layers", "fits_layers", "fitting_layers", "layer_widths", "one_input"}  # read arguments of others
TENSORS = {"squared_error"}  # takes tensors; its refusals are in test_fitting
FUNCTIONS = {name: getattr(module, name) for module in MODULES for name in module.__all__}
NEGATIVE_WILL_DO = {("approximate", "low")}
CALLED = {("approximate", "f"), ("bernstein", "f")}
FREE = {("objective", "device")}
ANY_SHAPE = {("relu", "a")}


def test_no_public_function_is_forgotten():
    assert set(GOOD) == set(FUNCTIONS) - RESULTS - TENSORS - READERS
    for name, good in GOOD.items():
        assert list(inspect.signature(FUNCTIONS[name]).parameters) == list(good), name


NUMBERS = [-1, -0.5, np.nan, np.inf, None, "1", True, 1j, [1.0], np.ones(2), object()]
THINGS = [None, "net", 3, object(), np.ones((2, 2)), []]


@st.composite
def bad_calls(draw):
    name = draw(st.sampled_from(sorted(GOOD)))
    good = {key: value for key, value in GOOD[name].items() if (name, key) not in FREE | CALLED}
    argument = draw(st.sampled_from(sorted(good)))
    value = good[argument]
    if isinstance(value, np.ndarray):
        fixed = argument not in {next(iter(good)), "X", "x"}
        return name, argument, draw(bad_arrays(value.astype(float), (name, argument) in ANY_SHAPE, fixed))
    if isinstance(value, (int, float)):
        wrong = NUMBERS if (name, argument) not in NEGATIVE_WILL_DO else NUMBERS[2:]
        if argument in {"lipschitz", "curvature"} and name in {"approximate", "units_needed"}:
            wrong = [one for one in wrong if one is not None]  # not given is a fair answer there
        if argument in {"segments", "hidden", "inputs", "outputs", "degree"}:
            wrong = [*wrong, 2.0, 0.5]
        return name, argument, draw(st.sampled_from(wrong))
    wrong = [*THINGS, (1,), (1, 2, 0), (1.0, 2, 3), "abc"] if argument in ("sizes", "widths") else THINGS
    return name, argument, draw(st.sampled_from(wrong))


@settings(max_examples=500)
@given(bad_calls())
def test_bad_input_is_named_in_one_sentence(call):
    name, argument, value = call
    refused(name, FUNCTIONS[name], GOOD[name], argument, value)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_arguments_are_never_changed(name):
    FUNCTIONS[name](**read_only(GOOD[name]))


def test_docstrings_carry_labels_that_the_chapter_has():
    chapter = (Path(__file__).parents[3] / "book/networks/shallow.ipynb").read_text(encoding="utf-8")
    known = set(re.findall(r"eq-shallow-[a-z-]+", chapter))
    for name, function in FUNCTIONS.items():
        labels = re.findall(r"\{eq\}`(eq-[a-z-]+)`", function.__doc__ or "")
        assert set(labels) <= known, name


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("interpolate", {"knots": [0.0, 0.0], "values": [1.0, 2.0]}, "knots must be two or more in rising"),
        ("interpolate", {"knots": [0.0, 5e-324], "values": [0.0, 1.0]}, "values must have finite slopes"),
        ("affine_on", {"pattern": [0.0, 0.5, 1.0]}, "pattern must be true or false throughout"),
        ("linear_pieces", {"network": net}, "network must have one input; got 2 inputs"),
        (
            "linear_pieces",
            {"network": Network([[1e-300]], [1e300], [[1.0]], [0.0])},
            "network must have joints that a float can hold",
        ),
        ("along", {"network": net}, "network must have one input; got 2 inputs"),
        ("side_by_side", {"networks": [net, one_input]}, "networks must agree in their inputs and outputs"),
        ("units_needed", {"tolerance": 1e-30}, "tolerance must be met with fewer than ten million units"),
        ("fewest_regions", {"tolerance": 1e-300}, "tolerance must be larger for a count"),
        ("cells", {"W1": np.ones((3, 3))}, "W1 must have shape (2, D_h); got (3, 3)"),
        ("units_needed", {"lipschitz": None, "curvature": None}, "lipschitz must be given unless curvature"),
        ("approximate", {"high": 0.0}, "high must be above 0; got 0"),
    ],
)
def test_refusals_in_words(name, arguments, message):
    with pytest.raises(ValueError, match="^" + re.escape(f"{name}: {message}")):
        FUNCTIONS[name](**{**GOOD[name], **arguments})
