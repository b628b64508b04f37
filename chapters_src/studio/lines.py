"""A line of a derivation: what it shows, what runs, and how it is held against the line before."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from chapters_src.studio.checks import fail
from chapters_src.studio.comparison import shown
from chapters_src.studio.formula import Formula
from chapters_src.studio.relations import Evaluate, Finding, Inputs, Unusable, equal, usable

__all__ = [
    "Broken",
    "Holds",
    "Line",
    "Remembered",
    "Step",
    "check_function",
    "explain",
    "repeats",
    "settled",
]

Holds = Callable[[Evaluate, Evaluate, Any, float], Finding]


@dataclass(frozen=True)
class Broken:
    """A wrong variant of a line, and what the check says to it."""

    latex: str
    says: str


@dataclass(frozen=True)
class Line:
    """A formula, what computes it, and how it relates to the line before."""

    relation: str
    latex: str
    fn: Callable[..., Any] | None = None
    because: str = ""
    variable: str = ""
    formula: Formula | None = None
    by_definition: bool = False
    has_tight: bool = False
    never_tight: str = ""
    broken: Broken | None = None

    @property
    def origin(self) -> str:
        """What was run: the formula, the code beside it, or both; a declared symbol is code."""
        if self.formula is None or self.formula.is_one_declared_symbol:
            return "code"
        return "both" if self.fn is not None else "formula"

    def __call__(self, inputs: Inputs) -> Any:
        return self.from_formula(inputs) if self.fn is None else self.from_code(inputs)

    def from_code(self, inputs: Inputs) -> Any:
        """Call the function with copies of those inputs that it names."""
        assert self.fn is not None
        try:
            return self.fn(**{name: _copied(inputs[name]) for name in self.names if name in inputs})
        except Exception as error:
            raise Unusable(f"its function raised {type(error).__name__}: {error}") from error

    def from_formula(self, inputs: Inputs) -> Any:
        """Execute the formula."""
        assert self.formula is not None
        try:
            return self.formula.value(inputs)
        except Exception as error:
            raise Unusable(f"its formula cannot be run: {error}") from error

    @cached_property
    def names(self) -> list[str]:
        """The arguments of the line's function."""
        return [] if self.fn is None else list(inspect.signature(self.fn).parameters)


def _copied(value: Any) -> Any:
    """A copy, so that no line can spoil the inputs of the next; quick for arrays and numbers."""
    if isinstance(value, (float, int, str)):
        return value
    return value.copy() if type(value) is np.ndarray else copy.deepcopy(value)


class Remembered:
    """A line whose values on the derivation's own inputs are computed once."""

    def __init__(self, evaluate: Evaluate, cases: Sequence[Inputs]) -> None:
        self.evaluate = evaluate
        self._cases = {id(case): case for case in cases}
        self._values: dict[int, Any] = {}

    def __call__(self, inputs: Inputs) -> Any:
        key = id(inputs)
        if key not in self._cases:
            return self.evaluate(inputs)
        if key not in self._values:
            self._values[key] = usable(self.evaluate(inputs))
        return self._values[key]


@dataclass(frozen=True)
class Step:
    """One thing that must hold between two neighbouring lines, and the cases on which it is looked at."""

    holds: Holds
    cases: Sequence[Any]
    within: float
    complaint: str = ""

    def worst(self, before: Evaluate, after: Evaluate) -> Finding:
        """The finding farthest from following."""
        worst: Finding | None = None
        for case in self.cases:
            finding = self._look(before, after, case)
            if worst is None or not finding.amount <= worst.amount:
                worst = finding
            if np.isinf(finding.amount):
                break
        assert worst is not None
        return worst

    def failure(self, before: Evaluate, after: Evaluate, tries: int | None = None) -> Finding | None:
        """The first finding that does not hold."""
        findings = (self._look(before, after, case) for case in self.cases[:tries])
        return next((finding for finding in findings if not finding.holds), None)

    def _look(self, before: Evaluate, after: Evaluate, case: Any) -> Finding:
        try:
            finding = self.holds(before, after, case, self.within)
        except Unusable as error:
            inputs = case[0] if isinstance(case, list) else case
            return Finding(np.inf, self.within, inputs, None, None, str(error))
        if self.complaint and not finding.holds:
            return replace(finding, complaint=finding.complaint or self.complaint)
        return finding


def check_function(latex: str, fn: Any, inputs: Inputs) -> None:
    """Refuse what is no function of the inputs."""
    if not callable(fn):
        fail("Derivation", "fn", "be a function, because every line runs", repr(fn))
    for name, parameter in inspect.signature(fn).parameters.items():
        optional = parameter.default is not parameter.empty or parameter.kind in (2, 4)
        if name not in inputs and not optional:
            fail("Derivation", f"{latex!r}", f"use only the inputs {', '.join(inputs) or 'nothing'}", name)


def settled(line: Line, code: Evaluate, draws: Sequence[Inputs], within: float) -> tuple[Line, str]:
    """The line, without its formula where that does not run as the function does, and how they differ."""
    if line.fn is None or line.formula is None:
        return line, ""
    formula = Remembered(line.from_formula, draws)
    try:
        for inputs in draws:
            formula(inputs)
    except Unusable:
        return replace(line, formula=None), ""
    failure = Step(equal, draws, within).failure(code, formula)
    if failure is None:
        return line, ""
    values = f"its function gives {shown(failure.before)}, its formula {shown(failure.after)}"
    inputs_shown = ", ".join(f"{name} = {shown(value)}" for name, value in failure.inputs.items())
    return replace(line, formula=None), f"{values}, with {inputs_shown or 'no input'}"


def repeats(
    line: Line, before: Evaluate, value: Evaluate, steps: Sequence[Step], draws: Sequence[Inputs]
) -> bool:
    """Whether a line is bit for bit the one before, and no break of its formula would be noticed.

    Whether two ways to compute a number agree to the last bit is the processor's affair; the breaks are not.
    """
    if not all(np.array_equal(before(inputs), value(inputs)) for inputs in draws):
        return False
    if line.origin != "formula" or line.formula is None:
        return True
    with np.errstate(all="ignore"):
        wrong = (replace(line, formula=formula) for _, formula in line.formula.mutations(draws[0]))
        return not any(step.failure(before, other) for other in wrong for step in steps)


def explain(title: str, at: int, line: Line, finding: Finding) -> str:
    """What is wrong with line ``at``: its formula and reason, both values, how far apart, on which inputs."""
    rows = [f"{title}, line {at} {'does not follow' if line.relation else 'fails'}:"]
    rows.append(f"  line {at}: {line.relation} {line.latex}".replace(":  ", ": "))
    if line.because:
        rows.append(f"  because: {line.because}")
    if finding.complaint:
        rows.append(f"  {finding.complaint}")
    if finding.before is not None:
        rows += [f"  before: {shown(finding.before)}", f"  this line: {shown(finding.after)}"]
    if np.isfinite(finding.amount):
        rows.append(f"  largest relative disagreement {finding.amount:.1g}; allowed {finding.allowed:.1g}")
    inputs = ", ".join(f"{name} = {shown(value)}" for name, value in finding.inputs.items())
    return "\n".join([*rows, f"  with {inputs or 'no input'}"])
