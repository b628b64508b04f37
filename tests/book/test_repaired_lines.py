"""Lines that once could not fail: the cell runs as it is stored, and raises when its reason is broken."""

from __future__ import annotations

import linecache

import pytest

from chapters_src.studio.derivation import DerivationError, watched
from tools.chapters import read, select

BEFORE = """
import numpy as np
from itertools import product
from chapters_src.studio import Derivation, normal, uniform, integers
from chapters_src.studio.expectation import expect_gaussian
from chapters_src.studio.oracle import complex_step_gradient, finite_difference_gradient
"""
REPARAMETERISED = "generative/vae", "the reparameterised gradient"
CONVEX = "networks/shallow", "regions are convex"
FLOOR = "optimisation/stochastic", "where SGD stops getting better"
NESTEROV = "optimisation/adaptive", "Nesterov as libraries write it"
BREAKS = {
    "noise that is not scaled": (REPARAMETERISED, "t[0] + t[1] * e", "t[0] + e"),
    "another density": (REPARAMETERISED, "(2 * s**2)", "(3 * s**2)"),
    "the larger for the smaller": (CONVEX, r"\min", r"\max"),
    "a bias that is not shared out": (CONVEX, r"\gamma\left(w^\top x+b\right)", r"\gamma\,w^\top x"),
    "a bound that is never reached": (CONVEX, r'r"\min', r'r"-1+\min'),
    "a wrong recursion": (FLOOR, r"(1-\eta\lambda)^2\,V", r"(1-\eta\lambda)\,V"),
    "another floor": (FLOOR, r"{\lambda\,(2-\eta\lambda)}", r"{\lambda\,(1-\eta\lambda)}"),
    "the gradient where we stand": (NESTEROV, "A @ (theta - h * b * u)", "A @ theta"),
    "looking behind": (NESTEROV, "A @ (theta - h * b * u)", "A @ (theta + h * b * u)"),
}


def cell(place: tuple[str, str]) -> str:
    chapter, title = place
    sources = [one.source for one in read(select([chapter])[0]).cells]
    return next(source for source in sources if source.startswith(f"# @title Derivation: {title}\n"))


def run(source: str) -> list:
    name = "<repaired>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    names: dict = {}
    exec(BEFORE, names)
    with watched() as found:
        exec(compile(source, name, "exec"), names)
    return found


@pytest.mark.parametrize("place", [REPARAMETERISED, CONVEX, FLOOR, NESTEROV], ids=lambda place: place[1])
def test_the_cell_keeps_the_rules(place: tuple[str, str]):
    (derivation,) = run(cell(place))
    assert derivation.problems == []


@pytest.mark.parametrize("case", BREAKS)
def test_a_break_raises(case: str):
    place, right, wrong = BREAKS[case]
    source = cell(place)
    assert right in source
    with pytest.raises(DerivationError, match="does not follow"):
        run(source.replace(right, wrong))
