"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.networks.deep import exercises
from chapters_src.networks.deep.network import compose, folding, random_network, zigzag
from chapters_src.networks.deep.regions import count_pieces
from chapters_src.studio.oracle import complex_step_gradient
from tests.verdicts import rejected

# --- the derivative of Mish


def test_mish_solution():
    def by_torch(a):
        t = torch.tensor(a, requires_grad=True)
        return torch.autograd.grad(torch.nn.functional.mish(t).sum(), t)[0].numpy()

    assert exercises.mish_derivative.check(by_torch).message == "Accepted: 4 cases."

    def by_complex_step(a):
        f = lambda t: (t * np.tanh(np.log(1 + np.exp(t)))).sum()  # noqa: E731
        return complex_step_gradient(f, a)

    assert exercises.mish_derivative.check(by_complex_step).accepted


def tanh_softplus(a):
    return np.tanh(np.log1p(np.exp(a)))


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


MISH_WRONG = {
    "a product has two terms": tanh_softplus,
    "a first term too": lambda a: a / np.cosh(np.log1p(np.exp(a))) ** 2 * sigmoid(a),
    "one link further": lambda a: tanh_softplus(a) + a / np.cosh(np.log1p(np.exp(a))) ** 2,
    r"is missing: 1 - \tanh^2": lambda a: tanh_softplus(a) + a * sigmoid(a),
    "integral of the sigmoid": lambda a: (
        tanh_softplus(a) + a * (1 - tanh_softplus(a) ** 2) * sigmoid(a) * (1 - sigmoid(a))
    ),
    "not at a": lambda a: tanh_softplus(a) + a * (1 - np.tanh(a) ** 2) * sigmoid(a),
    "check the sign": lambda a: tanh_softplus(a) + a * (1 + tanh_softplus(a) ** 2) * sigmoid(a),
    "product rule first": lambda a: np.ones_like(a),
    "expected shape (3,), got shape ()": lambda a: float(np.sum(a)),
}


@pytest.mark.parametrize("hint", MISH_WRONG)
def test_mish_wrong(hint):
    rejected(exercises.mish_derivative, MISH_WRONG[hint], hint)


# --- two linear maps as one


def test_merged_solution():
    def with_ones(V, c, U, d):
        first = np.block([[V, np.zeros((len(V), 1))], [c, np.ones(1)]])
        return first @ np.vstack([U, d])

    assert exercises.merged.check(with_ones).message == "Accepted: 4 cases."

    def by_composing(V, c, U, d):
        W, b = compose([(V, c)], [(U, d)])[0]
        return np.vstack([W, b])

    assert exercises.merged.check(by_composing).accepted


MERGED_WRONG = {
    "a bias of its own": lambda V, c, U, d: np.vstack([V, c]) @ U,
    "goes through U too": lambda V, c, U, d: np.concatenate([V @ U, d[None]]),
    "y is multiplied by U": lambda V, c, U, d: np.vstack([V @ U, c + d]),
    "not subtracted": lambda V, c, U, d: np.vstack([V @ U, c @ U - d]),
    "multiply out": lambda V, c, U, d: np.vstack([2 * V @ U, c @ U + d]),
    "got shape (3, 2)": lambda V, c, U, d: V @ U,
}


@pytest.mark.parametrize("hint", MERGED_WRONG)
def test_merged_wrong(hint):
    rejected(exercises.merged, MERGED_WRONG[hint], hint)


# --- a forward pass


def test_predict_solution():
    def by_torch(X, W1, b1, W2, b2, W3, b3):
        X, W1, b1, W2, b2, W3, b3 = map(torch.tensor, (X, W1, b1, W2, b2, W3, b3))
        return torch.relu(torch.relu(X @ W1 + b1) @ W2 + b2) @ W3 + b3

    assert exercises.predict.check(by_torch).message == "Accepted: 3 cases."


def hinge(a):
    return a * (a > 0)


PREDICT_WRONG = {
    "may be negative": lambda X, W1, b1, W2, b2, W3, b3: hinge(hinge(hinge(X @ W1 + b1) @ W2 + b2) @ W3 + b3),
    "one linear map": lambda X, W1, b1, W2, b2, W3, b3: X @ W1 @ W2 @ W3 + (b1 @ W2 + b2) @ W3 + b3,
    "the second hidden layer": lambda X, W1, b1, W2, b2, W3, b3: (hinge(X @ W1 + b1) @ W2 + b2) @ W3 + b3,
    "the first hidden layer": lambda X, W1, b1, W2, b2, W3, b3: hinge((X @ W1 + b1) @ W2 + b2) @ W3 + b3,
    "every layer has a bias": lambda X, W1, b1, W2, b2, W3, b3: hinge(hinge(X @ W1) @ W2) @ W3,
    "before the activation, not after": lambda X, W1, b1, W2, b2, W3, b3: (
        hinge((hinge(X @ W1) + b1) @ W2 + b2) @ W3 + b3
    ),
    "and the output is": lambda X, W1, b1, W2, b2, W3, b3: np.zeros((len(X), len(b3))),
    "raised ValueError": lambda X, W1, b1, W2, b2, W3, b3: W1.T @ X @ W2,
}


