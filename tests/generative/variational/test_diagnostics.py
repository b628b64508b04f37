"""What a chain is worth, against closed forms, definitions and chains that are known to disagree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.generative.variational.diagnostics import (
    autocorrelation,
    effective_sample_size,
    split_r_hat,
)

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(5, 60))
def test_autocorrelation_against_its_definition(seed, n):
    x = np.random.default_rng(seed).normal(size=n)
    off = x - x.mean()
    slow = np.array([off[: n - k] @ off[k:] for k in range(n)]) / (off @ off)
    np.testing.assert_allclose(autocorrelation(x), slow, atol=1e-10)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9, -0.3])
def test_effective_sample_size_of_an_autoregression(rho):
    """xₜ = ρxₜ₋₁ + noise has ρₖ = ρᵏ, so that n_eff = n(1 − ρ)/(1 + ρ)."""
    rng, n = np.random.default_rng(4), 60_000
    x = np.empty(n)
    x[0] = rng.standard_normal()
    for t, e in enumerate(rng.standard_normal(n - 1) * np.sqrt(1 - rho**2), start=1):
        x[t] = rho * x[t - 1] + e
    assert effective_sample_size(x) == pytest.approx(n * (1 - rho) / (1 + rho), rel=0.12)


@settings(max_examples=40)
@given(seeds, st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
def test_effective_sample_size_has_no_units(seed, shift, scale):
    x = np.cumsum(np.random.default_rng(seed).normal(size=200))
    assert effective_sample_size(shift + scale * x) == pytest.approx(effective_sample_size(x), rel=1e-4)


@given(st.integers(0, 2**32 - 1), st.integers(4, 60))
def test_effective_sample_size_against_its_definition(seed, n):
    x = np.cumsum(np.random.default_rng(seed).standard_normal(n))
    rho = autocorrelation(x)
    total, last = 0.0, np.inf
    for k in range(0, n - 1, 2):
        pair = rho[k] + rho[k + 1]
        if pair <= 0:
            break
        last = min(pair, last)  # pairs of a reversible chain fall; where they seem to rise it is noise
        total += last
    assert effective_sample_size(x) == pytest.approx(n / max(2 * total - 1, 1 / n), rel=1e-9)


@given(seeds, st.integers(4, 40), st.integers(1, 5))
def test_r_hat_against_its_definition(seed, t, m):
    chains = np.random.default_rng(seed).normal(size=(t, m))
    half = t // 2
    parts = [chains[a : a + half, j] for j in range(m) for a in (0, half)]
    within = np.mean([np.var(part) * half / (half - 1) for part in parts])
    means = np.array([part.mean() for part in parts])
    between = half * ((means - means.mean()) ** 2).sum() / (len(parts) - 1)
    assert split_r_hat(chains) == pytest.approx(
        np.sqrt(((half - 1) / half * within + between / half) / within), rel=1e-9
    )


def test_r_hat_of_chains_that_agree_and_of_chains_that_do_not():
    draws = np.random.default_rng(0).normal(size=(2000, 4))
    assert split_r_hat(draws) == pytest.approx(1, abs=0.005)
    assert split_r_hat(draws + np.array([0.0, 0, 3, 3])) == pytest.approx(
        np.sqrt(1 + 8 / 7 * 1.5**2), rel=0.02
    )
    assert split_r_hat(draws[:, :1] + np.linspace(0, 5, 2000)[:, None]) > 1.4  # one chain that drifts


@given(seeds, st.floats(-1e3, 1e3), st.floats(1e-2, 1e2))
def test_r_hat_has_no_units(seed, shift, scale):
    chains = np.random.default_rng(seed).normal(size=(20, 3))
    assert split_r_hat(shift + scale * chains) == pytest.approx(split_r_hat(chains), rel=1e-6)


def test_complaints_name_the_argument():
    with pytest.raises(ValueError, match="split_r_hat: chains must have at least 4 steps; got 3"):
        split_r_hat(np.ones((3, 2)))
    with pytest.raises(ValueError, match="split_r_hat: chains must vary; got halves that never moved"):
        split_r_hat(np.ones((8, 2)))
    with pytest.raises(ValueError, match="effective_sample_size: x must have at least 4 entries; got 3"):
        effective_sample_size([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="autocorrelation: x must vary; got 2 throughout"):
        autocorrelation([2.0, 2.0])
    with pytest.raises(ValueError, match=r"autocorrelation: x must vary; got 0\.1 throughout"):
        # a chain that never moved, with a mean that is not 0.1 to the last bit
        effective_sample_size(np.full(100, 0.1))
