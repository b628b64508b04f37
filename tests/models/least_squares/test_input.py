"""What every function of the least-squares chapter does with bad input, and never does with good input."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bad_input import bad_arrays, bad_numbers, read_only, refused

X = np.random.default_rng(0).standard_normal((30, 2))
y = X @ [1.0, -2.0] + np.random.default_rng(1).standard_normal(30)
theta = np.array([0.5, 0.25])
lams = np.array([0.5, 2.0])

GOOD = {
    "with_bias": {"X": X},
    "polynomial_features": {"x": y, "degree": 3},
    "sum_squared_error": {"X": X, "y": y, "theta": theta},
    "mean_squared_error": {"X": X, "y": y, "theta": theta},
    "mean_squared_error_hessian": {"X": X},
    "least_squares": {"X": X, "y": y, "ridge": 0.5},
    "normal_equations": {"X": X, "y": y, "ridge": 0.5},
    "step_size_bound": {"X": X},
    "fit_gradient_descent": {
        "X": X,
        "y": y,
        "learning_rate": 0.1,
        "steps": 5,
        "tolerance": 1e-9,
        "theta": theta,
    },
    "r_squared": {"y": y, "y_hat": X @ theta},
    "noise_variance": {"X": X, "y": y, "theta": theta},
    "reduced_rows": {"X": X, "y": y},
    "least_squares_by_blocks": {"X": X, "y": y, "ridge": 0.5},
    "soft_threshold": {"a": y, "threshold": 0.5},
    "lasso": {"X": X, "y": y, "lam": 2.0, "tolerance": 1e-9, "sweeps": 500, "theta": theta},
    "lasso_path": {"X": X, "y": y, "lams": lams, "tolerance": 1e-9},
    "ridge_path": {"X": X, "y": y, "lams": lams},
    "fit_huber": {"X": X, "y": y, "delta": 0.5, "steps": 50},
    "fit_absolute": {"X": X, "y": y},
}
MODULES = [
    importlib.import_module(f"chapters_src.models.{name}")
    for name in ("least_squares", "least_squares.fast", "shrinkage.penalties", "shrinkage.robust")
]
FUNCTIONS = {
    name: getattr(module, name)
    for module in MODULES
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}
ANY_SHAPE = {("soft_threshold", "a")}


def test_no_public_function_is_forgotten():
    assert set(GOOD) == set(FUNCTIONS)
    for name, good in GOOD.items():
        assert list(inspect.signature(FUNCTIONS[name]).parameters) == list(good), name


@st.composite
def bad_calls(draw):
    name = draw(st.sampled_from(sorted(GOOD)))
    good = GOOD[name]
    argument = draw(st.sampled_from(sorted(good)))
    if isinstance(good[argument], np.ndarray):
        # The first array sets the sizes that the others have to fit.
        fixed = argument != next(iter(good)) and argument != "lams"
        value = draw(bad_arrays(good[argument], (name, argument) in ANY_SHAPE, fixed))
    else:
        value = draw(bad_numbers)
    return name, argument, value


@settings(max_examples=600)
@given(bad_calls())
def test_bad_input_is_named_in_one_sentence(call):
    name, argument, value = call
    refused(name, FUNCTIONS[name], GOOD[name], argument, value)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_arguments_are_never_changed(name):
    kept = {key: np.copy(value) for key, value in GOOD[name].items()}
    given_ = {
        key: np.copy(value) if isinstance(value, np.ndarray) else value for key, value in GOOD[name].items()
    }
    result = FUNCTIONS[name](**given_)
    # Nor may a result be changed through an argument later on: only `reduced_rows` hands its input back.
    for key, value in given_.items():
        np.testing.assert_array_equal(value, kept[key])
        if isinstance(value, np.ndarray) and name != "reduced_rows":
            parts = result if isinstance(result, tuple) else (result,)
            assert not any(np.shares_memory(value, one) for one in parts if isinstance(one, np.ndarray))


@pytest.mark.parametrize("name", sorted(GOOD))
def test_arguments_may_be_read_only(name):
    FUNCTIONS[name](**read_only(GOOD[name]))


@pytest.mark.parametrize("name", sorted(GOOD))
@pytest.mark.parametrize("convert", [np.ndarray.tolist, torch.tensor, np.asfortranarray, "pandas", "float32"])
def test_anything_array_like_will_do(name, convert):
    def change(value):
        if not isinstance(value, np.ndarray):
            return value
        if convert == "pandas":
            return pd.DataFrame(value) if value.ndim == 2 else pd.Series(value)
        return value.astype(np.float32) if convert == "float32" else convert(value)

    expected = FUNCTIONS[name](**GOOD[name])
    result = FUNCTIONS[name](**{key: change(value) for key, value in GOOD[name].items()})
    precision = 1e-3 if convert == "float32" else 1e-9
    for ours, theirs in zip(flat(result), flat(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=precision, atol=precision)
        assert not isinstance(ours, np.ndarray) or ours.dtype == np.float64


def flat(result):
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("name", sorted(GOOD))
def test_docstrings_carry_labels_that_their_chapters_have(name):
    chapters = Path(__file__).parents[3] / "book/models"
    text = "".join(
        (chapters / f"{one}.ipynb").read_text(encoding="utf-8") for one in ("least_squares", "shrinkage")
    )
    labels = re.findall(r"\{eq\}`(eq-[a-z-]+)`", FUNCTIONS[name].__doc__ or "")
    assert all(label in text for label in labels)
    assert labels or name in {"reduced_rows", "soft_threshold", "least_squares_by_blocks"}
