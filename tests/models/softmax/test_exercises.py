"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import scipy.special
import torch

from chapters_src.models.softmax import exercises
from tests.verdicts import rejected

# --- a temperature


def test_temperature_solution():
    tau = 2 / np.log(9)
    assert scipy.special.softmax(np.array([2.0, 0.0]) / tau)[0] == pytest.approx(0.9)
    assert exercises.temperature_for_nine_tenths.check(tau).accepted
    assert exercises.temperature_for_nine_tenths.check(0.91).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("upside down", np.log(9) / 2),
        ("logarithm of the odds", -2 / np.log(0.9)),
        ("are natural", 2 / np.log10(9)),
        ("difference of the logits is 2", 1 / np.log(9)),
        ("9 to 1", 2 / np.log(10)),
        ("has to be colder", 1.3),
        ("sigmoid of a difference", 0.5),
    ],
)
def test_temperature_wrong(hint, value):
    verdict = rejected(exercises.temperature_for_nine_tenths, value, hint[1:])
    assert "0.91" not in verdict.message


# --- the first loss


def test_first_loss():
    """Large random logits cost about 21 nats on a thousand classes; equal ones cost log 1000."""
    rng = np.random.default_rng(0)
    y = torch.tensor(rng.integers(0, 1000, 500))
    loss = torch.nn.functional.cross_entropy
    assert loss(torch.zeros(500, 1000), y).item() == pytest.approx(6.9, abs=0.05)
    large = torch.tensor(6.5 * rng.standard_normal((500, 1000)))
    assert loss(large, y).item() == pytest.approx(21, abs=1.5)
    assert exercises.first_loss.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "Uniform guessing"), ("c", "on every example"), ("d", "No step has been taken")]
)
def test_first_loss_wrong(letter, why):
    rejected(exercises.first_loss, letter, why)


# --- the false line


def test_tempered_gradient():
    assert exercises.tempered_gradient.false == 3
    assert "inner derivative" in exercises.tempered_gradient.check("3").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("2", "follows from"), ("4", "false as that is")],
)
def test_tempered_gradient_wrong(line, why):
    rejected(exercises.tempered_gradient, line, why)


# --- the mean cross-entropy of a batch


def broken(a, y):
    p = np.exp(a) / np.exp(a).sum(axis=0)
    return -np.log(p[np.arange(len(y)), y]).mean()


def by_probabilities(a, y):
    return -np.log(scipy.special.softmax(a, axis=1)[np.arange(len(y)), y]).mean()


def shifted_by_the_largest_of_all(a, y):
    p = np.exp(a - a.max())
    p = p / p.sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(len(y)), y]).mean()


def test_repaired_loss_solution():
    def scipys(a, y):
        return -scipy.special.log_softmax(a, axis=1)[np.arange(len(y)), y].mean()

    def torchs(a, y):
        return torch.nn.functional.cross_entropy(torch.tensor(a), torch.tensor(y)).item()

    assert exercises.repaired_loss.check(scipys).message == "Accepted: 5 cases."
    assert exercises.repaired_loss.check(torchs).accepted


REPAIRED_WRONG = {
    "each row is an example": broken,
    "mean over the examples": lambda a, y: (
        scipy.special.logsumexp(a, axis=1) - a[np.arange(len(y)), y]
    ).sum(),
    "the sign is off": lambda a, y: scipy.special.log_softmax(a, axis=1)[np.arange(len(y)), y].mean(),
    "its logarithm is missing": lambda a, y: scipy.special.softmax(a, axis=1)[np.arange(len(y)), y].mean(),
    "add c back": lambda a, y: (
        np.log(np.exp(a - a.max(axis=1, keepdims=True)).sum(axis=1)) - a[np.arange(len(y)), y]
    ).mean(),
    "mean of the logarithms": lambda a, y: (
        -np.log(scipy.special.softmax(a, axis=1)[np.arange(len(y)), y].mean())
    ),
    "rounded to 0": by_probabilities,
    "its own largest logit": shifted_by_the_largest_of_all,
}


@pytest.mark.parametrize("hint", REPAIRED_WRONG)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_repaired_loss_wrong(hint):
    rejected(exercises.repaired_loss, REPAIRED_WRONG[hint], hint)


# --- a class that is overlooked


def bracketed():
    """Two classes side by side, and the third on both outer sides of them."""
    block = np.array([[x, v] for x in (1.0, 2.0) for v in (-1.5, -0.5, 0.5, 1.5)])
    outside = np.array([[side * x, v] for side in (-1, 1) for x in (6.0, 7.0) for v in (-1.0, 1.0)])
    return np.vstack([block * [-1, 1], block, outside]), np.repeat([0, 1, 2], 8)


def test_overlooked_class_solution():
    assert exercises.overlooked_class.check(bracketed()).message == "Accepted."


def corners(n=4):
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])
    return (centres[:, None] + rng.normal(size=(3, n, 2))).reshape(-1, 2), np.repeat([0, 1, 2], n)


X, y = corners()


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("says 0, 1 and 2 for 4, 4 and 4 of them", (X, y)),
        ("Give a pair", X),
        ("got shapes (12, 1) and (12,)", (X[:, :1], y)),
        ("the classes 0, 1 and 2", (X, y + 1)),
        ("finite points", (np.full((12, 2), np.nan), y)),
        ("got 5, 3, 4", (X, np.r_[y[:3], [0, 0, 1, 1, 1], y[8:]])),
        ("at least 3 of each; got 2, 2, 2", (corners(2))),
        ("At most 30 points", (corners(11))),
        ("two points coincide", (np.zeros((12, 2)), y)),
        ("could not be checked", ("X", "y")),
    ],
)
def test_overlooked_class_wrong(hint, attempt):
    verdict = exercises.overlooked_class.check(attempt)
    assert not verdict.accepted
    assert hint.lower() in verdict.message.lower(), verdict.message
