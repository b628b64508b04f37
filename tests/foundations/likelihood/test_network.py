"""The network with two outputs: its variance, its floor, and what fitting finds where that is known."""

import math
import re

import numpy as np
import pytest
import torch

from chapters_src.core.device import seed
from chapters_src.foundations.likelihood import MeanAndVariance, fit_mean_and_variance, gaussian_nll

FLOAT = torch.float64


def linear_model(floor=0.0):
    return MeanAndVariance([1], seed(0), floor, dtype=FLOAT)


def test_the_outputs_are_those_of_its_layers():
    model = MeanAndVariance([2, 5], seed(1), dtype=FLOAT)
    X = torch.randn(4, 2, generator=seed(2), dtype=FLOAT)
    first, _, last = model.network
    by_hand = np.tanh(X.numpy() @ first.weight.detach().numpy().T + first.bias.detach().numpy())
    by_hand = by_hand @ last.weight.detach().numpy().T + last.bias.detach().numpy()
    mean, log_variance = model(X)
    np.testing.assert_allclose(mean.detach(), by_hand[:, 0], rtol=1e-12)
    np.testing.assert_allclose(log_variance.detach(), by_hand[:, 1], rtol=1e-12)


def test_the_floor_is_added_to_the_variance():
    X = torch.randn(6, 1, generator=seed(2), dtype=FLOAT)
    free, held = linear_model()(X)[1].exp(), linear_model(floor=0.25)(X)[1].exp()
    torch.testing.assert_close(held, free + 0.25)


def test_a_seed_means_the_same_weights():
    one, other = (MeanAndVariance([1, 8], seed(3)).state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_it_lives_on_any_device():
    model = MeanAndVariance([3, 8], seed(0), device="meta")
    assert {parameter.device.type for parameter in model.parameters()} == {"meta"}
    assert model(torch.zeros(5, 3, device="meta"))[0].shape == (5,)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
def test_without_inputs_it_finds_the_mean_and_the_mean_square(beta):
    """With x = 0 only the two biases are left, and their best values have formulas, whatever β is."""
    y = torch.tensor([1.0, 2.0, 4.0, 5.0], dtype=FLOAT)
    model = linear_model()
    run = fit_mean_and_variance(
        model, torch.zeros(4, 1, dtype=FLOAT), y, 4000, learning_rate=0.02, beta=beta, progress=False
    )
    mean, log_variance = model(torch.zeros(1, 1, dtype=FLOAT))
    assert mean.item() == pytest.approx(3.0, abs=1e-6)
    assert log_variance.exp().item() == pytest.approx(2.5, abs=1e-6)
    assert run.step == 4000


def test_a_floor_bounds_the_loss_and_no_floor_does_not():
    """Two points and a line through both: the likelihood has no maximum."""
    X, y = torch.tensor([[0.0], [1.0]], dtype=FLOAT), torch.tensor([0.0, 1.0], dtype=FLOAT)
    losses = {}
    for floor in (0.0, 0.01):
        model = linear_model(floor)
        losses[floor] = fit_mean_and_variance(model, X, y, 6000, learning_rate=0.02, progress=False).losses
    lowest = 0.5 * math.log(2 * math.pi * 0.01)
    assert losses[0.0][-1] < lowest - 1
    assert lowest <= losses[0.01].min() < lowest + 0.2


def test_the_first_loss_is_the_mean_negative_log_likelihood():
    X = torch.randn(7, 1, generator=seed(5), dtype=FLOAT)
    y = torch.randn(7, generator=seed(6), dtype=FLOAT)
    model = linear_model()
    expected = gaussian_nll(*model(X), y).mean().item()
    run = fit_mean_and_variance(model, X, y, 1, progress=False)
    assert run.losses[0].item() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MeanAndVariance([], seed(0)), "MeanAndVariance: widths must"),
        (lambda: MeanAndVariance([1], seed(0), floor=-1.0), "MeanAndVariance: floor must be at least 0"),
        (lambda: linear_model()(torch.zeros(3, 2, dtype=FLOAT)), "MeanAndVariance: X must have shape"),
        (lambda: linear_model()(torch.zeros(3, 1)), "MeanAndVariance: X must be torch.float64"),
        (
            lambda: fit_mean_and_variance(
                linear_model(), torch.zeros(3, 1, dtype=FLOAT), torch.zeros(2, dtype=FLOAT), 1
            ),
            "fit_mean_and_variance: y must have shape",
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call()
