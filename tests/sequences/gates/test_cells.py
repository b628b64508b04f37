"""The two cells against torch's, against a scalar version in plain Python, and where their gates are shut."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.core.device import seed
from chapters_src.sequences.gates import GRU, LSTM, gru_states, gru_step, lstm_states, lstm_step

B, D, M = 5, 3, 4


def normal(*shape, n=0):
    return torch.randn(*shape, generator=seed(n), dtype=torch.float64)


def lstm_weights(n=0):
    return normal(D, 4 * M, n=n), normal(M, 4 * M, n=n + 1), normal(4 * M, n=n + 2)


def gru_weights(n=0):
    return normal(D, 3 * M, n=n), normal(M, 3 * M, n=n + 1), normal(3 * M, n=n + 2), normal(3 * M, n=n + 3)


def from_torch(cell, order):
    """Weights of a cell of torch, its blocks in our order."""
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    end = "_l0" if isinstance(cell, torch.nn.RNNBase) else ""
    found = [getattr(cell, name + end).detach().chunk(len(order)) for name in names]
    W0, W1, b0, b1 = (torch.cat([blocks[k] for k in order]) for blocks in found)
    return W0.T, W1.T, b0, b1


def test_lstm_step_is_torchs():
    cell = torch.nn.LSTMCell(D, M, dtype=torch.float64)
    W0, W1, b0, b1 = from_torch(cell, (0, 1, 3, 2))
    x, h, c = normal(B, D), normal(B, M, n=1), normal(B, M, n=2)
    ours = lstm_step(x, h, c, W0, W1, b0 + b1)
    theirs = cell(x, (h, c))
    torch.testing.assert_close(ours.h, theirs[0], rtol=0, atol=1e-12)
    torch.testing.assert_close(ours.c, theirs[1], rtol=0, atol=1e-12)


def test_gru_step_is_torchs():
    cell = torch.nn.GRUCell(D, M, dtype=torch.float64)
    x, h = normal(B, D), normal(B, M, n=1)
    ours = gru_step(x, h, *from_torch(cell, (0, 1, 2)))
    torch.testing.assert_close(ours.h, cell(x, h), rtol=0, atol=1e-12)


@pytest.mark.parametrize("reset", ["before", "after"])
def test_gru_step_by_scalars(reset):
    """One state, worked out with math alone: for a single state both resets differ by the bias only."""
    x, h, w, v, b, k = 0.5, -0.4, (0.3, -0.2, 0.8), (1.1, 0.4, -0.7), (0.1, 0.2, -0.1), (0.0, 0.0, 0.3)
    r, u = (1 / (1 + math.exp(-(x * w[j] + h * v[j] + b[j] + k[j]))) for j in (0, 1))
    kept = r * (h * v[2] + k[2]) if reset == "after" else r * h * v[2] + k[2]
    candidate = math.tanh(x * w[2] + b[2] + kept)
    expected = (r, u, candidate, u * h + (1 - u) * candidate)
    x, h, w, v, b, k = (torch.tensor(one, dtype=torch.float64) for one in ([[x]], [[h]], [w], [v], b, k))
    step = gru_step(x, h, w, v, b, k, reset)
    for got, want in zip(step, expected, strict=True):
        assert float(got) == pytest.approx(want, abs=1e-12)


def test_the_two_resets_differ_with_several_states():
    x, h, weights = normal(B, D), normal(B, M, n=1), gru_weights()
    before, after = (gru_step(x, h, *weights, reset=one).h for one in ("before", "after"))
    assert (before - after).abs().max() > 0.01


def test_shut_gates_keep_and_open_ones_replace():
    x, h, c = normal(B, D), normal(B, M, n=1), normal(B, M, n=2)
    W0, W1, b = torch.zeros(D, 4 * M).double(), torch.zeros(M, 4 * M).double(), torch.zeros(4 * M).double()
    b[:M], b[M : 2 * M] = -40.0, 40.0
    torch.testing.assert_close(lstm_step(x, h, c, W0, W1, b).c, c)
    b[:M], b[M : 2 * M], b[3 * M :] = 40.0, -40.0, 0.7
    replaced = lstm_step(x, h, c, W0, W1, b).c
    torch.testing.assert_close(replaced, torch.full_like(c, math.tanh(0.7)))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.1, 20))
def test_a_gru_state_never_leaves_what_it_mixes(n, size):
    x, h = size * normal(B, D, n=n), torch.tanh(size * normal(B, M, n=n + 1))
    step = gru_step(x, h, *gru_weights(n))
    low, high = torch.minimum(h, step.h_tilde), torch.maximum(h, step.h_tilde)
    assert ((step.h >= low - 1e-12) & (step.h <= high + 1e-12)).all()


@pytest.mark.parametrize("length", [1, 2, 7])
def test_states_of_a_sequence_are_those_of_the_steps(length):
    X, h, c = normal(B, length, D), normal(B, M, n=1), normal(B, M, n=2)
    lstm, gru = lstm_weights(), gru_weights()
    H, G = lstm_states(X, h, c, *lstm), gru_states(X, h, *gru)
    g = h
    for t in range(length):
        step = lstm_step(X[:, t], h, c, *lstm)
        h, c, g = step.h, step.c, gru_step(X[:, t], g, *gru).h
        torch.testing.assert_close(H[:, t], h, rtol=0, atol=1e-12)
        torch.testing.assert_close(G[:, t], g, rtol=0, atol=1e-12)


def test_states_are_those_of_torchs_layers():
    X, zeros = normal(B, 9, D), torch.zeros(B, M).double()
    for layer, order, states in (
        (torch.nn.LSTM, (0, 1, 3, 2), lstm_states),
        (torch.nn.GRU, (0, 1, 2), gru_states),
    ):
        theirs = layer(D, M, batch_first=True, dtype=torch.float64)
        W0, W1, b0, b1 = from_torch(theirs, order)
        first = (zeros, zeros, W0, W1, b0 + b1) if states is lstm_states else (zeros, W0, W1, b0, b1)
        torch.testing.assert_close(states(X, *first), theirs(X)[0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("states", [lstm_states, gru_states])
def test_gradients_against_differences(states):
    X, h = normal(2, 4, D), normal(2, M, n=1)
    weights = (normal(2, M, n=3), *lstm_weights()) if states is lstm_states else gru_weights()
    leaves = [one.requires_grad_() for one in (X, h, *weights)]
    assert torch.autograd.gradcheck(states, leaves, eps=1e-6, atol=1e-7)


@pytest.mark.parametrize("wanted", [range(6), (3, 4, 5), (1, 2)])
def test_the_written_out_derivative_is_that_of_the_steps(wanted):
    """Autograd through `lstm_step` shares no code with the derivative of `lstm_states`."""
    leaves = [normal(B, 6, D), normal(B, M, n=1), normal(B, M, n=2), *lstm_weights(3)]
    for k in wanted:
        leaves[k].requires_grad_()
    (X, h, c, *weights), states = leaves, []
    for t in range(6):
        step = lstm_step(X[:, t], h, c, *weights)
        h, c = step.h, step.c
        states.append(h)
    for_each = normal(B, 6, M, n=9)
    theirs = torch.autograd.grad((for_each * torch.stack(states, 1)).sum(), [leaves[k] for k in wanted])
    ours = torch.autograd.grad((for_each * lstm_states(*leaves)).sum(), [leaves[k] for k in wanted])
    for mine, yours in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, yours, rtol=0, atol=1e-11)


def test_padding_leaves_the_state():
    X, h, weights = normal(2, 6, D), normal(2, M, n=1), gru_weights()
    mask = torch.tensor([[True] * 6, [True] * 3 + [False] * 3])
    masked, short = gru_states(X, h, *weights, mask), gru_states(X[1:, :3], h[1:], *weights)
    torch.testing.assert_close(masked[1, -1], short[0, -1])
    torch.testing.assert_close(masked[0], gru_states(X, h, *weights)[0])


def test_the_error_path_is_the_product_of_the_forget_gates():
    """With no road through the hidden state (W₁ = 0), ∂c_T/∂c₀ is exactly Πf."""
    X, c = normal(1, 12, D), normal(1, M, n=2).requires_grad_()
    W0, W1, b = lstm_weights()
    h, memory, product = torch.zeros(1, M).double(), c, torch.ones(1, M).double()
    for t in range(12):
        step = lstm_step(X[:, t], h, memory, W0, 0 * W1, b)
        h, memory, product = step.h, step.c, product * step.f
    torch.testing.assert_close(torch.autograd.grad(memory.sum(), c)[0], product.detach())


def test_worked_number_ninety_five_percent():
    assert pytest.approx(0.00592, abs=5e-6) == 0.95**100


def test_layers_start_as_their_seed_says():
    one, two, other = (LSTM(D, M, seed(n)) for n in (1, 1, 2))
    assert torch.equal(one.W1, two.W1) and not torch.equal(one.W1, other.W1)
    assert torch.equal(one.b.chunk(4)[1], torch.ones(M)) and float(one.b.sum().detach()) == M
    X = normal(B, 6, D).float()
    torch.testing.assert_close(one(X), lstm_states(X, one.zeros(X), one.zeros(X), one.W0, one.W1, one.b))
    gru = GRU(D, M, seed(3))
    torch.testing.assert_close(gru(X)[:, 0], gru.step(X[:, 0], gru.zeros(X)).h)
    assert LSTM(D, M, seed(0), device="meta")(X.to("meta")).shape == (B, 6, M)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: lstm_step(normal(B, D), normal(B, M), normal(B, M), *gru_weights()[:3]),
            r"lstm_step: W0 must have shape \(3, 16\), one per column of x; got \(3, 12\)",
        ),
        (
            lambda: gru_step(normal(B, D), normal(B, M), *gru_weights(), reset="never"),
            "gru_step: reset must be one of 'before', 'after'; got 'never'",
        ),
        (lambda: GRU(0, 3, seed(0)), "GRU: d must be at least 1; got 0"),
    ],
)
def test_messages(call, message):
    with pytest.raises(ValueError, match=message):
        call()
