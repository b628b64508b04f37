"""Rescaled networks compute the same; a rise of the loss agrees with the trace of the Hessian."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from chapters_src.core.modules import mlp
from chapters_src.evaluation.generalisation import rescaled, sharpness, squared_loss


def setting(activation=nn.ReLU):
    generator = torch.Generator().manual_seed(0)
    model = mlp((3, 6, 2), generator, activation, uniform=True, dtype=torch.float64)
    X = torch.randn(20, 3, generator=generator, dtype=torch.float64)
    return model, (X, torch.randn(20, 2, generator=generator, dtype=torch.float64))


@pytest.mark.parametrize("factor", [0.1, 1.0, 7.0])
def test_same_outputs_other_weights(factor):
    model, (X, _) = setting()
    before = [weights.clone() for weights in model.parameters()]
    other = rescaled(model, factor)
    torch.testing.assert_close(other(X), model(X))
    torch.testing.assert_close(other[0].weight, factor * model[0].weight)
    torch.testing.assert_close(list(model.parameters()), before)  # the first one is left alone


def test_only_for_hinges():
    with pytest.raises(ValueError, match="model must be linear, ReLU, linear; got Linear, Tanh, Linear"):
        rescaled(setting(nn.Tanh)[0], 2.0)


def test_a_quadratic_rises_by_half_its_trace():
    model = nn.Linear(2, 1, bias=False).double()
    X, Y = torch.tensor([[1.0, 0.0], [0.0, 3.0]]).double(), torch.zeros(2, 1).double()
    generator = torch.Generator().manual_seed(1)
    # L = (w₁² + 9w₂²)/2 has a Hessian of trace 10: the mean rise is s²·10/2.
    with torch.no_grad():
        model.weight.zero_()
    rise = sharpness(model, squared_loss, (X, Y), 0.1, generator, draws=20_000)
    assert rise == pytest.approx(0.05, rel=0.05)


def test_relative_noise_does_not_see_the_rescaling_and_plain_noise_does():
    model, batch = setting()
    rises = {}
    for relative in (False, True):
        rises[relative] = [
            sharpness(one, squared_loss, batch, 0.01, torch.Generator().manual_seed(2), relative)
            for one in (model, rescaled(model, 10.0))
        ]
    assert rises[True][1] == pytest.approx(rises[True][0], rel=1e-6)
    assert rises[False][1] > 5 * rises[False][0]


def test_no_noise_no_rise():
    model, batch = setting()
    assert sharpness(model, squared_loss, batch, 0.0, torch.Generator()) == 0
