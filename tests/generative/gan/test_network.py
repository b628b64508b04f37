"""The networks: penalties against finite differences and closed forms, spectral norms against the SVD."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from chapters_src.core.device import seed
from chapters_src.core.modules import mlp
from chapters_src.generative.gan import GAN, between_penalty, power_step, real_penalty, with_unit_norms


def tanh_net(d=3):
    return mlp([d, 5, 1], seed(0), activation=nn.Tanh, dtype=torch.float64)


def points(n, d=3, s=1):
    return torch.randn(n, d, generator=seed(s), dtype=torch.float64)


def slopes_by_differences(D, X, h=1e-5):
    columns = []
    for j in range(X.shape[1]):
        e = torch.zeros(X.shape[1], dtype=X.dtype)
        e[j] = h
        columns.append((D(X + e) - D(X - e))[:, 0] / (2 * h))
    return torch.stack(columns, dim=1)


def test_real_penalty():
    D, X = tanh_net(), points(7)
    expected = 0.5 * (slopes_by_differences(D, X) ** 2).sum(dim=1).mean()
    assert real_penalty(D, X).item() == pytest.approx(expected.item(), rel=1e-7)


def test_between_penalty():
    D, X, Y = tanh_net(), points(7), points(7, s=2)
    u = torch.rand(7, 1, generator=seed(5), dtype=torch.float64)
    lengths = slopes_by_differences(D, Y + u * (X - Y)).norm(dim=1)
    found = between_penalty(D, X, Y, seed(5))
    assert found.item() == pytest.approx(((lengths - 1) ** 2).mean().item(), rel=1e-6)


def test_penalties_of_a_linear_critic():
    """The slope is w everywhere: (5 − 1)² and ½·25; their slopes in w are 2(5 − 1)w/5 and w."""
    D = nn.Linear(2, 1, dtype=torch.float64)
    with torch.no_grad():
        D.weight.copy_(torch.tensor([[3.0, 4.0]]))
    X = points(6, 2)
    for value, expected, slope in (
        (between_penalty(D, X, X + 1, seed(0)), 16.0, [4.8, 6.4]),
        (real_penalty(D, X), 12.5, [3.0, 4.0]),
    ):
        assert value.item() == pytest.approx(expected)
        assert torch.autograd.grad(value, D.weight)[0][0].tolist() == pytest.approx(slope)


def test_power_iteration_reaches_the_svd_from_below():
    W, u = points(6, 4), points(1, 6, s=3)[0]
    exact = np.linalg.svd(W.numpy())[1][0]
    found = []
    for _ in range(200):
        sigma, u = power_step(W, u)
        found.append(sigma.item())
    assert max(found) <= exact * (1 + 1e-12) and found[-1] == pytest.approx(exact, rel=1e-9)
    assert (np.diff(found) > -1e-12).all()


def test_the_slope_of_the_norm():
    W = points(6, 4).requires_grad_(True)
    u = torch.ones(6, dtype=torch.float64)
    for _ in range(300):
        u = power_step(W, u)[1].detach()
    found = torch.autograd.grad(power_step(W, u)[0], W)[0]
    expected = torch.autograd.grad(torch.linalg.matrix_norm(W, 2), W)[0]
    assert found.numpy() == pytest.approx(expected.numpy(), abs=1e-9)


def test_unit_norms():
    net = with_unit_norms(mlp([3, 16, 16, 1], seed(0), scale=4.0, dtype=torch.float64), seed(1))
    for _ in range(200):
        net(points(2))
    net.eval()
    for layer in net:
        if isinstance(layer, nn.Linear):
            assert np.linalg.svd(layer.weight.detach().numpy())[1][0] == pytest.approx(1, rel=1e-6)
    X, Y = points(200), points(200, s=2)
    assert (((net(X) - net(Y)).abs()[:, 0]) / (X - Y).norm(dim=1)).max() <= 1 + 1e-6
    before = net(X)
    assert torch.equal(before, net(X))  # nothing moves in evaluation


def test_unit_norms_against_torchs_own():
    layer = mlp([4, 6], seed(0), dtype=torch.float64)
    raw = layer[0].weight.detach().clone()
    net = with_unit_norms(layer, seed(1))
    for _ in range(300):
        net(points(1, 4))
    own = nn.Linear(4, 6, dtype=torch.float64)
    with torch.no_grad():
        own.weight.copy_(raw)
    torchs = nn.utils.parametrizations.spectral_norm(own, n_power_iterations=300)
    assert net[0].weight.detach().numpy() == pytest.approx(torchs.weight.detach().numpy(), abs=1e-9)


def test_gan_draws():
    model = GAN(3, 2, (8,), bounded=True, spectral=True, generator=seed(0), dtype=torch.float64)
    drawn = model.draw(50, seed(1))
    assert drawn.shape == (50, 3) and drawn.requires_grad and (drawn > 0).all() and (drawn < 1).all()
    assert torch.equal(drawn, model.draw(50, seed(1)))
    z = torch.randn(50, 2, generator=seed(1), dtype=torch.float64)
    assert torch.equal(drawn, model.G(z))
    assert model.D(drawn).shape == (50, 1)


def test_on_meta():
    model = GAN(3, 2, (8,), generator=seed(0), device="meta")
    assert model.draw(5, seed(0)).device.type == "meta"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: GAN(0, 2, generator=seed(0)), "d must be at least 1"),
        (lambda: GAN(2, 2, (0,), generator=seed(0)), "hidden must be at least 1"),
        (
            lambda: between_penalty(tanh_net(), points(3), points(4), seed(0)),
            "between_penalty: fake must have",
        ),
        (
            lambda: between_penalty(tanh_net(), points(3).float(), points(3).float(), seed(0)),
            "between_penalty: real must be torch.float64 on cpu, as the weights of D are",
        ),
        (
            lambda: real_penalty(tanh_net(), points(3).float()),
            "real_penalty: real must be torch.float64 on cpu, as the weights of D are; got torch.float32",
        ),
        (lambda: power_step(points(3), torch.ones(3)), "power_step: u must be torch.float64"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
