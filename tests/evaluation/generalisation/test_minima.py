"""Rescaled networks compute the same; a rise of the loss agrees with the trace of the Hessian."""

from __future__ import annotations

import numpy as np
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


EQUAL, UNEVEN = np.full(6, 10.0), np.geomspace(0.1, 10, 6)


@pytest.mark.parametrize("factors", [np.ones(6), EQUAL, UNEVEN])
def test_same_outputs_other_weights(factors):
    model, (X, _) = setting()
    before = [weights.clone() for weights in model.parameters()]
    other = rescaled(model, factors)
    torch.testing.assert_close(other(X), model(X))
    for unit, factor in enumerate(factors):
        torch.testing.assert_close(other[0].weight[unit], float(factor) * model[0].weight[unit])
    torch.testing.assert_close(list(model.parameters()), before)  # the first one is left alone


def test_only_for_hinges():
    with pytest.raises(ValueError, match="model must be linear, ReLU, linear; got Linear, Tanh, Linear"):
        rescaled(setting(nn.Tanh)[0], EQUAL)


def test_a_factor_for_each_unit():
    with pytest.raises(ValueError, match="factors must be one for each hidden unit; got 5"):
        rescaled(setting()[0], EQUAL[:5])


def test_a_quadratic_rises_by_half_its_trace():
    model = nn.Linear(2, 1, bias=False).double()
    X, Y = torch.tensor([[1.0, 0.0], [0.0, 3.0]]).double(), torch.zeros(2, 1).double()
    generator = torch.Generator().manual_seed(1)
    # L = (w₁² + 9w₂²)/2 has a Hessian of trace 10: the mean rise is s²·10/2.
    with torch.no_grad():
        model.weight.zero_()
    rise = sharpness(model, squared_loss, (X, Y), 0.1, generator, draws=20_000)
    assert rise == pytest.approx(0.05, rel=0.05)


def test_relative_noise_has_the_size_of_the_weights():
    model = nn.Linear(2, 1, bias=False).double()
    X, Y = torch.tensor([[1.0, 0.0], [0.0, 3.0]]).double(), torch.zeros(2, 1).double()
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[1.0, 0.0]]))
    # The root mean square of (1, 0) is √½, so noise of 0.1 √½ on the same Hessian: half the rise.
    rise = sharpness(
        model, squared_loss, (X, Y), 0.1, torch.Generator().manual_seed(1), relative=True, draws=20_000
    )
    assert rise == pytest.approx(0.025, rel=0.08)


def test_which_rescaling_each_kind_of_noise_sees():
    model, batch = setting()
    models = model, rescaled(model, EQUAL), rescaled(model, UNEVEN)
    plain, relative = (
        [sharpness(one, squared_loss, batch, 0.01, torch.Generator().manual_seed(2), kind) for one in models]
        for kind in (False, True)
    )
    assert plain[1] > 5 * plain[0]
    assert relative[1] == pytest.approx(relative[0], rel=1e-6)
    assert relative[2] > 5 * relative[0]


@pytest.mark.parametrize("batch", [3, None, (torch.zeros(2, 9), torch.zeros(2, 1))])
def test_a_batch_that_the_loss_cannot_take_is_refused(batch):
    model, _ = setting()
    with pytest.raises(ValueError, match=r"^sharpness: batch must be what the loss and the model take; got "):
        sharpness(
            model,
            lambda model, batch: nn.functional.mse_loss(model(batch[0]), batch[1]),
            batch,
            0.1,
            torch.Generator(),
        )


def test_no_noise_no_rise():
    model, batch = setting()
    assert sharpness(model, squared_loss, batch, 0.0, torch.Generator()) == 0
