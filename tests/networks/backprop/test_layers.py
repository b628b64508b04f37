"""Layers: the weights that are drawn."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.networks.backprop.layers import WEIGHT_VARIANCES, initialise

torch.set_num_threads(1)


@pytest.mark.parametrize(("rule", "variance"), [("he", 2 / 300), ("glorot", 2 / 500), ("lecun", 1 / 300)])
def test_rules_have_the_variance_they_promise(rule, variance):
    ((W, b),) = initialise((300, 200), np.random.default_rng(0), rule)
    assert W.var() == pytest.approx(variance, rel=0.03)
    assert abs(W.mean()) < 4 * np.sqrt(variance / W.size)
    np.testing.assert_array_equal(b, np.zeros(200))
    assert set(WEIGHT_VARIANCES) == {"he", "glorot", "lecun"}


def test_he_has_torch_s_standard_deviation():
    weight = torch.empty(200, 300)
    torch.nn.init.kaiming_normal_(weight, nonlinearity="relu", generator=torch.Generator().manual_seed(0))
    ((W, _),) = initialise((300, 200), np.random.default_rng(0), "he")
    assert W.std() == pytest.approx(weight.std().item(), rel=0.02)


def test_a_number_is_a_gain_and_scales_the_same_draw():
    ((one, _),) = initialise((30, 20), np.random.default_rng(1), 1.0)
    ((nine, _),) = initialise((30, 20), np.random.default_rng(1), 9.0)
    ((none, _),) = initialise((30, 20), np.random.default_rng(1), 0)
    np.testing.assert_allclose(nine, 3 * one)
    assert not none.any()


def test_precision_is_as_asked():
    for dtype in (np.float32, np.float64):
        for W, b in initialise((3, 4, 2), np.random.default_rng(0), dtype=dtype):
            assert W.dtype == b.dtype == dtype


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: initialise((3,), np.random.default_rng(0)), "initialise: widths must list the inputs"),
        (lambda: initialise("32", np.random.default_rng(0)), "initialise: widths must .*; got .32"),
        (lambda: initialise((3, 0), np.random.default_rng(0)), "initialise: widths must be at least 1"),
        (lambda: initialise((3, 2.0), np.random.default_rng(0)), "initialise: widths must be a whole"),
        (lambda: initialise((3, 2), 0), "initialise: rng must be a numpy.random.Generator"),
        (
            lambda: initialise((3, 2), np.random.default_rng(0), "xavier"),
            "rule must be a number or one of he",
        ),
        (lambda: initialise((3, 2), np.random.default_rng(0), -1.0), "initialise: rule must be at least 0"),
        (lambda: initialise((3, 2), np.random.default_rng(0), dtype=int), "dtype must be float32 or float64"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
