"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch
from scipy.special import softmax

from chapters_src.sequences.attention import exercises
from chapters_src.sequences.heads.gradients import attention_backward
from chapters_src.sequences.heads.multi_head import split_heads
from tests.verdicts import rejected

# --- the gradient at the query


def by_autograd(q, K, V, g):
    tq, tK, tV, tg = (torch.tensor(x) for x in (q, K, V, g))
    tq.requires_grad_()
    (tg @ (tV.T @ torch.softmax(tK @ tq / len(q) ** 0.5, 0))).backward()
    return tq.grad


def test_query_gradient_solution():
    assert exercises.query_gradient.check(by_autograd).message == "Accepted: 3 cases."

    def by_package(q, K, V, g):
        return attention_backward(*(torch.tensor(x) for x in (q[None], K, V, g[None]))).Q[0]

    assert exercises.query_gradient.check(by_package).accepted

    def by_jacobian(q, K, V, g):
        a = softmax(K @ q / np.sqrt(q.size))
        return (V @ g) @ (np.diag(a) - np.outer(a, a)) @ K / np.sqrt(q.size)

    assert exercises.query_gradient.check(by_jacobian).accepted


def weights(q, K):
    return softmax(K @ q / np.sqrt(len(q)))


GRADIENT_WRONG = {
    "1/\\sqrt d": lambda q, K, V, g: (V @ g * weights(q, K) - weights(q, K) * (weights(q, K) @ V @ g)) @ K,
    "if one grows, others shrink": lambda q, K, V, g: K.T @ (weights(q, K) * (V @ g)) / len(q) ** 0.5,
    "its Jacobian is missing": lambda q, K, V, g: K.T @ V @ g / len(q) ** 0.5,
    "a sigmoid for every key": lambda q, K, V, g: (
        K.T @ (weights(q, K) * (1 - weights(q, K)) * (V @ g)) / len(q) ** 0.5
    ),
    "weighted by a": lambda q, K, V, g: K.T @ (weights(q, K) * (V @ g - np.mean(V @ g))) / len(q) ** 0.5,
    "the sign": lambda q, K, V, g: -by_autograd(q, K, V, g),
    "walk back": lambda q, K, V, g: q,
}


@pytest.mark.parametrize("hint", GRADIENT_WRONG)
def test_query_gradient_wrong(hint):
    rejected(exercises.query_gradient, GRADIENT_WRONG[hint], hint)


# --- the questions that the page itself checks


def test_score_solution():
    assert exercises.score_for_half.check(np.log(999)).accepted
    assert exercises.score_for_half.check("6.91").accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (999, "not by s"),
        ("3", "natural logarithm"),
        (np.log2(999), "natural logarithm"),
        (np.log(999 / 2), "a third"),
        (0, "a thousandth"),
        ("1/2", "which score has it"),
        (5.0, "other 999 together"),
    ],
)
def test_score_wrong(value, hint):
    rejected(exercises.score_for_half, value, hint)


def test_the_change_that_is_not_seen():
    assert exercises.unseen.check("a").accepted
    for letter, hint in {"b": "from key to key", "c": "more decided", "d": "are not their mean"}.items():
        rejected(exercises.unseen, letter, hint)


def test_unseen_is_so():
    rng = np.random.default_rng(0)
    Q, K, c = rng.normal(size=(4, 3)), rng.normal(size=(5, 3)), rng.normal(size=3)
    weights = softmax(Q @ K.T, axis=1)
    assert np.allclose(softmax(Q @ (K + c).T, axis=1), weights)
    turned = c - (c @ Q.mean(0)) / (Q.mean(0) @ Q.mean(0)) * Q.mean(0)
    moved = K + np.outer([0, 0, 1, 0, 0], turned)
    for other in (softmax((Q + c) @ K.T, axis=1), softmax(2 * Q @ K.T, axis=1), softmax(Q @ moved.T, axis=1)):
        assert abs(other - weights).max() > 1e-3


def test_the_false_line():
    assert exercises.which_bias.check("3").accepted
    for line in "124":
        assert not exercises.which_bias.check(line).accepted
    assert "false as that is" in rejected(exercises.which_bias, "4", "Line 4 is right").message


# --- joining two halves


def test_join_solution():
    def by_bare_logarithms(m1, l1, o1, m2, l2, o2):
        m = np.maximum(m1, m2)
        return (
            m,
            np.exp(np.logaddexp(m1 + np.log(l1), m2 + np.log(l2)) - m),
            (np.exp(m1 - m) * o1 + np.exp(m2 - m) * o2),
        )

    assert exercises.join.check(by_bare_logarithms).message == "Accepted: 4 cases."


