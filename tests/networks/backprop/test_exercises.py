"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import scipy.special
import torch

from chapters_src.networks.backprop import exercises
from chapters_src.networks.backprop.layers import multiplications
from chapters_src.networks.backprop.passes import forward
from chapters_src.networks.backprop.training import dead_units
from chapters_src.studio.oracle import autograd_gradient
from tests.verdicts import rejected

# --- the binary cross-entropy


def test_binary_delta_solution():
    def by_torch(a, y):
        loss = torch.nn.functional.binary_cross_entropy_with_logits
        return autograd_gradient(lambda t, y: loss(t, y), a, y)

    assert exercises.binary_delta.check(by_torch).message == "Accepted: 4 cases."


p = scipy.special.expit
BINARY_WRONG = {
    "where did 1/n go": lambda a, y: p(a) - y,
    "check the sign": lambda a, y: np.where(y == 1, 1 - p(a), -p(a)) / y.size,
    "cancels against": lambda a, y: (p(a) - y) * p(a) * p(-a) / y.size,
    "derivative by the probability": lambda a, y: np.where(y == 1, -1 / p(a), 1 / p(-a)) / y.size,
    "not a": lambda a, y: (a - y) / y.size,
    "belongs to the squared error": lambda a, y: 2 * (p(a) - y) / y.size,
    "differentiate by a": lambda a, y: p(a) / y.size,
}


@pytest.mark.parametrize("hint", BINARY_WRONG)
def test_binary_delta_wrong(hint):
    rejected(exercises.binary_delta, BINARY_WRONG[hint], hint)


# --- one layer


def test_layer_backward_solution():
    def by_torch(a, W, delta):
        def scalar(a, W, b, delta):
            return ((a.tanh() @ W + b) * delta).sum()

        b = np.zeros(W.shape[1])
        return (
            autograd_gradient(lambda W, a, b, d: scalar(a, W, b, d), W, a, b, delta),
            autograd_gradient(lambda b, a, W, d: scalar(a, W, b, d), b, a, W, delta),
            autograd_gradient(lambda a, W, b, d: scalar(a, W, b, d), a, W, b, delta),
        )

    assert exercises.layer_backward.check(by_torch).message == "Accepted: 4 cases."


def parts(a, W, delta):
    h = np.tanh(a)
    return h, h.T @ delta, np.ones(len(a)) @ delta, np.einsum("nk,jk->nj", delta, W) / np.cosh(a) ** 2


def layer_wrong(change):
    return lambda a, W, delta: change(*parts(a, W, delta), a, W, delta)


LAYER_WRONG = {
    "still has to pass the tanh": layer_wrong(lambda h, g, s, d, a, W, delta: (g, s, delta @ W.T)),
    "not 1-a^2": layer_wrong(lambda h, g, s, d, a, W, delta: (g, s, (1 - a * a) * (delta @ W.T))),
    "the weights are transposed": layer_wrong(
        lambda h, g, s, d, a, W, delta: (g, s, (delta @ W) * (1 - h**2))
    ),
    "sum, because": layer_wrong(lambda h, g, s, d, a, W, delta: (g, np.mean(delta, axis=0), d)),
    "here it comes in twice": layer_wrong(lambda h, g, s, d, a, W, delta: (g / len(h), s / len(h), d)),
    "and not a": layer_wrong(lambda h, g, s, d, a, W, delta: (a.T @ delta, s, d)),
    "shape of what it belongs to": layer_wrong(lambda h, g, s, d, a, W, delta: (delta.T @ h, s, d)),
    "three products": layer_wrong(lambda h, g, s, d, a, W, delta: (-g, s, d)),
    "expected 3 values": layer_wrong(lambda h, g, s, d, a, W, delta: (g, d)),
}


@pytest.mark.parametrize("hint", LAYER_WRONG)
def test_layer_backward_wrong(hint):
    rejected(exercises.layer_backward, LAYER_WRONG[hint], hint)


# --- costs


def test_backward_share_solution():
    forward_cost, backward_cost = multiplications((784, 256, 256, 10), 256)
    assert exercises.backward_share.check(backward_cost / forward_cost).accepted
    assert exercises.backward_share.check(1.253).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("saves one product", 2),
        ("two products", 1),
        ("counts the forward pass", 2.2533),
        ("not the last", 1.9905),
        ("each of its two products", 1.5),
    ],
)
def test_backward_share_wrong(hint, value):
    rejected(exercises.backward_share, value, hint)


# --- the steady weight


def test_steady_weight_solution():
    slope = autograd_gradient(lambda a: torch.sigmoid(a), 0.0)
    assert exercises.steady_weight.check(1 / float(slope)).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("below 1 everywhere", 1),
        ("has to make up", 0.25),
        ("its slope is not", 2),
        ("ten layers at once", 4**10),
        ("what is σ", 3.5),
    ],
)
def test_steady_weight_wrong(hint, value):
    verdict = exercises.steady_weight.check(value)
    assert not verdict.accepted and verdict.attempted
    if "σ" not in hint:
        assert hint in verdict.message, verdict.message


# --- the kink


@pytest.mark.parametrize("value", [0.0, 5e-5, -3e-5, np.float64(7e-5)])
def test_kink_solution(value):
    assert exercises.kink.check(value).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("to the right of the kink", 1.0),
        ("to the left of the kink", -0.3),
        ("both give 1", 9.9e-5),
        ("one finite number", np.ones(2)),
        ("one finite number", np.nan),
    ],
)
def test_kink_wrong(hint, attempt):
    rejected(exercises.kink, attempt, hint)


# --- dead units


def test_momentary_death_solution():
    W, b = 0.1 * np.ones((2, 3)), [-0.5, -0.6, -2.0]
    assert exercises.momentary_death.check((W, b)).accepted
    trace = forward([(W, np.array(b)), (np.ones((3, 1)), np.zeros(1))], exercises.CORNERS)
    np.testing.assert_array_equal(dead_units(trace), [1.0])


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("Unit 0 fires on 4 of the four", (np.ones((2, 3)), np.zeros(3))),
        ("Unit 2 fires on 1 of the four", (np.ones((2, 3)), [-9.0, -9.0, -4.5])),
        ("has to be positive", (-np.ones((2, 3)), np.zeros(3))),
        ("has to be positive", (np.zeros((2, 3)), -np.ones(3))),
        ("got (3, 2) and (3,)", (np.ones((3, 2)), -9 * np.ones(3))),
        ("Give a pair", np.ones((2, 3))),
        ("Finite numbers", (np.ones((2, 3)), [np.nan, -9, -9])),
    ],
)
def test_momentary_death_wrong(hint, attempt):
    rejected(exercises.momentary_death, attempt, hint)
