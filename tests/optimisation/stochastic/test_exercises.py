"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from sklearn.linear_model import SGDRegressor

from chapters_src.optimisation.stochastic import exercises, minibatch_variance
from tests.verdicts import rejected

# --- a quarter of the noise


def test_quarter_of_the_noise_by_computing_it():
    g = np.random.default_rng(0).normal(size=(9, 2))
    B = int(exercises.quarter_of_the_noise.answer)
    assert minibatch_variance(g, B) == pytest.approx(minibatch_variance(g, 1) / 4)
    assert exercises.quarter_of_the_noise.check(3).accepted


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (4, "with replacement"),
        (2, "to fall to a quarter"),
        (16, "only nine"),
        (9, "no noise is left"),
        (2.25, "not a quarter of the examples"),
    ],
)
def test_quarter_of_the_noise_wrong(value, hint):
    rejected(exercises.quarter_of_the_noise, value, hint)


# --- which run converges


def fixed_rate(d, noise, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, d)) / np.sqrt(d)
    y = X @ rng.normal(size=d) + noise * rng.normal(size=50)
    theta, losses = np.zeros(d), []
    for _ in range(20_000):
        i = rng.integers(50)
        theta = theta - 0.3 * (X[i] @ theta - y[i]) * X[i]
        losses.append(np.mean((X @ theta - y) ** 2))
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    return np.mean(losses[-500:]) - np.mean((X @ best - y) ** 2)


def test_which_converges_by_running():
    assert fixed_rate(100, 1.0) < 1e-6
    assert fixed_rate(10, 1.0) > 1e-3
    assert exercises.which_converges.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "different directions"), ("c", "variance of one"), ("d", "single steps")]
)
def test_which_converges_wrong(letter, why):
    rejected(exercises.which_converges, letter, why)


# --- the false line


def test_uneven_draws():
    assert exercises.uneven_draws.false == 3
    assert "one factor stays" in exercises.uneven_draws.check("3").message


@pytest.mark.parametrize("line", ["1", "2", "4"])
def test_uneven_draws_wrong(line):
    assert exercises.uneven_draws.check(line).accepted is False


# --- one epoch


def epoch(X, y, theta, eta, B, order):
    """Written another way: shuffled copies, cut by array_split's indices."""
    X, y, theta = X[order], y[order], theta.copy()
    for part in np.split(np.arange(len(y)), range(B, len(y), B)):
        theta -= eta * np.mean((X[part] @ theta - y[part])[:, None] * X[part], axis=0)
    return theta


def test_repaired_epoch():
    assert exercises.repaired_epoch.check(epoch).accepted
    assert exercises.repaired_epoch.check(lambda **_: ...).accepted is not True


def test_the_epoch_as_scikit_learn_takes_it():
    """Batches of one in the given order are what SGDRegressor does without shuffling."""
    rng = np.random.default_rng(5)
    X, y, order = rng.normal(size=(8, 3)), rng.normal(size=8), rng.permutation(8)
    theirs = SGDRegressor(
        loss="squared_error",
        penalty=None,
        fit_intercept=False,
        shuffle=False,
        learning_rate="constant",
        eta0=0.1,
        max_iter=1,
        tol=None,
    )
    theirs.fit(X[order], y[order])
    ours = exercises.repaired_epoch.answer(X, y, np.zeros(3), 0.1, 1, order)
    np.testing.assert_allclose(ours, theirs.coef_, rtol=1e-10)


def wrong_epoch(which):
    def run(X, y, theta, eta, B, order):
        for k in range(0, len(y), B):
            rows = order[k : k + B]
            outputs = y[k : k + B] if "y" in which else y[rows]
            theta = theta - eta * X[rows].T @ (X[rows] @ theta - outputs) / (B if "B" in which else len(rows))
        return theta

    return run


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (wrong_epoch("yB"), "as given"),
        (wrong_epoch("y"), "another's output"),
        (wrong_epoch("B"), "its own length"),
        (
            lambda X, y, theta, eta, B, order: epoch(X, y, theta, eta, B, np.arange(len(y))),
            "as they stand",
        ),
        (
            lambda X, y, theta, eta, B, order: epoch(
                X[order[: len(y) // B * B]],
                y[order[: len(y) // B * B]],
                theta,
                eta,
                B,
                np.arange(len(y) // B * B),
            ),
            "smaller batch belongs",
        ),
        (lambda X, y, theta, eta, B, order: -epoch(X, y, theta, eta, B, order), "two things"),
    ],
)
def test_repaired_epoch_wrong(attempt, hint):
    rejected(exercises.repaired_epoch, attempt, hint)


# --- inputs on which only the full batch survives


def test_full_batch_survives():
    for x in ([0.0, 1.9], [0.1, 0.1, 2.3], [0.3, -1.85]):
        assert exercises.full_batch_survives.check(np.array(x)).accepted
        full, single = 1.0, 1.0
        for _ in range(200):
            full -= np.mean(np.square(x)) * full
            for one in x:
                single -= one**2 * single
        assert abs(full) < 1e-4
        assert abs(single) > 1e3


@pytest.mark.parametrize(
    ("x", "why"),
    [
        ([1.0, 1.0], "must grow"),
        ([2.0, 2.0], "does not converge either"),
        ([0.0, 0.1], "with room"),
        ([1.9], "2 to 10"),
        ([[0.0, 1.9]], "one dimension"),
        ([0.0, np.inf], "finite"),
    ],
)
def test_full_batch_survives_wrong(x, why):
    rejected(exercises.full_batch_survives, np.array(x), why)