@pytest.mark.parametrize("hint", PREDICT_WRONG)
def test_predict_wrong(hint):
    rejected(exercises.predict, PREDICT_WRONG[hint], hint)


# --- parameters


def test_how_many_solution_by_counting_in_torch():
    parts = [torch.nn.Linear(64, 32), torch.nn.Linear(32, 32), torch.nn.Linear(32, 10)]
    assert exercises.how_many.check(sum(p.numel() for part in parts for p in part.parameters())).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("weights alone", 64 * 32 + 32 * 32 + 32 * 10),
        ("not to an input", 33 * 64 + 33 * 32 + 11 * 32),
        ("two hidden layers", 65 * 32 + 33 * 10),
        ("output units have biases", 65 * 32 + 33 * 32 + 32 * 10),
        ("inputs have no bias", 3466 + 64),
        ("one weight per input", 138),
    ],
)
def test_how_many_wrong(hint, value):
    verdict = rejected(exercises.how_many, value, hint)
    assert "3466" not in verdict.message


# --- pieces of a small network


def test_most_pieces_solution():
    assert exercises.most_pieces.check(13).accepted


def test_most_pieces_is_reached_and_not_exceeded():
    # (h₁, h₂) comes in along one axis, crosses over at h₁ + h₂ = 2 and leaves along the other; five lines
    # h₁ + h₂ = 3, …, 7 meet it twice each
    two_and_five = [
        ([[-1.0, 1.0]], [1.0, 1.0]),
        (-np.ones((2, 5)), np.arange(3.0, 8.0)),
        (np.ones((5, 1)), [0.0]),
    ]
    assert count_pieces(two_and_five) == 13
    rng = np.random.default_rng(0)
    found = [count_pieces(random_network([1, 2, 5, 1], rng, bias=1.0)) for _ in range(100)]
    assert max(found) <= 13


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("that is the bound", 18),
        ("an even number", 17),
        ("one piece more than joints", 12),
        ("more than once", 8),
        ("pieces are one more", 7),
        ("draw the path", 11),
    ],
)
def test_most_pieces_wrong(hint, value):
    rejected(exercises.most_pieces, value, hint)


# --- a deep network that is a straight line

TURN = np.array([[1.0, -1.0]])
CARRY = np.array([[1.0, -1.0], [-1.0, 1.0]])


def test_straight_solution():
    easy = [(TURN, [0.0, 0.0]), (CARRY, [0.0, 0.0]), ([[1.0], [-1.0]], [0.0])]
    assert exercises.straight.check(easy).message == "Accepted."
    mixed = [  # the same with a bias that shifts what is carried
        (TURN, [0.0, 0.0]),
        (CARRY, [5.0, -5.0]),
        ([[1.0], [-1.0]], [2.0]),
    ]
    assert exercises.straight.check(mixed).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("has 2 pieces", [(TURN, [0.0, 0.0]), (CARRY, [0.0, 0.0]), ([[1.0], [1.0]], [0.0])]),
        ("a weight is zero", [([[1.0, -1.0]], [0, 0]), (np.eye(2), [0, 0]), ([[1.0], [-1.0]], [0.0])]),
        ("is constant", [(TURN, [0.0, 0.0]), (-np.ones((2, 2)), [-1.0, -1.0]), ([[1.0], [1.0]], [0.0])]),
        ("two hidden layers", [(TURN, [0.0, 0.0]), ([[1.0], [-1.0]], [0.0])]),
        ("yours have widths [1, 1]", [([[1.0]], [0.0]), ([[1.0]], [0.0]), ([[1.0]], [0.0])]),
        ("have shape (2, units)", [(TURN, [0.0, 0.0]), (np.ones((3, 2)), [0, 0]), ([[1.0], [1.0]], [0.0])]),
        ("one input", [(CARRY, [0.0, 0.0]), (CARRY, [0.0, 0.0]), ([[1.0], [1.0]], [0.0])]),
        ("list of pairs", 3.0),
    ],
)
def test_straight_wrong(hint, attempt):
    verdict = exercises.straight.check(attempt)
    assert not verdict.accepted and verdict.attempted
    assert hint.lower() in verdict.message.lower(), verdict.message


# --- many pieces from few units


def test_folded_solution():
    assert exercises.folded_often.check(folding(3, 3)).message == "Accepted."


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("it has 27 pieces", compose(compose(zigzag(3), zigzag(3)), zigzag(3))),
        ("at most ten hidden units", folding(4, 3)),
        ("in at most three layers", compose(compose(zigzag(2), zigzag(2)), compose(zigzag(2), zigzag(2)))),
        ("not 50", random_network([1, 3, 3, 4, 1], np.random.default_rng(0), 1.5, 0.5)),
        ("one input", random_network([2, 3, 1], np.random.default_rng(0))),
        ("list of pairs", "folding(3, 3)"),
    ],
)
def test_folded_wrong(hint, attempt):
    verdict = exercises.folded_often.check(attempt)
    assert not verdict.accepted and verdict.attempted
    assert hint.lower() in verdict.message.lower(), verdict.message
