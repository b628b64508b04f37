"""The modified flow: its gradient by torch, its order, its sign, and a flow with a formula."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.networks.regularisation import descended, flowed, modified_gradient


def gradient(w):
    return w**3 + w


def hessian(w):
    return np.diag(3 * w**2 + 1)


def test_modified_gradient_is_the_gradient_of_the_modified_loss():
    A = np.random.default_rng(0).normal(size=(3, 3))
    theta = np.random.default_rng(1).normal(size=3)
    w = torch.tensor(theta, requires_grad=True)
    loss = (torch.tensor(A) @ w).pow(4).sum() / 4
    (slope,) = torch.autograd.grad(loss, w, create_graph=True)
    (theirs,) = torch.autograd.grad(loss + 0.3 / 4 * slope.square().sum(), w)
    ours = modified_gradient(lambda u: A.T @ (A @ u) ** 3, lambda u: A.T * 3 * (A @ u) ** 2 @ A, 0.3)
    np.testing.assert_allclose(ours(theta), theirs, rtol=1e-10)


def test_orders_and_sign():
    start, off = np.array([1.0]), {0: [], 1: [], -1: []}
    for eta in (0.1, 0.05, 0.025):
        end = descended(gradient, start, eta, round(0.5 / eta))
        for sign, distances in off.items():

            def field(w, eta=eta, sign=sign):
                return gradient(w) + sign * eta / 2 * hessian(w) @ gradient(w)

            distances.append(abs(flowed(field, start, 0.5) - end)[0])
        better = modified_gradient(gradient, hessian, eta)
        assert abs(flowed(better, start, 0.5) - end)[0] == pytest.approx(off[1][-1])
    np.testing.assert_allclose(off[0], [0.0405, 0.0190, 0.0092], atol=5e-5)
    np.testing.assert_allclose(off[1], [0.00775, 0.00188, 0.00047], atol=5e-6)
    assert off[-1][0] == pytest.approx(0.0805, abs=5e-5)
    assert np.log2(off[1][1] / off[1][2]) == pytest.approx(2, abs=0.05)


def test_flow_and_descent_with_a_formula():
    start = np.array([1.0, -2.0])
    np.testing.assert_allclose(flowed(lambda w: 3 * w, start, 0.7), start * np.exp(-2.1), rtol=1e-8)
    np.testing.assert_allclose(descended(lambda w: 3 * w, start, 0.1, 4), start * 0.7**4)
    np.testing.assert_allclose(flowed(gradient, np.array([1.0]), 0.5), 1 / np.sqrt(2 * np.e - 1), rtol=1e-8)
    assert np.array_equal(flowed(gradient, start, 0.0), start)


def test_bad_input():
    with pytest.raises(ValueError, match="descended: eta must be above 0"):
        descended(gradient, np.ones(1), 0.0, 1)
    with pytest.raises(ValueError, match="flowed: duration must be"):
        flowed(gradient, np.ones(1), -1.0)
    with pytest.raises(ValueError, match=r"^flowed: duration must be at least 0 and at most 1e\+06; got 1e"):
        flowed(gradient, np.ones(1), 1e300)
