"""Noise and slopes: the draws, the goal, and the Jacobian against two references."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.core import device
from chapters_src.generative.autoencoder import Autoencoder, contraction, corrupted, denoising_error

torch.set_num_threads(1)


def doubled(*widths, seed=0):
    """A network in double precision, so that differences of small steps can be taken."""
    return Autoencoder(*widths, generator=device.seed(seed)).double()


def test_noise_has_the_size_that_was_asked_for():
    X = torch.full((400, 50), 3.0)
    eps = corrupted(X, 0.5, device.seed(0)) - X
    assert abs(eps.mean().item()) < 0.02
    assert eps.std().item() == pytest.approx(0.5, rel=0.02)
    assert torch.equal(corrupted(X, 0.0, device.seed(0)), X)


def test_the_same_seed_gives_the_same_noise_and_rows_are_left_alone():
    X = torch.ones(4, 3)
    assert torch.equal(corrupted(X, 1.0, device.seed(1)), corrupted(X, 1.0, device.seed(1)))
    assert not torch.equal(corrupted(X, 1.0, device.seed(1)), corrupted(X, 1.0, device.seed(2)))
    assert torch.equal(X, torch.ones(4, 3))


def test_the_goal_is_the_clean_row():
    model = Autoencoder(4, 2, [3], generator=device.seed(0))
    X = torch.rand(6, 4, generator=device.seed(1))
    seen = corrupted(X, 0.7, device.seed(2))
    expected = ((model.decode(model.encode(seen)) - X) ** 2).sum(dim=1)
    torch.testing.assert_close(denoising_error(model, X, 0.7, device.seed(2)), expected)
    torch.testing.assert_close(denoising_error(model, X, 0.0, device.seed(2)), model.squared_error(X))


def test_a_bernoulli_model_answers_with_probabilities():
    model = Autoencoder(4, 2, likelihood="bernoulli", generator=device.seed(0))
    X = torch.rand(6, 4, generator=device.seed(1))
    expected = ((torch.sigmoid(model.decoder(model.encoder(X))) - X) ** 2).sum(dim=1)
    torch.testing.assert_close(denoising_error(model, X, 0.0, device.seed(2)), expected)


def test_a_linear_encoder_has_the_slope_of_its_weights():
    """The worked number: with weights (3, 4) the squared slope is 25 at every row."""
    model = Autoencoder(2, 1, generator=device.seed(0))
    with torch.no_grad():
        model.encoder[0].weight.copy_(torch.tensor([[3.0, 4.0]]))
    torch.testing.assert_close(contraction(model, torch.randn(5, 2)), torch.full((5,), 25.0))


@given(st.integers(0, 50))
def test_the_slope_against_jacrev_and_small_steps(seed):
    model = doubled(5, 3, [4], seed=seed)
    X = torch.randn(4, 5, generator=device.seed(seed + 100), dtype=torch.float64)
    found = contraction(model, X).detach()
    exact = torch.func.vmap(torch.func.jacrev(model.encoder))(X)
    torch.testing.assert_close(found, (exact**2).sum(dim=(1, 2)).detach())
    h = 1e-6
    steps = [(model.encode(X + h * e) - model.encode(X - h * e)) / (2 * h) for e in torch.eye(5).double()]
    by_steps = sum((step**2).sum(dim=1) for step in steps).detach()
    kinked = (by_steps - found).abs() > 1e-4 * (1 + found)  # a step across the kink of a ReLU
    assert kinked.sum() <= 1


def test_it_can_be_differentiated_again():
    """The gradient for the weights, against a difference of two values."""
    model = doubled(3, 2, [4])
    X = torch.randn(6, 3, generator=device.seed(3), dtype=torch.float64)
    weight = model.encoder[0].weight
    contraction(model, X).mean().backward()
    h, slope = 1e-6, weight.grad[1, 2].item()
    with torch.no_grad():
        weight[1, 2] += h
    high = contraction(model, X).mean().item()
    with torch.no_grad():
        weight[1, 2] -= 2 * h
    low = contraction(model, X).mean().item()
    assert slope == pytest.approx((high - low) / (2 * h), rel=1e-5)


def test_scaling_the_code_scales_the_slope_and_not_the_picture():
    model = doubled(4, 2, [3])
    X = torch.randn(5, 4, generator=device.seed(4), dtype=torch.float64)
    before, picture = contraction(model, X), model.decode(model.encode(X))
    with torch.no_grad():
        for part in model.encoder[-1].parameters():
            part.mul_(0.1)
        model.decoder[0].weight.mul_(10)
    torch.testing.assert_close(contraction(model, X), 0.01 * before)
    torch.testing.assert_close(model.decode(model.encode(X)), picture)


g = device.seed(0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: corrupted(torch.ones(2, 2), -1.0, g), r"^corrupted: noise must be at least 0; got -1.0$"),
        (
            lambda: corrupted(torch.full((1, 1), np.nan), 1.0, g),
            r"^corrupted: X must be finite; got NaN or inf$",
        ),
        (
            lambda: denoising_error(doubled(2, 1), torch.ones(2, 2), 1.0, g),
            r"^denoising_error: X must be torch.float64 on cpu, as the model is; got torch.float32 on cpu$",
        ),
        (
            lambda: contraction(doubled(2, 1), torch.ones(2, 3).double()),
            r"^contraction: X must have shape \(n, 2\); got \(2, 3\)$",
        ),
        (
            lambda: contraction("model", torch.ones(2, 3)),
            r"^contraction: model must be an Autoencoder; got 'model'$",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
