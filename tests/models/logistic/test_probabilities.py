"""Sigmoid and binary cross-entropy against torch, scipy, exact values and their own limits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.models.logistic import (
    accuracy,
    binary_cross_entropy,
    logit,
    sigmoid,
)

seeds = st.integers(0, 2**32 - 1)
EXTREME = np.array([-1e308, -1000.0, -40.0, -1e-300, 0.0, 1e-300, 1.0, 40.0, 1000.0, 1e308])


def logits(seed, n=7, scale=3.0):
    rng = np.random.default_rng(seed)
    return scale * rng.standard_normal(n), rng.integers(0, 2, n).astype(float)


class TestSigmoid:
    def test_is_scipys_everywhere_without_a_warning(self):
        with np.errstate(all="raise", under="ignore"):
            ours = sigmoid(EXTREME)
        np.testing.assert_allclose(ours, scipy.special.expit(EXTREME), rtol=1e-15)

    def test_keeps_the_shape(self):
        assert sigmoid(0.0).shape == ()
        assert sigmoid(np.zeros((2, 3))).shape == (2, 3)

    @given(a=st.floats(-30, 30))
    def test_logit_undoes_it(self, a):
        p = float(sigmoid(a))
        # near 1 a probability cannot hold more digits of its logit than this
        assert float(logit(p)) == pytest.approx(a, rel=1e-9, abs=1e-15 / (1 - p))
        assert float(logit(float(sigmoid(-abs(a))))) == pytest.approx(-abs(a), rel=1e-12, abs=1e-14)

    def test_is_a_distribution_function(self):
        np.testing.assert_allclose(sigmoid(EXTREME), scipy.stats.logistic.cdf(EXTREME), rtol=1e-12)


class TestLosses:
    @given(seed=seeds, scale=st.sampled_from([1.0, 30.0, 1000.0]))
    @settings(deadline=None)
    def test_binary_cross_entropy_against_torch(self, seed, scale):
        a, y = logits(seed, scale=scale)
        t = torch.tensor(a, requires_grad=True)
        theirs = torch.nn.functional.binary_cross_entropy_with_logits(t, torch.tensor(y))
        theirs.backward()
        assert binary_cross_entropy(a, y) == pytest.approx(theirs.item(), rel=1e-10, abs=1e-14)
        predicted_minus_true = (sigmoid(a) - y) / len(a)
        np.testing.assert_allclose(predicted_minus_true, t.grad.numpy(), rtol=1e-10, atol=1e-14)

    def test_a_confident_mistake_costs_its_logit(self):
        assert binary_cross_entropy(np.array([1e300]), np.array([0.0])) == 1e300
        assert binary_cross_entropy(np.array([1e300]), np.array([1.0])) == 0.0


def test_accuracy_counts():
    assert accuracy(np.array([0, 1, 2, 2]), np.array([0, 1, 2, 0])) == 0.75


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sigmoid("a"), "sigmoid: a must hold real numbers"),
        (lambda: sigmoid([np.nan]), "sigmoid: a must be finite"),
        (lambda: logit([0.5, 1.0]), "logit: p must be above 0 and below 1; got 1"),
        (lambda: binary_cross_entropy([1.0], [2.0]), "y must hold only 0 and 1; got 2"),
        (
            lambda: binary_cross_entropy([1.0, 2.0], [1.0]),
            "y must have shape (2,), one per entry of a; got (1,)",
        ),
        (lambda: binary_cross_entropy([[1.0]], [1.0]), "a must have one axis"),
        (lambda: binary_cross_entropy([1.0], [-1.0]), "y must hold only 0 and 1; got -1"),
        (lambda: accuracy([1, 2], [1]), "accuracy: y_hat must have shape (2,), one per entry of y; got (1,)"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        call()
    assert message in str(caught.value)


def test_arguments_are_left_alone():
    a, y = np.array([0.5, -2.0]), np.array([1.0, 0.0])
    before = a.copy(), y.copy()
    sigmoid(a), binary_cross_entropy(a, y)
    np.testing.assert_array_equal(a, before[0])
    np.testing.assert_array_equal(y, before[1])
