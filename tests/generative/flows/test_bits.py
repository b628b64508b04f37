"""Dequantisation and bits: cells, the bound, and the map to the line."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.stats import norm

from chapters_src.core.device import seed
from chapters_src.generative.flows import bits_per_dimension, dequantised, line_to_unit, unit_to_line


def test_every_number_stays_in_its_cell():
    x = torch.arange(17).repeat(200, 1)
    y = dequantised(x, 17, seed(0))
    assert torch.equal((y.double() * 17).floor().long(), x)
    inside = y * 17 - x
    assert inside.mean().item() == pytest.approx(0.5, abs=0.02)
    assert inside.var().item() == pytest.approx(1 / 12, rel=0.05)


def test_uniform_density_costs_the_logarithm_of_the_levels():
    assert bits_per_dimension(torch.zeros(3), 64, 17)[0].item() == pytest.approx(math.log2(17), rel=1e-6)
    assert bits_per_dimension(torch.tensor([64 * math.log(17.0)]), 64, 17).item() == pytest.approx(
        0, abs=1e-6
    )


def test_bits_are_an_upper_bound_on_the_code_of_the_cells():
    """A Gaussian on the line: the probability of a cell is a difference of cumulative values."""
    x = torch.randint(0, 10, (4000, 1), generator=seed(1))
    y = dequantised(x, 10, seed(2))
    log_p = torch.tensor(norm.logpdf(y.numpy()[:, 0], 0.5, 0.2))
    found = bits_per_dimension(log_p, 1, 10).mean().item()
    cell = norm.cdf((x.numpy() + 1) / 10, 0.5, 0.2) - norm.cdf(x.numpy() / 10, 0.5, 0.2)
    exact = -np.log2(cell).mean()
    assert exact < found < exact + 0.2


def test_to_the_line_and_back():
    y = torch.rand(6, 3, generator=seed(0), dtype=torch.float64)
    a, log_det = unit_to_line(y)
    np.testing.assert_allclose(line_to_unit(a), y, atol=1e-12)
    for k in range(6):
        J = torch.autograd.functional.jacobian(lambda one: unit_to_line(one[None])[0][0], y[k])
        assert torch.linalg.slogdet(J)[1].item() == pytest.approx(log_det[k].item(), abs=1e-10)
    ends, _ = unit_to_line(torch.tensor([[0.0, 0.5, 1.0]], dtype=torch.float64))
    np.testing.assert_allclose(ends[0], [math.log(0.05 / 0.95), 0, math.log(0.95 / 0.05)], atol=1e-12)


def test_error_messages():
    with pytest.raises(ValueError, match=r"^dequantised: x must hold levels from 0 to 16; got others"):
        dequantised(torch.tensor([[17]]), 17, seed(0))
    with pytest.raises(ValueError, match=r"^unit_to_line: y must hold numbers from 0 to 1; got others"):
        unit_to_line(torch.tensor([[1.5]]))
