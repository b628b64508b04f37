"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch
from scipy.special import softmax

from chapters_src.sequences.heads import MultiHeadAttention, causal, exercises
from tests.verdicts import rejected

# --- what a long chat holds in memory


def gib(layers=24, kv_heads=4, width=128, tokens=16384, bytes_each=2, both=2):
    return both * layers * kv_heads * width * tokens * bytes_each / 2**30


def test_memory_by_the_layer_itself():
    """The keys and values that one layer makes for 16 tokens, counted and scaled up."""
    layer = MultiHeadAttention(2048, 16, torch.Generator(), kv_heads=4, device="meta")
    X = torch.empty(16, 2048, device="meta")
    numbers = (X @ layer.W_K).numel() + (X @ layer.W_V).numel()
    assert exercises.memory_of_keys.check(numbers * 24 * (16384 / 16) * 2 / 2**30).accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (gib(kv_heads=16), "each of the 16 heads"),
        (gib(both=1), "keys *and* values"),
        (gib(kv_heads=1), "here there are 4"),
        (gib(layers=1), "one layer"),
        (gib(width=2048), "not 2,048"),
        (gib(bytes_each=4), "not 4"),
        (7.0, "How wide is a head"),
    ],
)
def test_memory_wrong(value, hint):
    rejected(exercises.memory_of_keys, value, hint)


# --- filling on the left


def test_filling_has_nowhere_to_look():
    real = torch.tensor([False, False, True, True])  # two of four are filling, on the left
    seen = (causal(4) & real).any(1)
    assert torch.equal(seen, real)
    assert (causal(4) & real.flip(0)).any(1).all()  # on the right nobody is left out
    assert exercises.left_filling.check("a").accepted


@pytest.mark.parametrize(("letter", "why"), [("b", "itself"), ("c", "all real words"), ("d", "on the right")])
def test_filling_wrong(letter, why):
    rejected(exercises.left_filling, letter, why)


# --- two heads that look alike


def test_one_head_with_the_columns_of_both():
    rng = np.random.default_rng(0)
    A, X = softmax(rng.normal(size=(4, 4)), axis=1), rng.normal(size=(4, 6))
    W1, W2, U1, U2 = (rng.normal(size=s) for s in ((6, 3), (6, 3), (3, 6), (3, 6)))
    two = A @ X @ W1 @ U1 + A @ X @ W2 @ U2
    np.testing.assert_allclose(two, A @ X @ np.hstack([W1, W2]) @ np.vstack([U1, U2]))
    assert abs(two - A @ X @ (W1 + W2) @ (U1 + U2)).max() > 0.1
    assert exercises.alike.check("3").accepted


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_other_lines_are_rejected(line):
    verdict = exercises.alike.check(line)
    assert verdict.attempted and not verdict.accepted


# --- several heads, repaired


def by_einsum(X, W_Q, W_K, W_V, W_O, heads):
    Q, K, V = ((X @ W).reshape(len(X), heads, -1) for W in (W_Q, W_K, W_V))
    A = softmax(np.einsum("ihc,jhc->hij", Q, K) / Q.shape[-1] ** 0.5, axis=-1)
    return np.einsum("hij,jhc->ihc", A, V).reshape(X.shape) @ W_O


def by_package(X, W_Q, W_K, W_V, W_O, heads):
    layer = MultiHeadAttention(X.shape[1], heads, torch.Generator(), bias=False, dtype=torch.float64)
    with torch.no_grad():
        for name, W in (("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V), ("W_O", W_O)):
            getattr(layer, name).copy_(torch.tensor(W))
        return layer(torch.tensor(X)).numpy()


def written(split="ihc", merge="ihc", scale=None):
    """Variants by the order of axes, as a student would try them."""

    def attempt(X, W_Q, W_K, W_V, W_O, heads):
        T, d = X.shape
        cut = (lambda Z: Z.reshape(T, heads, -1).swapaxes(0, 1)) if split == "ihc" else None
        cut = cut or (lambda Z: Z.reshape(heads, T, -1))
        Q, K, V = (cut(X @ W) for W in (W_Q, W_K, W_V))
        A = softmax(Q @ K.swapaxes(1, 2) / np.sqrt(d if scale == "d" else d // heads), axis=-1)
        O = A @ V
        return (O.swapaxes(0, 1) if merge == "ihc" else O).reshape(T, d) @ W_O

    return attempt


def test_repaired_solution():
    for right in (by_einsum, by_package, written()):
        assert exercises.repaired.check(right).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (written(merge="hic", scale="d"), "right for one head only"),
        (written(scale="d"), "now the scale"),
        (written(merge="hic"), "now the merging"),
        (written(split="hic"), "cuts the sequence"),
        (lambda X, W_Q, W_K, W_V, W_O, heads: X @ W_V @ W_O, "two faults"),
    ],
)
def test_repaired_wrong(wrong, hint):
    rejected(exercises.repaired, wrong, hint)


# --- joining two parts


def by_logarithms(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    total = np.logaddexp(m1 + np.log(l1), m2 + np.log(l2))
    return m, np.exp(total - m), np.exp(m1 - m) * o1 + np.exp(m2 - m) * o2


def test_joined_solution():
    assert exercises.joined.check(by_logarithms).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda m1, l1, o1, m2, l2, o2: (max(m1, m2), l1 + l2, o1 + o2), "different units"),
        (lambda *x: (by_logarithms(*x)[0], by_logarithms(*x)[1], x[2] + x[5]), "their own"),
        (
            lambda *x: (*by_logarithms(*x)[:2], by_logarithms(*x)[2] / by_logarithms(*x)[1]),
            "very end",
        ),
        (
            lambda m1, l1, o1, m2, l2, o2: (
                max(m1, m2),
                l1 * np.exp(abs(m1 - m2) * (m1 < m2)) + l2 * np.exp(abs(m1 - m2) * (m2 < m1)),
                o1 * np.exp(abs(m1 - m2) * (m1 < m2)) + o2 * np.exp(abs(m1 - m2) * (m2 < m1)),
            ),
            "the other way up",
        ),
        (lambda m1, l1, o1, m2, l2, o2: (m1, l1, o1), "the larger"),
    ],
)
def test_joined_wrong(wrong, hint):
    rejected(exercises.joined, wrong, hint)


# --- stubs


@pytest.mark.parametrize("name", exercises.__all__)
def test_a_stub_is_not_an_attempt(name):
    exercise = getattr(exercises, name)
    assert not exercise.check(... if name not in ("repaired", "joined") else lambda *a, **k: ...).attempted
