"""The quick versions against the formulas and torch, at float32's precision and at its ends."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import log_ndtr

from chapters_src.networks import activations
from chapters_src.networks.activations import fast

QUICK = {name: getattr(fast, f"quick_{name}") for name in ("relu", "sigmoid", "silu", "gelu")}
GRID = np.linspace(-12, 12, 40_001)


@pytest.mark.parametrize("name", QUICK)
def test_float32_is_within_a_few_roundings_of_torch_in_float64(name):
    exact = getattr(torch.nn.functional, name)(torch.tensor(GRID.astype(np.float32)).double()).numpy()
    found = QUICK[name](GRID.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=2.5e-7, atol=2e-7)


@pytest.mark.parametrize("name", QUICK)
@given(a=hnp.arrays(np.float64, (3, 4), elements=st.floats(-700, 700)))
def test_float64_equals_the_formula(name, a):
    np.testing.assert_allclose(QUICK[name](a), getattr(activations, name)(a), rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_ends(name, dtype):
    far = np.array([-3e38, -200.0, -0.0, 0.0, 200.0, 3e38], dtype=dtype)
    with np.errstate(all="raise", under="ignore"):
        found = QUICK[name](far)
    wanted = [0, 0, 0.5, 0.5, 1, 1] if name == "sigmoid" else [0, 0, 0, 0, 200, 3e38]
    np.testing.assert_allclose(found, np.array(wanted, dtype=dtype), rtol=1e-6, atol=1e-37)
    assert found.dtype == dtype


@pytest.mark.parametrize("name", QUICK)
def test_arguments_stay_as_they_are(name):
    a = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
    kept = a.copy()
    a.flags.writeable = False
    assert not np.shares_memory(QUICK[name](a), a)
    np.testing.assert_array_equal(a, kept)
    assert QUICK[name](np.float32(0.5)).shape == ()


def test_the_polynomial_fits_the_log_odds():
    a = np.linspace(1e-3, 6, 2000)
    log2_odds = (log_ndtr(a) - log_ndtr(-a)) / np.log(2)
    fitted = a * np.polyval(fast.LOG2_ODDS[::-1], a**2)
    worth = a * np.exp(log_ndtr(a) + log_ndtr(-a)) * np.log(2)  # what an error of the odds is in GELU
    assert np.abs((fitted - log2_odds) * worth).max() < 8e-8


def test_the_polynomial_rises_beyond_the_fit():
    far = np.linspace(0, 100, 100_001)
    assert (np.diff(far * np.polyval(fast.LOG2_ODDS[::-1], far**2)) > 0).all()
