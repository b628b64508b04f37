"""Whether the checks of a derivation notice a break in one of its lines, or could not because it is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from chapters_src.studio import relations
from chapters_src.studio.formula import Formula
from chapters_src.studio.lines import Line, Step
from chapters_src.studio.mutation import code_breaks, helpers
from chapters_src.studio.relations import Evaluate, Finding, Inputs, Unusable, usable

if TYPE_CHECKING:
    from chapters_src.studio.derivation import Derivation

__all__ = ["BrokenLine", "breaks_of", "judge", "noticed"]

UNLIKE = 9  # inputs of other sizes, signs and scales on which a break may show
SAME = 1e-9  # values this close are the same value, rounding apart
TRIES = 6  # cases on which an expensive relation is looked at


@dataclass(frozen=True)
class BrokenLine:
    """A line with one thing wrong in it."""

    at: int
    kind: str
    what: str
    line: Line


def breaks_of(d: Derivation, at: int) -> Iterator[BrokenLine]:
    """The breaks of a line's formula and code; a helper is broken in the first line that uses it."""
    line = d.lines[at]
    if line.formula is not None:
        yield from _breaks_of_declared(d, at)
        for what, formula in line.formula.mutations(d.draws[0]):
            yield BrokenLine(at, what.partition(":")[0], what, replace(line, formula=formula, fn=None))
    if line.fn is not None:
        shapes = {name: np.shape(value) for name, value in d.draws[0].items()}
        alike = {
            name: [other for other in line.names if other != name and shapes.get(other) == shapes[name]]
            for name in line.names
            if name in shapes
        }
        broken_before = {name for earlier in d.lines[:at] for name in helpers(earlier.fn)}
        for found in code_breaks(line.fn, alike, whole=broken_before):
            yield BrokenLine(at, found.kind, found.what, replace(line, fn=found.fn, formula=None))


def _breaks_of_declared(d: Derivation, at: int) -> Iterator[BrokenLine]:
    """The breaks of the notebook's own functions that the formula calls by a declared name."""
    line = d.lines[at]
    for symbol, fn in d.where.items():
        mine = getattr(fn, "__module__", "") == "__main__" and symbol in line.latex
        if mine and not any(symbol in earlier.latex for earlier in d.lines[:at]):
            for found in code_breaks(fn, {}):
                formula = Formula(line.latex, d.inputs, {**d.where, symbol: found.fn})
                what = f"in {symbol}: {found.what}"
                yield BrokenLine(at, found.kind, what, replace(line, formula=formula, fn=None))


def noticed(d: Derivation, broken: BrokenLine) -> Finding | None:
    """What the checks around a line say to a broken one in its place; None if they accept it."""
    at = broken.at
    for step in d.steps[at]:
        finding = step.failure(d.values[at - 1], broken.line, _tries(d, at))
        if finding is not None:
            return finding
    for step in d.steps[at + 1] if at + 1 < len(d.lines) else []:
        finding = step.failure(broken.line, d.values[at + 1], _tries(d, at + 1))
        if finding is not None:
            return finding
    line = d.lines[at]
    other = line.from_code if broken.line.fn is None else line.from_formula
    if line.origin == "both":
        return Step(relations.equal, d.draws, d.within).failure(other, broken.line)
    return None


def _tries(d: Derivation, at: int) -> int | None:
    return TRIES if d.lines[at].variable else None


def judge(d: Derivation, broken: BrokenLine) -> str:
    """Caught by the checks, equivalent (it is no break), or survived."""
    with np.errstate(all="ignore"):
        if noticed(d, broken) is not None:
            return "caught"
        return "equivalent" if _equivalent(d, broken) else "survived"


def _equivalent(d: Derivation, broken: BrokenLine) -> bool:
    """Whether a break changes no value, or only what the relations around the line leave open."""
    line = d.lines[broken.at]
    cases = [*d.draws, *(d.checked_on.unlike(turn) for turn in range(UNLIKE))]
    for step in d.steps[broken.at]:
        cases += [case for case in step.cases if isinstance(case, dict)]
    if all(_same(line, broken.line, case) for case in cases):
        return True
    around = [d.lines[i] for i in (broken.at, broken.at + 1) if 0 < i < len(d.lines)]
    return bool(around) and all(_left_open(d, neighbour, line, broken.line) for neighbour in around)


def _values(line: Evaluate, broken: Evaluate, case: Inputs) -> tuple[np.ndarray, np.ndarray | None] | None:
    """Both values; None where the line itself cannot be computed, because sizes are written into it."""
    try:
        value = usable(line(case))
    except Unusable:
        return None
    try:
        return value, usable(broken(case))
    except Unusable:
        return value, None


def _same(line: Line, broken: Line, case: Inputs) -> bool:
    """Whether both have the same value but for rounding; true where the line has none itself."""
    pair = _values(line, broken, case)
    return pair is None or (pair[1] is not None and relations.equal(line, broken, case, SAME).holds)


def _left_open(d: Derivation, relation: Line, line: Line, broken: Line) -> bool:
    """Whether the relation allows the change: a factor under ∝, a rising straight line for a minimiser."""
    if relation.relation == "∝":
        step = d.steps[d.lines.index(relation)][0]
        return step.failure(line, broken, TRIES) is None
    if relation.relation != "argmin":
        return False
    step = d.steps[d.lines.index(relation)][0]
    return all(_rises_with(line, broken, case) for case in step.cases[:TRIES])


def _rises_with(line: Line, broken: Line, cases: list[Inputs]) -> bool:
    pairs = [pair for case in cases if (pair := _values(line, broken, case)) is not None]
    if any(b is None or a.size != 1 or b.size != 1 for a, b in pairs):
        return False
    u = np.array([a.item() for a, _ in pairs])
    v = np.array([b.item() for _, b in pairs if b is not None])
    return relations.misfit(u, v) <= 1e-9
