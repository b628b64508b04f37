"""The unrolled network and its gradients: torch, finite differences, closed forms, a worked number."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.activations import sigmoid_derivative
from chapters_src.sequences.recurrent import (
    backward_through_time,
    chain_terms,
    clip_by_norm,
    reach,
    recurrent_step,
    unroll,
)

T, N, D, M = 6, 3, 4, 5


def drawn(seed=0, T=T):
    rng = np.random.default_rng(seed)
    X, h0, G = rng.normal(size=(T, N, D)), rng.normal(size=(N, M)), rng.normal(size=(T, N, M))
    W0, W1, b = rng.normal(size=(D, M)), rng.normal(size=(M, M)) / 2, rng.normal(size=M)
    return X, h0, G, W0, W1, b


def torch_layer(W0, W1, b, phi="tanh"):
    layer = torch.nn.RNN(D, M, nonlinearity=phi, dtype=torch.float64)
    with torch.no_grad():
        layer.weight_ih_l0.copy_(torch.tensor(W0.T))
        layer.weight_hh_l0.copy_(torch.tensor(W1.T))
        layer.bias_ih_l0.copy_(torch.tensor(b))
        layer.bias_hh_l0.zero_()
    return layer


@pytest.mark.parametrize("phi", ["tanh", "relu"])
def test_states_and_gradients_are_those_of_torch(phi):
    X, h0, G, W0, W1, b = drawn()
    states = unroll(X, W0, W1, b, h0, phi)
    layer, first = torch_layer(W0, W1, b, phi), torch.tensor(h0[None], requires_grad=True)
    H, _ = layer(torch.tensor(X), first)
    np.testing.assert_allclose(states.h[1:], H.detach().numpy(), atol=1e-12)
    (H * torch.tensor(G)).sum().backward()
    found = backward_through_time(G, X, W1, states)
    np.testing.assert_allclose(found.W0, layer.weight_ih_l0.grad.T, atol=1e-10)
    np.testing.assert_allclose(found.W1, layer.weight_hh_l0.grad.T, atol=1e-10)
    np.testing.assert_allclose(found.b, layer.bias_ih_l0.grad, atol=1e-10)
    np.testing.assert_allclose(found.h0, first.grad[0], atol=1e-10)


@pytest.mark.parametrize("phi", ["tanh", "sigmoid", "softplus"])
def test_gradients_by_differences(phi):
    X, h0, G, W0, W1, b = drawn(1)
    found = backward_through_time(G, X, W1, unroll(X, W0, W1, b, h0, phi))

    def loss(**new):
        return np.sum(G * unroll(**{**good, **new}).h[1:])

    good = {"X": X, "W0": W0, "W1": W1, "b": b, "h0": h0, "phi": phi}
    for name in ("W0", "W1", "b", "h0"):
        for place in np.ndindex(good[name].shape):
            step = np.zeros_like(good[name])
            step[place] = 1e-6
            slope = (loss(**{name: good[name] + step}) - loss(**{name: good[name] - step})) / 2e-6
            assert getattr(found, name)[place] == pytest.approx(slope, abs=1e-6)


def test_unrolling_is_stepping():
    X, _, _, W0, W1, b = drawn(2)
    states, h = unroll(X, W0, W1, b), np.zeros((N, M))
    for t in range(T):
        h = recurrent_step(X[t], h, W0, W1, b)
        np.testing.assert_allclose(states.h[t + 1], h, atol=1e-14)


def test_four_steps_of_one_unit():
    """The worked example: 0.232264; without the factors w₁ it would be 0.209347."""
    w0, w1, w2, x, y = 0.6, 1.7, -0.8, np.array([0.3, -1.1, 0.8, 0.5]), 0.4
    cell = np.array([[w0]]), np.array([[w1]]), np.zeros(1)
    states = unroll(x[:, None, None], *cell, phi="sigmoid")
    a, h = states.a.ravel(), states.h.ravel()
    outer = 2 * (w2 * h[-1] - y) * w2
    assert outer * chain_terms(a, h[:-1], w1).sum() == pytest.approx(0.232264, abs=5e-7)
    without = np.cumprod(sigmoid_derivative(a)[::-1])[::-1] @ h[:-1]
    assert outer * without == pytest.approx(0.209347, abs=5e-7)
    G = np.zeros((4, 1, 1))
    G[-1] = outer
    found = backward_through_time(G, x[:, None, None], cell[1], states)
    assert found.W1[0, 0] == pytest.approx(0.232264, abs=5e-7)


@given(st.integers(1, 8), st.sampled_from(["tanh", "sigmoid"]), st.floats(-3, 3), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_terms_add_up(T, phi, w1, seed):
    rng = np.random.default_rng(seed)
    X, h0 = rng.normal(size=(T, 1, 1)), rng.normal(size=(1, 1))
    states = unroll(X, np.ones((1, 1)), np.array([[w1]]), np.zeros(1), h0, phi)
    G = np.zeros((T, 1, 1))
    G[-1] = 1.0
    found = backward_through_time(G, X, np.array([[w1]]), states).W1[0, 0]
    terms = chain_terms(states.a.ravel(), states.h.ravel()[:-1], w1, phi)
    assert terms.sum() == pytest.approx(found, abs=1e-12)


def test_keep_cuts_the_way_back():
    """With ξ = 0 before step 4 the gradient is that of the last steps alone, from a given state."""
    X, h0, G, W0, W1, b = drawn(3)
    states = unroll(X, W0, W1, b, h0)
    keep = np.ones(T)
    keep[3] = 0.0
    G[:3] = 0.0
    cut = backward_through_time(G, X, W1, states, keep)
    late = unroll(X[3:], W0, W1, b, states.h[3])
    alone = backward_through_time(G[3:], X[3:], W1, late)
    for name in ("W0", "W1", "b"):
        np.testing.assert_allclose(getattr(cut, name), getattr(alone, name), atol=1e-12)
    assert not cut.h0.any()


def test_reach_by_torch():
    X, h0, _, W0, W1, b = drawn(4)
    states = unroll(X, W0, W1, b, h0)
    found = reach(states, W1)
    assert found.shape == (T + 1, N) and (found[-1] == 1).all()
    for i in range(N):
        for j in (0, 3):

            def end(h, i=i, j=j):
                for t in range(j, T):
                    h = torch.tanh(torch.tensor(X[t, i] @ W0 + b) + h @ torch.tensor(W1))
                return h

            J = torch.autograd.functional.jacobian(end, torch.tensor(states.h[j, i]))
            assert found[j, i] == pytest.approx(float(torch.linalg.matrix_norm(J, 2)), rel=1e-9)


@pytest.mark.parametrize("gain", [0.5, 1.0, 1.5])
def test_an_orthogonal_matrix_stretches_by_its_gain(gain):
    """Without bends, that is with φ′ = 1, the reach is gain^(T − j) exactly."""
    rng = np.random.default_rng(5)
    Q = np.linalg.qr(rng.normal(size=(M, M)))[0]
    states = unroll(np.zeros((T, 1, D)), np.zeros((D, M)), gain * Q, np.zeros(M))
    np.testing.assert_allclose(reach(states, gain * Q)[:, 0], gain ** np.arange(T, -1, -1.0), rtol=1e-12)


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6), st.floats(1e-3, 1e3))
def test_clipping(g, longest):
    clipped = clip_by_norm(g, longest)
    length = np.linalg.norm(g)
    assert np.linalg.norm(clipped) == pytest.approx(min(length, longest), rel=1e-12, abs=1e-300)
    np.testing.assert_allclose(clipped * length, np.array(g) * np.linalg.norm(clipped), atol=1e-6, rtol=1e-9)
    reference = torch.nn.Parameter(torch.zeros(len(g), dtype=torch.float64))
    reference.grad = torch.tensor(g, dtype=torch.float64)
    torch.nn.utils.clip_grad_norm_([reference], longest)
    np.testing.assert_allclose(clipped, reference.grad, rtol=2e-3, atol=1e-9)  # torch adds 1e-6 to the length


def test_messages():
    X, h0, G, W0, W1, b = drawn()
    states = unroll(X, W0, W1, b, h0)
    with pytest.raises(ValueError, match="unroll: phi must be one of"):
        unroll(X, W0, W1, b, phi="cosine")
    with pytest.raises(ValueError, match=r"unroll: W1 must have shape \(5, 5\)"):
        unroll(X, W0, W1[:, :3], b)
    with pytest.raises(ValueError, match="backward_through_time: states must come from unroll with these"):
        backward_through_time(G[1:], X[1:], W1, states)
    with pytest.raises(ValueError, match="reach: states must come from unroll"):
        reach(states, W1[:3, :3])
    with pytest.raises(ValueError, match="clip_by_norm: longest must be above 0; got 0"):
        clip_by_norm([1.0], 0)
