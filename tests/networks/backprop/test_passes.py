"""Forward and backward by hand against torch, the engine of the chapter before, and complex steps."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.special
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.activations.functions import ACTIVATIONS
from chapters_src.networks.backprop.fast import loss_and_gradients_into
from chapters_src.networks.backprop.layers import initialise
from chapters_src.networks.backprop.passes import (
    LOSSES,
    Loss,
    Trace,
    backward,
    cross_entropy_loss,
    forward,
    loss_and_gradients,
    squared_loss,
)
from chapters_src.networks.shallow import flat
from chapters_src.studio.oracle import complex_step_gradient

torch.set_num_threads(1)
TORCH = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "leaky_relu": torch.nn.functional.leaky_relu,
    "softplus": torch.nn.functional.softplus,
    "elu": torch.nn.functional.elu,
    "gelu": torch.nn.functional.gelu,
    "silu": torch.nn.functional.silu,
}
shapes = st.lists(st.integers(1, 7), min_size=2, max_size=5).map(tuple)


def problem(sizes, n, seed, loss="cross-entropy", dtype=np.float64):
    rng = np.random.default_rng(seed)
    layers = [(W, rng.normal(size=b.shape).astype(dtype)) for W, b in initialise(sizes, rng, dtype=dtype)]
    X = rng.normal(size=(n, sizes[0])).astype(dtype)
    y = rng.integers(0, sizes[-1], n) if loss == "cross-entropy" else rng.normal(size=(n, sizes[-1]))
    return X, y if loss == "cross-entropy" else y.astype(dtype), layers


def by_torch(X, y, layers, phi, loss):
    tensors = [(torch.tensor(W, requires_grad=True), torch.tensor(b, requires_grad=True)) for W, b in layers]
    h = torch.tensor(X)
    for l, (W, b) in enumerate(tensors):
        h = (TORCH[phi](h) if l else h) @ W + b
    if loss == "cross-entropy":
        value = torch.nn.functional.cross_entropy(h, torch.tensor(y))
    else:
        value = ((h - torch.tensor(y)) ** 2).sum(dim=1).mean()
    value.backward()
    return value.item(), [(W.grad.numpy(), b.grad.numpy()) for W, b in tensors]


def worst(ours, theirs):
    """The largest difference of any gradient, relative to its array."""
    pairs = [pair for one, other in zip(ours, theirs, strict=True) for pair in zip(one, other, strict=True)]
    return max(np.abs(a - b).max() / max(np.abs(b).max(), 1e-4) for a, b in pairs)


@settings(max_examples=60)
@given(
    shapes,
    st.integers(1, 9),
    st.sampled_from(sorted(TORCH)),
    st.sampled_from(sorted(LOSSES)),
    st.integers(0, 2**32 - 1),
)
def test_gradients_equal_torch(sizes, n, phi, loss, seed):
    X, y, layers = problem(sizes, n, seed, loss)
    value, gradients = loss_and_gradients(layers, X, y, phi, loss)
    expected, theirs = by_torch(X, y, layers, phi, loss)
    assert value == pytest.approx(expected, rel=1e-12)
    assert worst(gradients, theirs) < 1e-10


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("phi", ["tanh", "relu", "sigmoid"])
def test_gradients_equal_the_engine(phi, loss):
    from chapters_src.networks.autodiff import reverse as autodiff
    from chapters_src.networks.autodiff.rules import networks as operations

    X, y, layers = problem((5, 8, 6, 3), 11, 1, loss)
    apply = np.tanh if phi == "tanh" else getattr(operations, phi)

    def total(parameters):
        h = X
        for l, (W, b) in enumerate(parameters):
            h = (apply(h) if l else h) @ W + b
        if loss == "squared":
            return ((h - y) ** 2).sum() / len(X)
        picked = (h * np.eye(3)[y]).sum()
        return (operations.logsumexp(h, axis=1).sum() - picked) / len(X)

    value, gradients = loss_and_gradients(layers, X, y, phi, loss)
    theirs, engine = autodiff.value_and_gradient(total)(layers)
    assert value == pytest.approx(float(theirs), rel=1e-12)
    assert worst(gradients, engine) < 1e-10


@pytest.mark.parametrize("phi", ["tanh", "sigmoid", "softplus"])
def test_gradients_equal_complex_steps(phi):
    """The second reference: nothing of torch and nothing of the chain rule."""
    sizes = (3, 4, 2)
    X, y, layers = problem(sizes, 5, 2)
    analytic = {
        "tanh": np.tanh,
        "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
        "softplus": lambda a: np.log(1 + np.exp(a)),
    }

    def total(theta):
        W1, b1, W2, b2 = theta[:12].reshape(3, 4), theta[12:16], theta[16:24].reshape(4, 2), theta[24:]
        a = analytic[phi](X @ W1 + b1) @ W2 + b2
        return np.mean(np.log(np.exp(a).sum(axis=1)) - a[np.arange(5), y])

    gradients = loss_and_gradients(layers, X, y, phi)[1]
    np.testing.assert_allclose(
        flat(gradients), complex_step_gradient(total, flat(layers)), rtol=1e-10, atol=1e-14
    )


def test_the_three_weight_network():
    """The worked example: three weights, no bias, a squared error; gradients to seven decimals."""
    layers = [(np.array([[w]]), np.zeros(1)) for w in (0.7, -1.3, 0.9)]
    value, gradients = loss_and_gradients(layers, [[1.5]], [[0.2]], "sigmoid", "squared")
    np.testing.assert_allclose(
        [W.item() for W, _ in gradients], [-0.0065563, 0.0129702, 0.0268811], atol=5e-8
    )
    h1 = scipy.special.expit(0.7 * 1.5)
    assert value == pytest.approx((0.9 * scipy.special.expit(-1.3 * h1) - 0.2) ** 2, rel=1e-14)


def test_forward_keeps_what_backward_needs():
    X, _, layers = problem((4, 3, 2), 6, 3)
    trace = forward(layers, X, "tanh")
    assert trace.h[0] is X
    np.testing.assert_allclose(trace.a[0], X @ layers[0][0] + layers[0][1])
    np.testing.assert_allclose(trace.h[1], np.tanh(trace.a[0]))
    np.testing.assert_allclose(trace.a[1], trace.h[1] @ layers[1][0] + layers[1][1])
    assert (len(trace.a), len(trace.h)) == (2, 2)


@pytest.mark.parametrize("loss", LOSSES)
def test_float32_stays_float32(loss):
    X, y, layers = problem((5, 6, 6, 3), 7, 4, loss, np.float32)
    trace = forward(layers, X.astype(np.float64))
    assert {one.dtype for one in (*trace.a, *trace.h)} == {np.dtype(np.float32)}
    value, gradients = loss_and_gradients(layers, X, y, loss=loss)
    assert {part.dtype for pair in gradients for part in pair} == {np.dtype(np.float32)}
    expected, theirs = by_torch(X, y, layers, "relu", loss)
    assert value == pytest.approx(expected, rel=1e-5)
    assert worst(gradients, theirs) < 1e-4


def test_nothing_given_is_changed():
    X, y, layers = problem((4, 5, 3), 6, 5)
    before = copy.deepcopy((X, y, layers))
    trace = forward(layers, X)
    stored = copy.deepcopy(trace)
    delta = cross_entropy_loss(trace.a[-1], y).delta
    kept = delta.copy()
    backward(trace, layers, delta)
    np.testing.assert_array_equal(delta, kept)
    for one, other in zip((*stored.a, *stored.h), (*trace.a, *trace.h), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(flat(layers), flat(before[2]))


@given(st.integers(1, 6), st.integers(1, 6), st.floats(0.01, 300), st.integers(0, 2**32 - 1))
def test_cross_entropy_against_scipy(n, K, scale, seed):
    rng = np.random.default_rng(seed)
    logits, y = scale * rng.normal(size=(n, K)), rng.integers(0, K, n)
    value, delta = cross_entropy_loss(logits, y)
    assert value == pytest.approx(
        -scipy.special.log_softmax(logits, axis=1)[np.arange(n), y].mean(), rel=1e-9, abs=1e-12
    )
    np.testing.assert_allclose(delta * n, scipy.special.softmax(logits, axis=1) - np.eye(K)[y], atol=1e-12)
    np.testing.assert_allclose(delta.sum(axis=1), 0, atol=1e-14)


def test_cross_entropy_does_not_overflow():
    value, delta = cross_entropy_loss(np.array([[1000.0, 0.0], [-1000.0, 0.0]]), np.array([0, 0]))
    assert value == 500
    np.testing.assert_array_equal(delta, [[0, 0], [-0.5, 0.5]])


def test_squared_error_is_a_mean_over_rows_and_a_sum_over_outputs():
    value, delta = squared_loss(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 2.0], [3.0, 2.0]]))
    assert value == 2.5
    np.testing.assert_array_equal(delta, [[1, 0], [0, 2]])


@given(st.integers(0, 2**32 - 1))
def test_relu_networks_do_not_see_how_scale_is_split(seed):
    """Twice the first weights and half the second give the same output, and gradients to match."""
    X, y, ((W, b), (V, c)) = problem((3, 5, 2), 4, seed)
    value, ((gW, gb), (gV, gc)) = loss_and_gradients([(W, b), (V, c)], X, y)
    other, ((hW, hb), (hV, hc)) = loss_and_gradients([(2 * W, 2 * b), (V / 2, c)], X, y)
    assert value == other
    for twice, once in ((gW, hW * 2), (gb, hb * 2), (gV, hV / 2), (gc, hc)):
        np.testing.assert_allclose(twice, once, rtol=1e-12, atol=1e-16)


X, y, LAYERS = problem((3, 4, 2), 5, 0)
TRACE = forward(LAYERS, X)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: forward(LAYERS, X[:, :2]),
            r"forward: X must have shape \(n, 3\), one column per row of the first W",
        ),
        (lambda: forward(LAYERS, X[0]), r"forward: X must have two axes, shape \(n, d\)"),
        (lambda: forward(LAYERS, "X"), "forward: X must hold real numbers"),
        (lambda: forward(LAYERS, X, "relux"), "forward: phi must be one of 'step', 'sigmoid'"),
        (lambda: forward(LAYERS, X, None), "forward: phi must be a text; got None"),
        (
            lambda: forward(LAYERS[::-1], X),
            r"forward: layers\[1\]\.W must have shape \(2, units\), one row per unit of layer 0",
        ),
        (
            lambda: forward([(LAYERS[0][0], np.ones(3))], X),
            r"forward: layers\[0\]\.b must have shape \(4,\), one per column of W",
        ),
        (
            lambda: forward(LAYERS[0][0], X),
            r"forward: layers must be a list of pairs \(W, b\); got a ndarray",
        ),
        (lambda: forward([(np.float32(LAYERS[0][0]), LAYERS[0][1])], X), "layers must be of one precision"),
        (lambda: backward(TRACE, LAYERS, np.ones((5, 3))), r"delta must have shape \(5, 2\), as the output"),
        (lambda: backward(TRACE, LAYERS[:1], np.ones((5, 4))), "trace must come from forward with these"),
        (lambda: backward(None, LAYERS, np.ones((5, 2))), "backward: trace must be a Trace"),
        (lambda: backward(TRACE, LAYERS, np.full((5, 2), np.nan)), "backward: delta must be finite"),
        (lambda: loss_and_gradients_into(LAYERS[:1], LAYERS, X, y), "_into: out must have the shapes"),
        (
            lambda: loss_and_gradients_into([(W.tolist(), b) for W, b in LAYERS], LAYERS, X, y),
            "loss_and_gradients_into: out must have the shapes of the layers, in their precision",
        ),
        (
            lambda: loss_and_gradients_into([(np.float32(W), b) for W, b in LAYERS], LAYERS, X, y),
            "loss_and_gradients_into: out must have the shapes of the layers, in their precision",
        ),
        (lambda: cross_entropy_loss(np.ones(3), [0]), "cross_entropy_loss: logits must have two axes"),
        (lambda: cross_entropy_loss(np.ones((2, 3)), [0]), r"cross_entropy_loss: y must have shape \(2,\)"),
        (lambda: cross_entropy_loss(np.ones((2, 3)), [0, 3]), "y must hold class numbers from 0 to 2; got 3"),
        (lambda: cross_entropy_loss(np.ones((2, 3)), [0, -1]), "y must hold class numbers from 0 to 2"),
        (lambda: cross_entropy_loss(np.ones((2, 3)), [0, 0.5]), "y must hold whole numbers"),
        (lambda: squared_loss(np.ones((2, 3)), np.ones((3, 2))), r"y must have shape \(2, 3\)"),
        (lambda: squared_loss(np.ones((2, 1)), np.ones(2)), r"y must have shape \(2, 1\)"),
        (
            lambda: loss_and_gradients(LAYERS, X, y, loss="hinge"),
            "loss must be one of 'cross-entropy', 'squared'",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@given(
    st.sampled_from(["X", "W1", "b1", "W2", "b2"]),
    st.sampled_from([np.nan, np.inf, -np.inf]),
    st.sampled_from(["relu", "tanh", "sigmoid"]),
    st.sampled_from([np.float32, np.float64]),
    st.data(),
)
def test_what_is_not_finite_is_named(which, bad, phi, dtype, draw):
    parts = {"X": X, "W1": LAYERS[0][0], "b1": LAYERS[0][1], "W2": LAYERS[1][0], "b2": LAYERS[1][1]}
    parts = {name: part.astype(dtype) for name, part in parts.items()}
    at = tuple(draw.draw(st.integers(0, side - 1)) for side in parts[which].shape)
    parts[which][at] = bad
    layers = [(parts["W1"], parts["b1"]), (parts["W2"], parts["b2"])]
    where = "X" if which == "X" else rf"layers\[{int(which[1]) - 1}\].{which[0]}"
    with pytest.raises(ValueError, match=rf"^loss_and_gradients: {where} must be finite; got {bad}"):
        loss_and_gradients(layers, parts["X"], y, phi)


def test_overflow_is_not_the_caller_s_fault_and_says_where():
    layers = [(np.full((3, 4), 1e200), np.zeros(4)), (np.full((4, 2), 1e200), np.zeros(2))]
    with pytest.raises(FloatingPointError, match="the numbers of layer 2 overflow float64"):
        forward(layers, np.ones((5, 3)))
    small = forward(layers, np.full((5, 3), 1e-300))
    with pytest.raises(FloatingPointError, match="the gradients overflow"):
        backward(small, layers, np.full((5, 2), 1e200))
    # every Δ is finite here, and the gradient of the last weights, hᵀΔ, is not
    steep = [(np.full((3, 4), 1e200), np.zeros(4)), (np.full((4, 2), 1e-200), np.zeros(2))]
    with pytest.raises(FloatingPointError, match="the gradients overflow"):
        backward(forward(steep, np.ones((5, 3))), steep, np.full((5, 2), 1e200))


def test_types_say_what_is_inside():
    assert isinstance(cross_entropy_loss(np.zeros((2, 3)), [0, 1]), Loss)
    assert isinstance(TRACE, Trace)
    assert set(TORCH) <= set(ACTIVATIONS)
