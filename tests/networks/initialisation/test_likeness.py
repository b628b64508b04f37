"""How alike two inputs look, against closed forms and wide random layers."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.networks.initialisation import next_correlation, next_size, slope_factor


def test_relu_against_the_arc_cosine_and_scale_does_not_matter():
    for rho in (-1.0, -0.2, 0.5, 0.999, 1.0):
        wanted = (np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))) / np.pi
        assert next_correlation(rho, 0.7, 2.0, "relu") == pytest.approx(wanted, abs=1e-12)
        assert next_correlation(rho, 7.0, 0.3, "relu") == pytest.approx(wanted, abs=1e-12)


def test_slope_at_one_is_the_factor_of_adjoints():
    """At a size that stays, dρ′/dρ at ρ = 1 is χ."""
    q = 1.0
    for _ in range(200):
        q = next_size(q, 2.0, "tanh", 0.1)
    step = 1e-5
    slope = (1 - next_correlation(1 - step, q, 2.0, "tanh", 0.1)) / step
    assert slope == pytest.approx(slope_factor(q, 2.0, "tanh"), rel=1e-3)


@pytest.mark.parametrize("phi", ["tanh", "gelu"])
def test_wide_layers_do_as_predicted(phi):
    from scipy.special import ndtr

    rng, d, rho = np.random.default_rng(0), 4000, 0.4
    first, fresh = rng.normal(size=(2, d))
    pair = np.stack([first, rho * first + np.sqrt(1 - rho**2) * fresh])
    h = np.tanh(pair) if phi == "tanh" else pair * ndtr(pair)
    after = h @ (rng.normal(size=(d, 500)) * np.sqrt(2.0 / d)) + np.sqrt(0.3) * rng.normal(size=500)
    alike = after[0] @ after[1] / np.sqrt((after[0] @ after[0]) * (after[1] @ after[1]))
    assert next_correlation(rho, 1.0, 2.0, phi, 0.3) == pytest.approx(alike, abs=0.08)


def test_equal_inputs_stay_equal_and_a_bias_makes_inputs_more_alike():
    assert next_correlation(1.0, 1.0, 2.0, "gelu") == pytest.approx(1)
    assert next_correlation(0.2, 1.0, 2.0, "tanh", 1.0) > next_correlation(0.2, 1.0, 2.0, "tanh")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: next_correlation(1.1, 1.0, 1.0, "tanh"), "next_correlation: rho must be"),
        (lambda: next_correlation(0.1, 0.0, 1.0, "tanh"), "next_correlation: q must be above 0"),
        (lambda: next_correlation(0.1, 1.0, 0.0, "tanh"), "next_correlation: c must be above 0"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
