"""How signals grow, against the algebra and the worked numbers."""

import numpy as np
import pytest

from chapters_src.networks.residual import block_variances

START = np.random.default_rng(1).normal(size=(2000, 256))


def test_doubles_with_every_block():
    """Worked numbers of another draw: 0.99, 2.01, 4.04, 8.41, 18.3, …"""
    found = block_variances(START, 8, np.random.default_rng(0))
    np.testing.assert_allclose(found, 2.0 ** np.arange(9), rtol=0.2)


def test_batch_norm_in_the_branch_adds_about_one():
    """Worked numbers of another draw: 1.00, 1.97, 3.06, 4.08, …, 8.71."""
    found = block_variances(START, 8, np.random.default_rng(0), batch_norm=True)
    np.testing.assert_allclose(found, 1.0 + np.arange(9), rtol=0.1)


@pytest.mark.parametrize(("skip", "branch"), [(1.0, 0.5), (0.5**0.5, 0.5**0.5), (0.0, 1.0), (1.0, 0.0)])
def test_factor_per_block(skip, branch):
    runs = [block_variances(START[:300], 5, np.random.default_rng(seed), skip, branch) for seed in range(12)]
    found = np.mean(runs, axis=0)
    np.testing.assert_allclose(found, (skip**2 + branch**2) ** np.arange(6), rtol=0.15)


def test_a_branch_of_zero_keeps_h():
    assert block_variances(START, 3, np.random.default_rng(0), branch=0.0) == pytest.approx(START.var())


def test_errors():
    with pytest.raises(ValueError, match="block_variances: blocks must be at least 0; got -1"):
        block_variances(START, -1, np.random.default_rng(0))
