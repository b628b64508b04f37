"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.networks.vision import Conv, Dense, Pool, exercises, layer_sizes, oriented_gradients
from tests.verdicts import rejected

# --- the price of the last layer


def last(*layers):
    row = layer_sizes([*layers, Dense(10)], 1, 64)[-1]
    return row.weights + row.biases


def test_last_layer():
    found = last(Conv(8, 5, stride=2, padding=2), Pool(3, 2))
    assert found == 18_010
    assert exercises.last_layer.check(found).accepted


@pytest.mark.parametrize(
    ("hint", "number"),
    [
        ("biases are missing", last(Conv(8, 5, stride=2, padding=2), Pool(3, 2)) - 10),
        ("round down", last(Conv(8, 5, stride=2, padding=2), Pool(2, 2))),
        ("not one", last(Conv(1, 5, stride=2, padding=2), Pool(3, 2))),
        ("has stride 2", last(Conv(8, 5, padding=2), Pool(3, 2))),
        ("smaller too", last(Conv(8, 5, stride=2, padding=2))),
    ],
)
def test_last_layer_wrong(hint, number):
    rejected(exercises.last_layer, number, hint)


# --- what the features notice

x = np.random.default_rng(0).uniform(size=(1, 8, 8))


def test_only_the_mirror_is_noticed():
    same = oriented_gradients(x)
    for changed in (1 - x, 0.3 * x + 0.5, 0.9 - 0.5 * x):
        np.testing.assert_allclose(oriented_gradients(changed), same, atol=1e-12)
    assert np.abs(oriented_gradients(x[:, :, ::-1]) - same).max() > 0.01
    assert exercises.what_it_sees.check("c").accepted


@pytest.mark.parametrize(("letter", "why"), [("a", "sign"), ("b", "divided out"), ("d", "none of the three")])
def test_noticed_wrong(letter, why):
    rejected(exercises.what_it_sees, letter, why)


# --- the false line


def test_false_line():
    assert exercises.worst_case.check("3").accepted


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("2", "multiply out"), ("4", "from line 3")]
)
def test_false_line_wrong(line, why):
    rejected(exercises.worst_case, line, why)


# --- the class map


def by_loops(h, W, k):
    out = np.zeros(h.shape[1:])
    for c in range(len(h)):
        out += W[c, k] * h[c]
    return out


def test_class_map():
    assert exercises.class_map.check(by_loops).accepted
    assert exercises.class_map.check(lambda h, W, k: np.einsum("cpq,c->pq", h, W[:, k])).accepted
    rng = np.random.default_rng(1)
    h, W = rng.normal(size=(4, 3, 5)), rng.normal(size=(4, 2))
    np.testing.assert_allclose(by_loops(h, W, 1).mean(), h.mean(axis=(1, 2)) @ W[:, 1])


@pytest.mark.parametrize(
    ("hint", "wrong"),
    [
        ("column per class", lambda h, W, k: np.einsum("cpq,c->pq", h, W[k, : len(h)])),
        ("logit itself", lambda h, W, k: W[:, k] @ h.mean((1, 2))),
        ("not divided", lambda h, W, k: by_loops(h, W, k) / h[0].size),
        ("cut nothing off", lambda h, W, k: by_loops(h, W, k).clip(min=0)),
    ],
)
def test_class_map_wrong(hint, wrong):
    rejected(exercises.class_map, wrong, hint)


# --- twins


def spots(one, two):
    pair = np.zeros((2, 8, 8))
    pair[0][one] = pair[1][two] = 1.0
    return pair


def test_twins():
    assert exercises.twins.check(spots((1, 1), (2, 2))).accepted
    assert exercises.twins.check(spots((5, 5), (6, 6)) * 3 + 1).accepted


@pytest.mark.parametrize(
    ("hint", "pair"),
    [
        ("nearly the same", np.stack([x[0], 1 - x[0]])),
        ("nearly the same", np.stack([x[0], 2 * x[0]])),
        ("no edges", np.zeros((2, 8, 8))),
        ("tell them apart", spots((1, 1), (5, 5))),
        ("tell them apart", spots((1, 1), (3, 3))),
        ("two finite images", np.zeros((2, 4, 4))),
    ],
)
def test_twins_wrong(hint, pair):
    rejected(exercises.twins, pair, hint)


@pytest.mark.parametrize("exercise", [exercises.class_map, exercises.twins])
def test_a_stub_is_not_an_attempt(exercise):
    verdict = exercise.check(...)
    assert not verdict.accepted and not verdict.attempted
