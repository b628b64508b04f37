"""The network in blocks gives what the network gives."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.networks.shallow.fast import predict_in_blocks
from chapters_src.networks.shallow.network import Network


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10])
def test_blocks_change_nothing(n, monkeypatch):
    monkeypatch.setattr("chapters_src.networks.shallow.fast.BLOCK", 15)  # three rows of five units
    rng = np.random.default_rng(n)
    network = Network(*(rng.standard_normal(shape) for shape in ((2, 5), 5, (5, 3), 3)))
    X = rng.standard_normal((n, 2))
    np.testing.assert_allclose(predict_in_blocks(network, X), network(X), atol=1e-13)
