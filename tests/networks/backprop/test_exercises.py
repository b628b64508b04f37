"""Answers as a student would write them, right and wrong."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from chapters_src.networks.autodiff import count_operations
from chapters_src.networks.backprop import exercises
from tests.verdicts import rejected

torch.set_num_threads(1)

# --- only the last layer is trained


def test_last_layer_alone_by_counting():
    widths = (784, 256, 256, 10)
    weights = [np.ones((a, b)) for a, b in pairwise(widths)]
    forward = count_operations(lambda X, A, B, C: X @ A @ B @ C, np.ones((1, 784)), *weights)["matmul"]
    backward = count_operations(lambda h, delta: h.T @ delta, np.ones((1, 256)), np.ones((1, 10)))["matmul"]
    assert exercises.last_layer_alone.check(backward / forward).accepted
    assert exercises.last_layer_alone.check(0.0095).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("layers that nobody trains", 2 * 2560 / 268800),
        ("the whole backward pass", (2 * 268800 - 784 * 256) / 268800),
        ("differ in size", 0.3333),
        ("still goes through all three", 1),
        ("all three products", 2560 / (784 * 256)),
        ("Which products", 0.5),
    ],
)
def test_last_layer_alone_wrong(hint, value):
    rejected(exercises.last_layer_alone, value, hint)


# --- the same weights in two layers


def test_same_weights_twice():
    assert exercises.same_weights_twice.false == 3
    assert "transposed" in exercises.same_weights_twice.check("3").message


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("2", ""), ("4", "false as that is")]
)
def test_same_weights_twice_wrong(line, why):
    rejected(exercises.same_weights_twice, line, why)


# --- one step of training


def letters(order):
    """The letters under which the page shows these lines."""
    question = exercises.one_step
    return "".join(question.labels[question._shown.index(int(number))] for number in order)


@pytest.mark.parametrize("order", ["1234567", "1234576"])
def test_one_step_orders_that_work(order):
    assert exercises.one_step.check(letters(order)).accepted


@pytest.mark.parametrize(
    ("order", "hint"),
    [
        ("1234657", "they have changed already"),
        ("1234756", "is made from delta1"),
        ("2134567", "need their pre-activations"),
        ("1243567", "starts from the output"),
        ("1324567", "reads what the first one puts out"),
    ],
)
def test_one_step_wrong(order, hint):
    rejected(exercises.one_step, letters(order), hint)


def test_one_step_against_torch():
    """The lines in order do one step of gradient descent; with W2 changed too early W1 goes wrong."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(6, 3)), np.eye(2)[rng.integers(0, 2, 6)]
    start = rng.normal(size=(3, 4)), rng.normal(size=(4, 2))
    leaves = [torch.tensor(W, requires_grad=True) for W in start]
    logits = torch.relu(torch.tensor(X) @ leaves[0]) @ leaves[1]
    torch.nn.functional.cross_entropy(logits, torch.tensor(Y)).backward()
    moved = [W - 0.3 * leaf.grad.numpy() for W, leaf in zip(start, leaves, strict=True)]

    def run(order):
        from scipy.special import softmax

        names = {"np": np, "softmax": softmax, "X": X, "Y": Y, "eta": 0.3}
        names |= {"W1": start[0].copy(), "W2": start[1].copy()}
        for number in order:
            exec(exercises.one_step.lines[int(number) - 1], names)
        return names["W1"], names["W2"]

    for order in ("1234567", "1234576"):
        for ours, theirs in zip(run(order), moved, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    assert not np.allclose(run("1234657")[0], moved[0])


# --- transposes that are missing


def broken(X, Y, W1, W2):
    a1 = X @ W1
    h1 = np.maximum(a1, 0)
    delta2 = 2 / len(X) * (h1 @ W2 - Y)
    delta1 = (delta2 @ W2) * (a1 > 0)
    return X.T @ delta1, delta2.T @ h1


def right(X, Y, W1, W2, mask=True, transposed=True, own_shape=True, scale=1.0):
    a1 = X @ W1
    h1 = a1 * (a1 > 0)
    delta2 = 2 * (h1 @ W2 - Y) / len(X) * scale
    back = np.einsum("ik,jk->ij" if transposed else "ik,kj->ij", delta2, W2)
    second = h1.T @ delta2
    return X.T @ (back * (a1 > 0) if mask else back), second if own_shape else second.T


def test_repaired_gradients_against_torch():
    def by_torch(X, Y, W1, W2):
        leaves = [torch.tensor(W, requires_grad=True) for W in (W1, W2)]
        miss = torch.relu(torch.tensor(X) @ leaves[0]) @ leaves[1] - torch.tensor(Y)
        (miss.square().sum() / len(X)).backward()
        return tuple(leaf.grad.numpy() for leaf in leaves)

    assert exercises.repaired_gradients.check(by_torch).accepted
    assert exercises.repaired_gradients.check(right).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("both mistakes", broken),
        ("the shape of what it belongs to", lambda *args: right(*args, own_shape=False)),
        ("through the transposed weights", lambda *args: right(*args, transposed=False)),
        ("keep it", lambda *args: right(*args, mask=False)),
        ("comes in twice", lambda X, *rest: right(X, *rest, scale=1 / len(X))),
        ("numpy will point", lambda X, Y, W1, W2: (0 * W1, 0 * W2)),
    ],
)
def test_repaired_gradients_wrong(hint, attempt):
    rejected(exercises.repaired_gradients, attempt, hint)


# --- a batch on which the mistake does not show


@pytest.mark.parametrize(
    "batch",
    [
        [[1, 1], [0.5, 0.5]],
        [[0.2, 0], [0.2, 0.5], [1, 0.9]],
        [[0, 0], [1, 1]],  # unit 1 is off for the zero row, which adds nothing to the gradient
        [[-1.2, -1], [1, 1]],  # unit 1 is off for the first row, whose output is right
    ],
)
def test_blind_batch_solutions(batch):
    assert exercises.blind_batch.check(np.array(batch, float)).accepted


@pytest.mark.parametrize(
    ("hint", "batch"),
    [
        ("Unit 1 is off for row 1", [[-1.0, 0.0], [1.0, 1.0]]),
        ("Unit 3 is off for row 2", [[1.0, 1.0], [0.1, 3.0]]),
        ("different examples", [[1.0, 1.0], [1.0, 1.0]]),
        ("every gradient is zero", [[0.6, 0.7], [1.2, 1.4]]),
        ("got shape (1, 2)", [[1.0, 1.0]]),
        ("got shape (2,)", [1.0, 1.0]),
        ("Finite numbers", [[1.0, np.nan], [1.0, 2.0]]),
    ],
)
def test_blind_batch_wrong(hint, batch):
    rejected(exercises.blind_batch, np.array(batch), hint)
