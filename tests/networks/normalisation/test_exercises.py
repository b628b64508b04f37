"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from chapters_src.networks.normalisation import batch_norm, exercises
from tests.verdicts import rejected

# --- one against four


def test_one_against_four_by_running_it():
    out = batch_norm(np.array([[3.1]] * 4 + [[3.6]]), [2.0], [1.0], eps=0.0)
    assert exercises.one_against_four.check(out[4, 0]).accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (2.0, "alone"),
        (4.0, "the shift is missing"),
        (0.0, "the other four"),
        (2 * 0.4 / np.std([3.1] * 4 + [3.6], ddof=1) + 1, "n-1"),
        (1.8, "did not divide"),
        (21.0, "take its root"),
        (3.0, "a batch of two"),
        (7.0, "where is the mean"),
    ],
)
def test_one_against_four_wrong(answer, hint):
    rejected(exercises.one_against_four, answer, hint)


# --- a bias before the norm


def test_the_bias_has_no_gradient():
    X = torch.randn(8, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    b = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    F.batch_norm(X + b, None, None, training=True).pow(3).sum().backward()
    assert b.grad.abs().max() < 1e-12
    assert exercises.bias_before_the_norm.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "the same for every bias"), ("b", "moves along"), ("d", "This one is zero")]
)
def test_bias_wrong(letter, why):
    rejected(exercises.bias_before_the_norm, letter, why)


# --- the false line


def test_rms_backward():
    assert exercises.rms_backward.false == 3
    assert "length" in exercises.rms_backward.check("3").message


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("2", ""), ("4", "false as that is")]
)
def test_rms_backward_wrong(line, why):
    rejected(exercises.rms_backward, line, why)


# --- one layer for two


def folded(W, b, gain, shift, mean, variance, eps):
    at_zero = gain * (b - mean) / np.sqrt(variance + eps) + shift
    rows = [gain * (row + b - mean) / np.sqrt(variance + eps) + shift - at_zero for row in W]
    return np.array(rows), at_zero


def test_folded_layer():
    assert exercises.folded_layer.check(folded).accepted


def test_the_folded_layer_is_torchs_two():
    case = exercises.folded_layer.cases[1]
    X = np.random.default_rng(5).normal(size=(6, 3))
    stored = [torch.tensor(case[name]) for name in ("mean", "variance", "gain", "shift")]
    both = F.batch_norm(torch.tensor(X @ case["W"] + case["b"]), *stored, training=False, eps=0.1)
    W, b = folded(**case)
    np.testing.assert_allclose(X @ W + b, both, atol=1e-12)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (
            lambda W, b, gain, shift, mean, variance, eps: (
                W * gain / (variance + eps) ** 0.5,
                b + shift - gain * mean / (variance + eps) ** 0.5,
            ),
            "the bias is part",
        ),
        (
            lambda W, b, gain, shift, mean, variance, eps: (
                W * gain / (variance + eps) ** 0.5,
                gain * b / (variance + eps) ** 0.5 + shift,
            ),
            "stored mean",
        ),
        (
            lambda W, b, gain, shift, mean, variance, eps: (
                W * gain / (variance + eps),
                gain * (b - mean) / (variance + eps) + shift,
            ),
            "not by the variance",
        ),
        (
            lambda W, b, gain, shift, mean, variance, eps: (
                W * gain / (variance**0.5 + eps),
                gain * (b - mean) / (variance**0.5 + eps) + shift,
            ),
            "under the root",
        ),
        (
            lambda W, b, gain, shift, mean, variance, eps: (
                np.diag(gain / (variance + eps) ** 0.5) @ W,
                gain * (b - mean) / (variance + eps) ** 0.5 + shift,
            ),
            "belongs to columns",
        ),
        (lambda W, b, gain, shift, mean, variance, eps: (W, b), "collect"),
    ],
)
def test_folded_wrong(answer, hint):
    rejected(exercises.folded_layer, answer, hint)


# --- batch norm for images


def image_norm(x, gain, shift, eps):
    """By torch."""
    tensors = [torch.tensor(v) for v in (x, gain, shift)]
    return F.batch_norm(tensors[0], None, None, *tensors[1:], training=True, eps=eps).numpy()


def test_image_norm():
    assert exercises.repaired_image_norm.check(image_norm).accepted


def over(axes, along=True):
    def answer(x, gain, shift, eps):
        out = (x - x.mean(axes, keepdims=True)) / (x.var(axes, keepdims=True) + eps) ** 0.5
        shape = (1, -1, 1, 1) if along else (-1,)
        return out * gain.reshape(shape) + shift.reshape(shape)

    return answer


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (over(0, along=False), "still the broken one"),
        (over(0), "a mean of its own"),
        (over((0, 2, 3), along=False), "columns of the image"),
        (over((2, 3)), "instance norm"),
        (over((1, 2, 3)), "layer norm"),
        (over((0, 1, 2, 3)), "one mean for the whole block"),
        (lambda x, gain, shift, eps: x, "from the right"),
    ],
)
def test_image_norm_wrong(answer, hint):
    rejected(exercises.repaired_image_norm, answer, hint)
