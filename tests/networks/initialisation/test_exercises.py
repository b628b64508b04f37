"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.networks.initialisation import exercises
from tests.verdicts import rejected

torch.set_num_threads(1)

# --- torch's own start


def test_torch_default_by_measuring_a_layer():
    """The gain of one wide layer of torch, behind a ReLU, fifty times."""
    torch.manual_seed(0)
    h = torch.relu(torch.randn(200, 2000))
    with torch.no_grad():
        after = torch.relu(h @ torch.nn.Linear(2000, 2000).weight.T)
    factor = float(after.square().mean() / h.square().mean())
    assert exercises.torch_default.answer == pytest.approx(25 * np.log10(factor), abs=0.5)
    assert exercises.torch_default.check(-19.5).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("half as many powers", -38.9),
        ("takes the variance for", -7.5),
        ("what does the ReLU do", -11.9),
        ("grow or shrink", 19.5),
        ("variance of a uniform number", -3),
    ],
)
def test_torch_default_wrong(hint, value):
    rejected(exercises.torch_default, value, hint)


# --- one large factor


def test_one_large_factor_in_torch():
    """Six layers: outputs agree, gradients differ by √2 in every layer."""
    rng = np.random.default_rng(0)
    X, numbers = torch.tensor(rng.normal(size=(5, 8))), rng.normal(size=(6, 8, 8)) / np.sqrt(8)

    def outputs_and_gradients(scale, factor):
        weights = [torch.tensor(scale * W, requires_grad=True) for W in numbers]
        h = X
        for W in weights[:-1]:
            h = torch.relu(h @ W)
        out = factor * h @ weights[-1]
        out.square().sum().backward()
        return out.detach(), [W.grad for W in weights]

    small, he = outputs_and_gradients(1, 2**3), outputs_and_gradients(np.sqrt(2), 1)
    torch.testing.assert_close(small[0], he[0])
    for ours, theirs in zip(small[1], he[1], strict=True):
        torch.testing.assert_close(ours, np.sqrt(2) * theirs)


def test_one_large_factor_answers():
    question = exercises.one_large_factor
    right = [letter for letter in "abcd" if question.check(letter).accepted]
    assert len(right) == 1
    for letter in set("abcd") - set(right):
        rejected(question, letter, "")


# --- what a leaky ReLU lets through


def test_leaky_size():
    assert exercises.leaky_size.false == 2
    assert "squared" in exercises.leaky_size.check("2").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("3", "false as that is"), ("4", "false as that is")],
)
def test_leaky_size_wrong(line, why):
    rejected(exercises.leaky_size, line, why)


# --- weights scaled by the data


def divisors(weights, X, carry=True, size=lambda a: np.linalg.norm(a) / np.sqrt(a.size)):
    h, found = X, []
    for W in weights:
        found.append(size(h @ W))
        h = (h @ (W / found[-1] if carry else W)).clip(min=0)
    return found


def test_calibrated_divisors():
    assert exercises.calibrated_divisors.check(divisors).accepted
    case = exercises.calibrated_divisors.cases[0]
    h = case["X"]
    for W, number in zip(case["weights"], divisors(**case), strict=True):
        assert np.mean((h @ W / number) ** 2) == pytest.approx(1)
        h = np.maximum(h @ W / number, 0)


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("carry it on rescaled", lambda weights, X: divisors(weights, X, carry=False)),
        ("divide by the root", lambda weights, X: divisors(weights, X, size=lambda a: (a * a).mean())),
        ("leaves the mean out", lambda weights, X: divisors(weights, X, size=lambda a: np.sqrt(a.var()))),
        (
            "asked are the pre-activations",
            lambda weights, X: divisors(weights, X, size=lambda a: np.sqrt((a.clip(min=0) ** 2).mean())),
        ),
        ("run X through it", lambda weights, X: [np.sqrt((W * W).mean()) for W in weights]),
        ("print the mean square", lambda weights, X: [1.0 for W in weights]),
    ],
)
def test_calibrated_divisors_wrong(hint, attempt):
    rejected(exercises.calibrated_divisors, attempt, hint)


# --- weights of the right size that explode


@pytest.mark.parametrize(
    "W",
    [
        np.full((4, 4), 0.5**0.5),
        np.sqrt(8) * np.outer([0.4, 0.5, 0.5, 0.58], [0.4, 0.5, 0.5, 0.58]) / (0.4**2 + 0.5 + 0.58**2),
    ],
)
def test_runaway_weights_solutions(W):
    assert exercises.runaway_weights.check(W).accepted


@pytest.mark.parametrize(
    ("hint", "W"),
    [
        ("multiply the size", np.sqrt(2) * np.eye(4)),
        ("multiply the size", -np.full((4, 4), 0.5**0.5)),
        ("mean square of the 16 entries", np.ones((4, 4))),
        ("got shape (2, 2)", np.ones((2, 2))),
        ("finite numbers", np.full((4, 4), np.nan)),
    ],
)
def test_runaway_weights_wrong(hint, W):
    rejected(exercises.runaway_weights, W, hint)