JOIN_WRONG = {
    "different units": lambda m1, l1, o1, m2, l2, o2: (max(m1, m2), l1 + l2, o1 + o2),
    "of their own m too": lambda m1, l1, o1, m2, l2, o2: (
        max(m1, m2),
        l1 * np.exp(m1 - max(m1, m2)) + l2 * np.exp(m2 - max(m1, m2)),
        o1 + o2,
    ),
    "the other way up": lambda m1, l1, o1, m2, l2, o2: (
        max(m1, m2),
        l1 * np.exp(max(m1, m2) - m1) + l2 * np.exp(max(m1, m2) - m2),
        o1 * np.exp(max(m1, m2) - m1) + o2 * np.exp(max(m1, m2) - m2),
    ),
    "not yet divided": lambda m1, l1, o1, m2, l2, o2: (
        max(m1, m2),
        l1 * np.exp(m1 - max(m1, m2)) + l2 * np.exp(m2 - max(m1, m2)),
        o1 / l1 * np.exp(m1 - max(m1, m2)) + o2 / l2 * np.exp(m2 - max(m1, m2)),
    ),
    "bare sums": lambda m1, l1, o1, m2, l2, o2: (
        max(m1, m2),
        np.exp(m1) * l1 + np.exp(m2) * l2,
        np.exp(m1) * o1 + np.exp(m2) * o2,
    ),
    "larger of the two": lambda m1, l1, o1, m2, l2, o2: (
        m1 + m2,
        np.exp(m1) * l1 + np.exp(m2) * l2,
        np.exp(m1) * o1 + np.exp(m2) * o2,
    ),
    "take the larger": lambda m1, l1, o1, m2, l2, o2: (m1, l1, o1),
}


@pytest.mark.parametrize("hint", JOIN_WRONG)
def test_join_wrong(hint):
    rejected(exercises.join, JOIN_WRONG[hint], hint)


def test_join_overflow_is_found():
    def through_bare_sums(m1, l1, o1, m2, l2, o2):
        m, total = max(m1, m2), np.exp(m1) * l1 + np.exp(m2) * l2
        return m, total / np.exp(m), (np.exp(m1) * o1 + np.exp(m2) * o2) / np.exp(m)

    with np.errstate(all="ignore"):
        assert not exercises.join.check(through_bare_sums).accepted


# --- a nearest key that is not heard


def test_misled_solution():
    assert exercises.misled.check((np.array([1.0, 0.0]), np.array([[1.0, 0.0], [5.0, 0.0]]))).accepted
    assert exercises.misled.check(([0.0, 2.0], [[0.1, 2.0], [0.0, 9.0], [3.0, 3.0]])).accepted


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (([1.0, 0.0], [[1.0, 0.0], [-5.0, 0.0]]), "gets 99.8 % of the weight"),
        (([0.0, 0.0], [[1.0, 0.0], [5.0, 0.0]]), "it gets 50 % of the weight"),
        (([1.0, 0.0], [[0.0, 0.0], [2.0, 0.0]]), "equally near"),
        (([1.0, 0.0], np.ones((6, 2))), "at most five rows"),
        (([1.0, 0.0, 0.0], np.ones((2, 3))), "Q has shape (2,)"),
        (([np.nan, 0.0], np.ones((2, 2))), "Finite numbers"),
        (np.ones(3), "a pair"),
    ],
)
def test_misled_wrong(attempt, hint):
    rejected(exercises.misled, attempt, hint)


# --- columns into heads


def test_into_heads_solution():
    def by_stacking(X, heads):
        return np.stack(np.split(X, heads, axis=1))

    assert exercises.into_heads.check(by_stacking).message == "Accepted: 3 cases."
    assert exercises.into_heads.check(lambda X, heads: split_heads(torch.tensor(X), heads)).accepted


HEADS_WRONG = {
    "cuts the sequence": lambda X, heads: X.reshape(heads, X.shape[0], X.shape[1] // heads),
    "deals the columns out": lambda X, heads: np.stack([X[:, h::heads] for h in range(heads)]),
    "expected shape (2, 4, 3), got shape (4, 2, 3)": lambda X, heads: X.reshape(
        X.shape[0], heads, X.shape[1] // heads
    ),
    "exchanged": lambda X, heads: np.stack([part.T for part in np.split(X, heads, axis=1)]),
    "give the columns two axes": lambda X, heads: np.stack([X] * heads),
}


@pytest.mark.parametrize("hint", HEADS_WRONG)
def test_into_heads_wrong(hint):
    rejected(exercises.into_heads, HEADS_WRONG[hint], hint)
