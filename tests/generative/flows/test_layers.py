"""Layers and flows: against the Jacobian of autograd, their inverse, Gaussians in closed form, integrals."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from chapters_src.core.device import seed
from chapters_src.generative.flows import (
    Autoregressive,
    Coupling,
    Flow,
    Mixing,
    coupling_flow,
    standard_normal_log_density,
)

torch.set_num_threads(1)
DOUBLE = torch.float64


def shaken(layer, n=0, scale=0.5):
    """The same layer away from its start, where most of it does nothing."""
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            if "mask" not in name:
                parameter.add_(scale * torch.randn(parameter.shape, generator=seed(n), dtype=parameter.dtype))
    return layer


def layers(d=4):
    half = [i % 2 == 0 for i in range(d)]
    return {
        "coupling": shaken(Coupling(half, [8], seed(0), dtype=DOUBLE)),
        "autoregressive": shaken(Autoregressive(d, 16, seed(1), dtype=DOUBLE)),
        "mixing": shaken(Mixing(d, seed(2), dtype=DOUBLE), scale=0.2),
        "flow": shaken(coupling_flow(d, 3, [8, 8], seed(3), mixing=True, dtype=DOUBLE), scale=0.2),
    }


@pytest.mark.parametrize("name", layers())
def test_log_determinants_are_those_of_the_jacobian(name):
    layer = layers()[name]
    z = torch.randn(5, 4, generator=seed(7), dtype=DOUBLE)
    x, log_det = layer(z)
    back, log_det_back = layer.inverse(x)
    for k in range(5):
        J = torch.autograd.functional.jacobian(lambda one: layer(one[None])[0][0], z[k])
        assert torch.linalg.slogdet(J)[1].item() == pytest.approx(log_det[k].item(), abs=1e-9)
    np.testing.assert_allclose(log_det_back.detach(), -log_det.detach(), atol=1e-9)
    np.testing.assert_allclose(back.detach(), z, atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 7), st.integers(0, 99))
def test_the_inverse_undoes_the_map(d, n):
    z = torch.randn(20, d, generator=seed(n), dtype=DOUBLE)
    for layer in layers(d).values():
        assert (layer.inverse(layer(z)[0])[0] - z).abs().max() < 1e-6


def test_a_coupling_by_hand():
    """z = (1, 2), s = ½·1 and μ = 1² by a network that is replaced: x₂ = 2e^½ + 1."""
    layer = Coupling([True, False], [2], seed(0), dtype=DOUBLE)
    layer.scale_and_shift = lambda x: (
        torch.tensor([[0.0, 0.5]], dtype=DOUBLE),
        torch.tensor([[0.0, 1.0]], dtype=DOUBLE),
    )
    x, log_det = layer(torch.tensor([[1.0, 2.0]], dtype=DOUBLE))
    assert x[0].tolist() == pytest.approx([1, 2 * math.exp(0.5) + 1]) and log_det.item() == 0.5
    log_p = Flow([layer]).log_density(x).item()
    assert log_p == pytest.approx(-math.log(2 * math.pi) - 2.5 - 0.5)


def test_kept_coordinates_are_kept_and_decide_alone():
    layer = shaken(Coupling([True, False, True], [6], seed(0), dtype=DOUBLE))
    z = torch.randn(4, 3, generator=seed(1), dtype=DOUBLE)
    x, _ = layer(z)
    assert torch.equal(x[:, [0, 2]], z[:, [0, 2]]) and not torch.allclose(x[:, 1], z[:, 1])
    s, mu = layer.scale_and_shift(z)
    other = z.clone()
    other[:, 1] += 5
    for one, two in zip((s, mu), layer.scale_and_shift(other), strict=True):
        assert torch.equal(one, two)


def test_a_fresh_flow_of_couplings_is_the_standard_normal():
    x = torch.randn(6, 3, generator=seed(0), dtype=DOUBLE)
    found = coupling_flow(3, 4, [5], seed(1), dtype=DOUBLE).log_density(x).detach()
    np.testing.assert_allclose(found, multivariate_normal(np.zeros(3)).logpdf(x), rtol=1e-12)
    np.testing.assert_allclose(found, standard_normal_log_density(x), rtol=1e-12)


def test_a_mixing_layer_alone_is_a_gaussian():
    layer = shaken(Mixing(3, seed(4), dtype=DOUBLE), scale=0.3)
    W = layer(torch.eye(3, dtype=DOUBLE))[0].T.detach().numpy()
    x = np.random.default_rng(0).normal(size=(5, 3))
    found = Flow([layer]).log_density(torch.tensor(x)).detach()
    np.testing.assert_allclose(found, multivariate_normal(np.zeros(3), W @ W.T).logpdf(x), rtol=1e-9)


def test_autoregressive_outputs_see_earlier_coordinates_only():
    layer = shaken(Autoregressive(5, 32, seed(0), dtype=DOUBLE))
    x = torch.randn(1, 5, generator=seed(1), dtype=DOUBLE)
    for which in (0, 1):
        J = torch.autograd.functional.jacobian(
            lambda one, k=which: layer.scale_and_shift(one[None])[k][0], x[0]
        )
        assert torch.equal(J.triu(), torch.zeros(5, 5, dtype=DOUBLE))
        assert (J.tril(-1)[torch.tril(torch.ones(5, 5), -1) > 0] != 0).all()


def test_passes_through_the_network_are_counted():
    layer = Autoregressive(6, 12, seed(0), dtype=DOUBLE)
    layer.inverse(torch.zeros(2, 6, dtype=DOUBLE))
    assert layer.calls == 1
    layer(torch.zeros(2, 6, dtype=DOUBLE))
    assert layer.calls == 1 + 7


def test_the_density_integrates_to_one():
    flow = shaken(coupling_flow(2, 3, [6], seed(5), dtype=DOUBLE), scale=0.3)
    side = torch.linspace(-9, 9, 500, dtype=DOUBLE)
    with torch.no_grad():
        total = flow.log_density(torch.cartesian_prod(side, side)).exp().sum() * (18 / 499) ** 2
    assert total.item() == pytest.approx(1, abs=1e-3)


def test_samples_have_the_density():
    """The mean of −log p over samples is the entropy, also found by integration."""
    flow = shaken(coupling_flow(2, 3, [6], seed(5), dtype=DOUBLE), scale=0.3)
    side = torch.linspace(-9, 9, 500, dtype=DOUBLE)
    with torch.no_grad():
        log_p = flow.log_density(torch.cartesian_prod(side, side))
        entropy = -(log_p.exp() * log_p).sum() * (18 / 499) ** 2
        drawn = -flow.log_density(flow.sample(20_000, seed(1)))
    assert drawn.mean().item() == pytest.approx(entropy.item(), abs=4 * drawn.std().item() / 20_000**0.5)


def test_gradients_against_differences():
    flow = shaken(coupling_flow(2, 2, [3], seed(1), mixing=True, dtype=DOUBLE), scale=0.3)
    x = torch.randn(4, 2, generator=seed(2), dtype=DOUBLE)
    flow.log_density(x).sum().backward()
    for parameter in flow.parameters():
        flat, slope = parameter.data.view(-1), parameter.grad.view(-1)
        for k in range(min(3, len(flat))):
            values = []
            for step in (1e-6, -1e-6):
                kept = flat[k].item()
                flat[k] = kept + step
                values.append(flow.log_density(x).sum().item())
                flat[k] = kept
            assert (values[0] - values[1]) / 2e-6 == pytest.approx(slope[k].item(), rel=1e-4, abs=1e-6)


def test_shapes_on_the_meta_device():
    flow = coupling_flow(4, 2, [8], seed(0), device="meta")
    assert flow.log_density(torch.zeros(3, 4, device="meta")).shape == (3,)


def test_error_messages():
    with pytest.raises(ValueError, match=r"^Coupling: kept must keep some coordinates and change some; got"):
        Coupling([True, True], [4], seed(0))
    with pytest.raises(ValueError, match=r"^Flow: layers must hold one layer or more; got none"):
        Flow([])
    flow = coupling_flow(2, 1, [4], seed(0))
    with pytest.raises(ValueError, match=r"^log_density: x must be torch.float32 on cpu"):
        flow.log_density(torch.zeros(3, 2, dtype=DOUBLE))
    with pytest.raises(ValueError, match=r"^log_density: x must be finite"):
        flow.log_density(torch.full((3, 2), torch.nan))
