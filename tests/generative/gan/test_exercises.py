"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from scipy.stats import wasserstein_distance
from sklearn.neighbors import NearestNeighbors

from chapters_src import data
from chapters_src.generative.gan import energy_distance, exercises, precision_recall
from tests.verdicts import rejected


def test_three_to_one_by_counting():
    rng = np.random.default_rng(0)
    true = rng.permutation(np.repeat([1, 0], [32, 96]))
    assert exercises.three_to_one.check(true.mean()).accepted


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [(0.5, "as many drawn"), (0.75, "that it is true"), (0.333, "divide by all"), (3, "at most 1")],
)
def test_three_to_one_wrong(wrong, hint):
    rejected(exercises.three_to_one, wrong, hint)


def test_only_sevens():
    assert exercises.only_sevens.check("b").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("a", "Real sevens do"), ("c", "nine digits"), ("d", "precision")]
)
def test_only_sevens_wrong(letter, why):
    rejected(exercises.only_sevens, letter, why)


def test_only_sevens_are_precise_and_lack_variety():
    images = data.digits()
    train, held_out = images.X[:1000], images.X[1000:]
    sevens = train[images.labels[:1000] == 7]
    found = precision_recall(held_out, sevens)
    assert found.precision > 0.7 and found.recall < 0.1
    assert energy_distance(held_out, sevens) > 10 * energy_distance(held_out, train)


def test_false_line():
    assert exercises.least_squares_game.check("4").accepted


@pytest.mark.parametrize("line", ["1", "2", "3", "5"])
def test_false_line_wrong(line):
    assert not exercises.least_squares_game.check(line).accepted


def distances(a, b):
    return np.array([[np.linalg.norm(x - y) for y in b] for x in a])


def by_neighbours(real, fake, k):
    reach = NearestNeighbors(n_neighbors=k + 1).fit(fake).kneighbors(fake)[0][:, -1]
    return np.mean([any(row <= reach) for row in distances(real, fake)])


def inside(real, fake, reach, how=np.any):
    return np.mean(how(distances(real, fake) <= reach, axis=1))


RECALL = {
    "at distance 0": lambda real, fake, k: inside(real, fake, np.sort(distances(fake, fake))[:, k - 1]),
    "that is precision": lambda real, fake, k: inside(fake, real, np.sort(distances(real, real))[:, k]),
    "is enough": lambda real, fake, k: inside(real, fake, np.sort(distances(fake, fake))[:, k], np.all),
    "its own cloud": lambda real, fake, k: inside(real, fake, np.sort(distances(fake, real))[:, k - 1]),
    "around true points": lambda real, fake, k: inside(
        real, fake, np.sort(distances(real, real))[:, k, None]
    ),
}


def test_recall_solution():
    assert exercises.recall.check(by_neighbours).accepted


def test_recall_stub():
    assert exercises.recall.check(lambda real, fake, k: ...).message == "Not attempted yet."


@pytest.mark.parametrize("hint", RECALL)
def test_recall_wrong(hint):
    rejected(exercises.recall, RECALL[hint], hint)


TRANSPORT = {
    "one plan of many": lambda x, y: np.mean(abs(x - y)),
    "alone": lambda x, y: abs(np.mean(x) - np.mean(y)),
    "over all others": lambda x, y: np.mean([abs(a - b) for a in x for b in y]),
    "mass 1 each": lambda x, y: sum(abs(np.array(sorted(x)) - np.array(sorted(y)))),
    "not its square": lambda x, y: np.mean((np.array(sorted(x)) - np.array(sorted(y))) ** 2) ** 0.5,
    "the same place": lambda x, y: np.mean([min(abs(a - y)) for a in x]),
}


def test_transport_solution():
    assert exercises.sorted_transport.check(wasserstein_distance).accepted


def test_transport_stub():
    assert exercises.sorted_transport.check(lambda x, y: ...).message == "Not attempted yet."


@pytest.mark.parametrize("hint", TRANSPORT)
def test_transport_wrong(hint):
    rejected(exercises.sorted_transport, TRANSPORT[hint], hint)
