"""Answers as a student would write them, right and wrong."""

import math

import numpy as np
import pytest
import torch

from chapters_src.networks.residual import exercises
from tests.verdicts import rejected

# --- one block less


def test_one_block_less_by_listing():
    carried = {bits: 0.5 ** sum(bits) for bits in np.ndindex(*[2] * 10)}
    left = sum(size for bits, size in carried.items() if bits[3] == 0)
    assert exercises.one_block_less.check(left / sum(carried.values())).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("share of the paths", 0.5),
        ("share that is lost", 0.333),
        ("share of the blocks", 0.9),
        ("Every second path", 0.95),
        ("divide it", 1.5**9),
        ("sum over", 0.25),
    ],
)
def test_one_block_less_wrong(hint, value):
    rejected(exercises.one_block_less, value, hint)


# --- a factor of zero


def test_first_to_learn_as_torch_sees_it():
    """The block starts as the identity; the first step moves the factor alone, the second all three."""
    g = torch.Generator().manual_seed(0)
    h, V, W = (torch.randn(5, 5, generator=g) for _ in "hVW")
    learned = [torch.zeros(()), V, W]
    moved = []
    for _ in range(2):
        alpha, V, W = (each.detach().requires_grad_() for each in learned)
        out = h + alpha * torch.relu(h @ W) @ V
        slopes = torch.autograd.grad(out.square().sum(), [alpha, V, W])
        moved.append([bool(slope.abs().max() > 0) for slope in slopes])
        learned = [each - 1e-3 * slope for each, slope in zip([alpha, V, W], slopes, strict=True)]
    assert moved == [[True, False, False], [True, True, True]]
    assert exercises.first_to_learn.check("b").accepted


@pytest.mark.parametrize(
    ("hint", "letter"), [("its slope in", "a"), ("other way round", "c"), ("multiplied by", "d")]
)
def test_first_to_learn_wrong(hint, letter):
    rejected(exercises.first_to_learn, letter, hint)


# --- the middle weight


def test_middle_weight():
    assert exercises.middle_weight.false == 3
    assert "Without a skip" in exercises.middle_weight.check("3").message


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("2", ""), ("4", "false as that is")]
)
def test_middle_weight_wrong(line, why):
    rejected(exercises.middle_weight, line, why)


# --- the gradient of a stack


def by_torch(x, weights, g):
    x = torch.tensor(x, requires_grad=True)
    h = x
    for W in weights:
        h = h + torch.relu(h) @ torch.tensor(W)
    return torch.autograd.grad(h, x, torch.tensor(g))[0].numpy() if weights else g


def test_repaired_gradient():
    assert exercises.repaired_gradient.check(by_torch).accepted
    assert not exercises.repaired_gradient.check(...).attempted


def backwards(step, after=False, turned=True):
    def attempt(x, weights, g):
        seen, h = [], x
        for W in weights:
            before, h = h, h + np.where(h > 0, h, 0) @ W
            seen.append((W, h if after else before))
        for W, h in seen[::-1] if turned else seen:
            g = step(g, W, h > 0)
        return g

    return attempt


def right(g, W, on):
    return g + (g @ W.T) * on


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("not on what leaves it", backwards(right, after=True)),
        ("along the skip", backwards(lambda g, W, on: (g @ W.T) * on)),
        ("hands all of the gradient back", backwards(lambda g, W, on: (g + g @ W.T) * on)),
        ("last block first", backwards(right, turned=False)),
        ("difference quotient", backwards(lambda g, W, on: g + (g @ W) * on)),
    ],
)
def test_repaired_gradient_wrong(hint, attempt):
    assert exercises.repaired_gradient.check(backwards(right)).accepted
    rejected(exercises.repaired_gradient, attempt, hint)


# --- a slope of zero


def test_cancelled_slope():
    for weights in ([-(math.cosh(0.5) ** 2), 2.0, -0.3], np.array([-(math.cosh(0.5) ** 2), 0.5, 0.5])):
        assert exercises.cancelled_slope.check(weights).accepted
    assert not exercises.cancelled_slope.check(None).attempted


@pytest.mark.parametrize(
    ("why", "attempt"),
    [
        ("the slope is", [1.0, 1.0, 1.0]),
        ("the slope is", [-1.0, 1.0, 1.0]),
        ("three finite weights", [1.0, 1.0]),
        ("between 0.1 and 3", [-1.2715, 0.0, 1.0]),
    ],
)
def test_cancelled_slope_wrong(why, attempt):
    rejected(exercises.cancelled_slope, attempt, why)
