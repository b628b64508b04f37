"""Sparse autoencoders: directions of length one, few features on, and known directions found again."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group
from sklearn.decomposition import sparse_encode

from chapters_src.core import device
from chapters_src.generative.autoencoder import SparseAutoencoder, best_matches, fit_sparse

torch.set_num_threads(1)


def rows(n, d, seed=1):
    return torch.randn(n, d, generator=device.seed(seed))


def test_the_forward_pass_by_hand():
    model = SparseAutoencoder(3, 5, generator=device.seed(0))
    with torch.no_grad():
        model.b.copy_(torch.tensor([0.1, -0.2, 0.3]))
    X = rows(4, 3)
    W, c = (p.detach().numpy() for p in model.encoder.parameters())
    V, b = model.V.detach().numpy(), model.b.detach().numpy()
    z = np.maximum((X.numpy() - b) @ W.T + c, 0)
    D = V / np.linalg.norm(V, axis=1, keepdims=True)
    np.testing.assert_allclose(model.encode(X).detach().numpy(), z, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.decode(model.encode(X)).detach().numpy(), z @ D + b, atol=1e-5)
    expected = ((z @ D + b - X.numpy()) ** 2).sum(axis=1) + 0.7 * np.abs(z).sum(axis=1)
    np.testing.assert_allclose(model.penalised_error(X, 0.7).detach().numpy(), expected, rtol=1e-5)


@given(st.integers(0, 100), st.floats(0.1, 50))
def test_longer_directions_change_nothing(seed, factor):
    """The evasion of the penalty is closed: only the direction of V counts."""
    model = SparseAutoencoder(4, 6, generator=device.seed(seed))
    X = rows(5, 4, seed)
    before = model.penalised_error(X, 1.0).detach()
    with torch.no_grad():
        model.V.mul_(factor)
    torch.testing.assert_close(model.penalised_error(X, 1.0).detach(), before, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(model.dictionary().norm(dim=1), torch.ones(6))


def test_the_encoder_starts_as_the_dictionary():
    model = SparseAutoencoder(4, 6, generator=device.seed(0))
    torch.testing.assert_close(model.encoder.weight, model.dictionary())


def test_gradients_against_small_steps():
    model = SparseAutoencoder(3, 4, generator=device.seed(0)).double()
    X = rows(6, 3).double()
    model.penalised_error(X, 0.3).mean().backward()
    for part in (model.V, model.b, model.encoder.weight):
        spot = (0,) * part.ndim
        slope, h = part.grad[spot].item(), 1e-6
        values = []
        for step in (h, -2 * h):
            with torch.no_grad():
                part[spot] += step
            values.append(model.penalised_error(X, 0.3).mean().item())
        with torch.no_grad():
            part[spot] += h
        assert slope == pytest.approx((values[0] - values[1]) / (2 * h), rel=1e-5, abs=1e-8)


@pytest.fixture(scope="module")
def planted():
    """Eight perpendicular directions; each row is a sum of few of them."""
    draw = np.random.default_rng(0)
    D = ortho_group.rvs(8, random_state=0)
    z = draw.uniform(1, 2, (1500, 8)) * (draw.random((1500, 8)) < 0.12)
    return D, z, torch.tensor(z @ D, dtype=torch.float32)


def test_planted_directions_are_found(planted):
    D, _, X = planted
    model = SparseAutoencoder(8, 16, generator=device.seed(0))
    losses = fit_sparse(model, X, 60, sparsity=0.5, generator=device.seed(1), learning_rate=1e-2)
    assert losses.shape == (60,) and losses[-1] < losses[0] / 3
    matches = best_matches(torch.tensor(D, dtype=torch.float32), model.dictionary().detach())
    assert matches.min() > 0.9


def test_no_encoder_beats_the_lasso_on_its_own_dictionary(planted):
    """scikit-learn solves for the best z row by row; one pass through the encoder can only do worse."""
    X = planted[2][:200]
    model = SparseAutoencoder(8, 16, generator=device.seed(0))
    fit_sparse(model, planted[2], 40, sparsity=0.2, generator=device.seed(1), learning_rate=1e-2)
    model.requires_grad_(False)
    D, b = model.dictionary().double().numpy(), model.b.double().numpy()
    seen = X.double().numpy() - b
    z = sparse_encode(seen, D, algorithm="lasso_cd", alpha=0.1, positive=True, max_iter=5000)
    best = ((seen - z @ D) ** 2).sum(axis=1) + 0.2 * z.sum(axis=1)
    ours = model.penalised_error(X, 0.2).double().numpy()
    assert (ours >= best - 1e-4).all()
    assert ours.mean() < 1.6 * best.mean(), "the encoder is not far from the best codes"


def test_more_penalty_fewer_features(planted):
    active = []
    for sparsity in (0.02, 1.0):
        model = SparseAutoencoder(8, 16, generator=device.seed(0))
        fit_sparse(model, planted[2], 20, sparsity=sparsity, generator=device.seed(1), learning_rate=1e-2)
        active.append((model.encode(planted[2]) > 0).double().mean().item())
    assert active[1] < 0.7 * active[0]


def test_on_the_meta_device():
    model = SparseAutoencoder(6, 9, generator=device.seed(0), device="meta")
    error = model.penalised_error(torch.empty(3, 6, device="meta"), 0.1)
    assert error.device.type == "meta" and error.shape == (3,)


g = device.seed(0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: SparseAutoencoder(4, 0, generator=g),
            r"^SparseAutoencoder: features must be at least 1; got 0$",
        ),
        (
            lambda: SparseAutoencoder(4, 3, generator=g).encode(torch.ones(2, 5)),
            r"^encode: X must have shape \(n, 4\); got \(2, 5\)$",
        ),
        (
            lambda: SparseAutoencoder(4, 3, generator=g).decode(torch.ones(2, 4)),
            r"^decode: z must have shape \(n, 3\); got \(2, 4\)$",
        ),
        (
            lambda: SparseAutoencoder(4, 3, generator=g).penalised_error(torch.ones(2, 4), -1.0),
            r"^penalised_error: sparsity must be at least 0; got -1.0$",
        ),
        (
            lambda: fit_sparse(
                SparseAutoencoder(4, 3, generator=g), torch.ones(2, 4).double(), 1, sparsity=1.0, generator=g
            ),
            r"^fit_sparse: X must be torch.float32 on cpu, as the model is; got torch.float64 on cpu$",
        ),
        (
            lambda: fit_sparse("model", torch.ones(2, 4), 1, sparsity=1.0, generator=g),
            r"^fit_sparse: model must be a SparseAutoencoder; got 'model'$",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
