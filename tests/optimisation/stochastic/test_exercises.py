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


# --- one epoch, in pieces


def epoch(gradient, theta, eta, B, room, order):
    """Written another way: sums of single gradients, each asked for alone."""
    theta = theta.copy()
    for batch in np.split(order, range(B, len(order), B)):
        theta -= eta * np.mean([gradient(theta, [i]) for i in batch], axis=0)
    return theta


def mean_gradient(X, y):
    return lambda theta, rows: X[rows].T @ (X[rows] @ theta - y[rows]) / len(rows)


def test_repaired_epoch():
    assert exercises.repaired_epoch.check(epoch).accepted
    assert exercises.repaired_epoch.check(lambda **_: ...).accepted is not True


@pytest.mark.parametrize("room", [1, 3, 4])
def test_the_epoch_as_scikit_learn_takes_it(room):
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
    gradient = mean_gradient(X, y)
    ours = exercises.repaired_epoch.answer(gradient, np.zeros(3), 0.1, 1, room, order)
    np.testing.assert_allclose(ours, theirs.coef_, rtol=1e-10)


@pytest.mark.parametrize("room", [1, 2, 3, 5, 8])
def test_room_does_not_change_the_steps(room):
    rng = np.random.default_rng(6)
    X, y, order = rng.normal(size=(8, 3)), rng.normal(size=8), rng.permutation(8)
    gradient = mean_gradient(X, y)
    ours = exercises.repaired_epoch.answer(gradient, np.zeros(3), 0.1, 5, room, order)
    theta = np.zeros(3)
    for rows in (order[:5], order[5:]):
        theta = theta - 0.1 * gradient(theta, rows)
    np.testing.assert_allclose(ours, theta, rtol=1e-12)


def as_given(gradient, theta, eta, B, room, order):
    for k in range(0, len(order), B):
        batch, g = order[k : k + B], 0.0
        for j in range(0, len(batch), room):
            g = g + gradient(theta, batch[j : j + room])
        theta = theta - eta * g
    return theta


def pieces_averaged(gradient, theta, eta, B, room, order):
    for batch in np.split(order, range(B, len(order), B)):
        pieces = np.split(batch, range(room, len(batch), room))
        theta = theta - eta * np.mean([gradient(theta, piece) for piece in pieces], axis=0)
    return theta


def weighted(gradient, theta, eta, B, room, order, length):
    for batch in np.split(order, range(B, len(order), B)):
        pieces = np.split(batch, range(room, len(batch), room))
        g = sum(len(piece) * gradient(theta, piece) for piece in pieces)
        theta = theta - eta * g / length
    return theta


def moving(gradient, theta, eta, B, room, order):
    for batch in np.split(order, range(B, len(order), B)):
        for piece in np.split(batch, range(room, len(batch), room)):
            theta = theta - eta * gradient(theta, piece) * len(piece) / len(batch)
    return theta


def small_steps(gradient, theta, eta, B, room, order):
    for batch in np.split(order, range(B, len(order), B)):
        for piece in np.split(batch, range(room, len(batch), room)):
            theta = theta - eta * gradient(theta, piece)
    return theta


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (as_given, "as given"),
        (pieces_averaged, "a short piece as much"),
        (
            lambda gradient, theta, eta, B, *rest: weighted(gradient, theta, eta, B, *rest, B),
            "its own length",
        ),
        (lambda *inputs: weighted(*inputs, 1), "the step wants the mean"),
        (moving, "moves between the pieces"),
        (small_steps, "how much should each piece count"),
        (lambda g, t, eta, B, room, order: epoch(g, t, eta, B, room, np.sort(order)), "as they stand"),
        (
            lambda g, t, eta, B, room, order: epoch(g, t, eta, B, room, order[: len(order) // B * B]),
            "smaller batch belongs",
        ),
        (lambda g, t, eta, B, room, order: epoch(g, t, -eta, B, room, order), "compare g"),
        (lambda g, t, eta, B, room, order: t - eta * g(t, order[:B]), "room for 1 to 2 examples"),
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
