"""Sizes through layers against closed forms, series, wide random networks and torch's gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import special

from chapters_src.networks.initialisation import edge_of_chaos, next_size, size_path, slope_factor

torch.set_num_threads(1)


def test_relu_halves():
    assert next_size(1.7, 2.0, "relu") == pytest.approx(1.7, rel=1e-13)
    assert next_size(1.7, 3.0, "relu", 0.25) == pytest.approx(2.8, rel=1e-13)
    assert slope_factor(1.7, 3.0, "relu") == pytest.approx(1.5, rel=1e-13)


def test_leaky_relu_passes_half_of_one_plus_its_slope_squared():
    assert next_size(2.0, 1.0, "leaky_relu") == pytest.approx(1 + 0.01**2, rel=1e-13)


def test_small_tanh_follows_its_series():
    """tanh² a = a² − 2a⁴/3 + 17a⁶/45 − …, so E tanh² a = q − 2q² + 17q³/3 − …"""
    q = 1e-3
    assert next_size(q, 1.0, "tanh") == pytest.approx(q - 2 * q**2 + 17 / 3 * q**3, abs=30 * q**4)


def test_slope_of_gelu_at_its_smallest_is_a_half():
    assert slope_factor(0.0, 4.0, "gelu") == pytest.approx(1.0)
    assert slope_factor(1e8, 2.0, "gelu") == pytest.approx(1.0, rel=1e-3)


def test_worked_number_gelu():
    """E a²Φ(a)² for a ~ N(0, 1) is 1/3 + 1/(2π√3), by parts twice; evenly spread quantiles agree."""
    assert next_size(1.0, 1.0, "gelu") == pytest.approx(1 / 3 + 1 / (2 * np.pi * np.sqrt(3)), rel=1e-13)
    draws = special.ndtri((np.arange(2_000_000) + 0.5) / 2_000_000)
    assert next_size(1.0, 1.0, "gelu") == pytest.approx(np.mean((draws * special.ndtr(draws)) ** 2), rel=1e-5)


@pytest.mark.parametrize(("phi", "c"), [("relu", 1.5), ("tanh", 2.0), ("gelu", 2.4)])
def test_wide_random_networks_do_as_predicted(phi, c):
    """One layer of width 3000 in torch, forwards and back, from pre-activations of size 0.8."""
    g, d = torch.Generator().manual_seed(0), 3000
    a = (0.8**0.5 * torch.randn(4, d, generator=g, dtype=torch.float64)).requires_grad_()
    W = (c / d) ** 0.5 * torch.randn(d, d, generator=g, dtype=torch.float64)
    after = {"relu": torch.relu, "tanh": torch.tanh, "gelu": torch.nn.functional.gelu}[phi](a) @ W
    after.backward(delta := torch.randn(4, d, generator=g, dtype=torch.float64))
    assert float(after.detach().square().mean()) == pytest.approx(next_size(0.8, c, phi), rel=0.05)
    back = float(a.grad.square().mean() / delta.square().mean())
    assert back == pytest.approx(slope_factor(0.8, c, phi), rel=0.05)


def test_path_is_the_map_again_and_again():
    path = size_path(1.0, 1.5, "tanh", 60)
    assert path.shape == (61,)
    assert path[3] == next_size(path[2], 1.5, "tanh")
    assert next_size(path[-1], 1.5, "tanh") == pytest.approx(path[-1], rel=1e-8)
    np.testing.assert_allclose(size_path(1.0, 1.0, "relu", 4), 0.5 ** np.arange(5), rtol=1e-12)


def test_edge_where_others_found_it():
    """Sizes, c and bias variances of critical tanh networks as published, in the digits given there."""
    for q, c, bias_variance in ((0.0259, 1.05, 2.01e-5), (0.8214, 2.0, 0.104)):
        assert edge_of_chaos(q, "tanh") == pytest.approx((c, bias_variance), rel=5e-3)


@pytest.mark.parametrize("q", [0.1, 0.6, 2.0])
def test_edge_keeps_both_sizes(q):
    c, bias_variance = edge_of_chaos(q, "tanh")
    assert next_size(q, c, "tanh", bias_variance) == pytest.approx(q, rel=1e-12)
    assert slope_factor(q, c, "tanh") == pytest.approx(1, rel=1e-12)
    assert edge_of_chaos(q, "relu") == pytest.approx((2, 0), abs=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: edge_of_chaos(1.0, "step"), "edge_of_chaos: phi must have a slope"),
        (lambda: edge_of_chaos(0.0, "tanh"), "edge_of_chaos: q must be above 0"),
        (lambda: next_size(1.0, -1.0, "tanh"), "next_size: c must be at least 0"),
        (lambda: size_path(1.0, 1.0, "sine", 3), "size_path: phi must be one of"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
