"""Answers as a student would write them, right and wrong."""

from itertools import pairwise

import numpy as np
import pytest

from chapters_src.networks.approximation import exercises, interpolate
from chapters_src.networks.shallow import Network
from tests.verdicts import rejected


def test_steep_at_one_end_by_measuring():
    x = np.linspace(0, 1, 400_001)

    def off(m):
        knots = np.linspace(0, 1, m + 1)
        return np.abs(np.interp(x, knots, np.sqrt(knots)) - np.sqrt(x)).max()

    assert off(3) / off(300) == pytest.approx(10, rel=1e-3)
    assert exercises.steep_at_one_end.check(300 / 3).accepted


@pytest.mark.parametrize(
    ("answer", "hint"),
    [(10, "Lipschitz"), (3.162, "bounded"), (1000, "too many"), (42, "which segment")],
)
def test_steep_at_one_end_wrong(answer, hint):
    rejected(exercises.steep_at_one_end, answer, hint)


def test_what_is_promised():
    assert exercises.what_is_promised.check("a").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("b", "straight pieces"), ("c", "without limit"), ("d", "descent finds")]
)
def test_what_is_promised_wrong(letter, why):
    rejected(exercises.what_is_promised, letter, why)


def test_no_width_serves_all():
    """Between two teeth of a zigzag with more teeth than pieces the best line is half a tooth off."""
    x = np.linspace(0, 1, 41)
    zigzag = np.arange(41) % 2
    line = np.polynomial.Polynomial.fit(x, zigzag, 1)(x)
    assert np.abs(line - zigzag).max() >= 0.5


def test_sag_of_a_parabola():
    assert exercises.sag_of_a_parabola.false == 2
    assert "not squared" in exercises.sag_of_a_parabola.check("2").message


@pytest.mark.parametrize("line", ["3", "4"])
def test_sag_of_a_parabola_wrong(line):
    rejected(exercises.sag_of_a_parabola, line, "false as that is")


def test_sag_of_a_parabola_start():
    rejected(exercises.sag_of_a_parabola, "1", "where the derivation starts")


class TestWhereToBend:
    def test_the_error_is_exact(self):
        for knots in (np.linspace(0, 1, 9), np.sort(np.random.default_rng(0).uniform(0, 1, 9))):
            x = np.linspace(knots[0], knots[-1], 400_001)
            off = np.abs(np.interp(x, knots, np.sqrt(knots)) - np.sqrt(x)).max()
            assert exercises.root_error(knots) == pytest.approx(off, rel=1e-4)

    def test_solutions(self):
        share = np.arange(9) / 8
        assert exercises.where_to_bend.check(share**4).accepted
        assert exercises.where_to_bend.check((share**3.5).tolist()).accepted
        by_hand = [0, 0.0006, 0.006, 0.027, 0.08, 0.18, 0.34, 0.61, 1]
        assert exercises.where_to_bend.check(by_hand).accepted

    @pytest.mark.parametrize(
        ("knots", "hint"),
        [
            (np.linspace(0, 1, 9), "largest error is 0.0884, on segment 1 of 8"),
            ((np.arange(9) / 8) ** 2, "largest error is 0.0312, on segment 1"),
            ((np.arange(9) / 8) ** 8, "on segment 8 of 8"),
            ((np.arange(17) / 16) ** 4, "ive 9 knots"),
            (np.linspace(0.1, 1, 9), "run from 0 to 1"),
            (np.linspace(1, 0, 9), "rising order"),
        ],
    )
    def test_wrong(self, knots, hint):
        rejected(exercises.where_to_bend, knots, hint)


class TestFlatOnBothSides:
    def test_solution_against_numpy(self):
        def by_hand(knots, values):
            rises, gaps = np.diff(values), np.diff(knots)
            slopes = [rise / gap for rise, gap in zip(rises, gaps, strict=True)]
            padded = [0, *slopes, 0]
            return [after - before for before, after in pairwise(padded)]

        assert exercises.flat_on_both_sides.check(by_hand).message == "Accepted: 3 cases."
        knots, values = np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, -2.0])
        network = Network(np.ones((1, 3)), -knots, np.array(by_hand(knots, values))[:, None], values[:1])
        x = np.linspace(-2, 6, 33)
        np.testing.assert_allclose(network(x[:, None])[:, 0], np.interp(x, knots, values), atol=1e-12)

    @pytest.mark.parametrize(
        ("hint", "answer"),
        [
            (
                "goes on with the last slope",
                lambda knots, values: [*interpolate(knots, values).W2[:, 0], 0.0],
            ),
            ("the change of slope, not", lambda knots, values: [*(np.diff(values) / np.diff(knots)), 0.0]),
            (
                "upside down",
                lambda knots, values: np.diff(-np.diff(values) / np.diff(knots), prepend=0, append=0),
            ),
            ("expected shape (3,)", lambda knots, values: interpolate(knots, values).W2[:, 0]),
            ("just before the last knot", lambda knots, values: np.zeros(len(knots))),
        ],
    )
    def test_wrong(self, hint, answer):
        rejected(exercises.flat_on_both_sides, answer, hint)
