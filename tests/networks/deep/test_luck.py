"""Networks of hinges that differ in their draws alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.core.device import seed
from chapters_src.networks.deep import forward, hinges_side_by_side
from chapters_src.networks.shallow import Layer

torch.set_num_threads(1)
WIDTHS = [2, 5, 4, 3]


def test_each_network_is_the_numpy_one():
    model = hinges_side_by_side(4, WIDTHS, seed(0), spread=1.0)
    X = np.random.default_rng(0).standard_normal((6, 2))
    out = model(torch.tensor(X, dtype=torch.float32)).detach().numpy()
    assert out.shape == (4, 6, 3)
    for i in range(4):
        pairs = zip(model.W, model.b, strict=True)
        layers = [Layer(W[i].detach().numpy(), b[i, 0].detach().numpy()) for W, b in pairs]
        np.testing.assert_allclose(out[i], forward(layers, X), rtol=1e-4, atol=1e-5)


def test_networks_start_apart_with_the_right_spread():
    model = hinges_side_by_side(50, [100, 40, 1], seed(0), spread=0.3)
    assert float(model.W[0].detach().std()) == pytest.approx((2 / 100) ** 0.5, rel=0.02)
    assert float(model.b[0].detach().std()) == pytest.approx(0.3, rel=0.1) and not model.b[1].any()
    assert not torch.equal(model.W[0][0], model.W[0][1])
    assert torch.equal(model.W[0], hinges_side_by_side(50, [100, 40, 1], seed(0), spread=0.3).W[0])


def test_nothing_is_left_behind_on_the_cpu():
    model = hinges_side_by_side(2, WIDTHS, seed(0, "meta"), device="meta")
    assert model(torch.empty(7, 2, device="meta")).device.type == "meta"


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"hinges_side_by_side: count must be at least 1; got 0"):
        hinges_side_by_side(0, WIDTHS, seed(0))
