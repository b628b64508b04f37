"""Lines of algebra that are executed: a line that does not follow from the one before raises."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.checks import fail, integer, number
from chapters_src.studio import derivation_site, derivation_view, relations
from chapters_src.studio.comparison import shown
from chapters_src.studio.relations import Evaluate, Finding, Inputs, Unusable
from chapters_src.studio.samplers import (
    Sampler,
    covariance,
    integers,
    normal,
    positive,
    probabilities,
    uniform,
)
from chapters_src.studio.typeset import bundle, check_latex, pieces

__all__ = [
    "Derivation",
    "DerivationError",
    "covariance",
    "integers",
    "normal",
    "positive",
    "probabilities",
    "uniform",
]

FRESH = 12  # values of a variable for which a proportionality is looked at, in each trial


class DerivationError(AssertionError):
    """A line of a derivation that does not follow."""


@dataclass(frozen=True)
class Line:
    """A formula, the function that computes it, and how it relates to the line before."""

    relation: str
    latex: str
    fn: Callable[..., Any]
    because: str = ""
    variable: str = ""

    def __call__(self, inputs: Inputs) -> Any:
        """Call the function with copies of those inputs that it names."""
        names = [name for name in inspect.signature(self.fn).parameters if name in inputs]
        try:
            return self.fn(**{name: copy.deepcopy(inputs[name]) for name in names})
        except Exception as error:
            raise Unusable(f"its function raised {type(error).__name__}: {error}") from error


class Derivation:
    r"""A chain of formulas, each with the code that computes it, checked on random inputs as it is written.

        d = Derivation("binomial", a=normal(), b=normal())
        d.start("(a + b)^2", lambda a, b: (a + b) ** 2)
        d.equals("a^2 + 2ab + b^2", lambda a, b: a**2 + 2 * a * b + b**2, because="multiply out")

    An input is a sampler (drawn anew in each trial) or a fixed value. Two values agree if
    max|a − b| / max(max|a|, max|b|) is at most ``within``; where terms cancel to about zero, if they differ
    by no more than rounding in those terms (see ``relations``). ``label`` names the last line on the site.
    """

    def __init__(
        self,
        title: str,
        /,
        *,
        trials: int = 20,
        seed: int = 0,
        within: float = 1e-9,
        label: str = "",
        **inputs: Any,
    ) -> None:
        self.title = title
        pieces(title)
        self.within = number("Derivation", "within", within, above=0)
        if label and not re.fullmatch(r"[A-Za-z][\w-]*", label):
            fail("Derivation", "label", "be letters, digits and dashes", repr(label))
        self.label = label
        self.lines: list[Line] = []
        self.worst = 0.0
        self._inputs = inputs
        self._seed = integer("Derivation", "seed", seed, at_least=0)
        integer("Derivation", "trials", trials, at_least=1)
        self.random = any(isinstance(value, Sampler) for value in inputs.values())
        self.trials = trials if self.random else 1
        self._draws = [self._draw(np.random.default_rng([seed, trial])) for trial in range(self.trials)]
        self.draws = self._draws  # the site shows values for the first

    def start(self, latex: str, fn: Callable[..., Any]) -> Derivation:
        """The first line, which only has to give finite numbers."""
        if self.lines:
            fail("Derivation.start", "the first line", "be given once", f"another one, {latex!r}")
        line = self._line("", latex, fn)
        for inputs in self._draws:
            try:
                relations.usable(line(inputs))
            except Unusable as error:
                raise self._error(
                    line, Finding(np.inf, self.within, inputs, None, None, str(error))
                ) from error
        self.lines.append(line)
        return self

    def equals(self, latex: str, fn: Callable[..., Any], *, because: str) -> Derivation:
        """The line is equal to the one before, shape and all."""
        return self._follow(self._line("=", latex, fn, because), relations.equal)

    def at_most(self, latex: str, fn: Callable[..., Any], *, because: str) -> Derivation:
        """The line before is at most this one."""
        return self._follow(self._line("≤", latex, fn, because), relations.at_most)

    def at_least(self, latex: str, fn: Callable[..., Any], *, because: str) -> Derivation:
        """The line before is at least this one."""
        return self._follow(self._line("≥", latex, fn, because), relations.at_least)

    def proportional_to(self, latex: str, fn: Callable[..., Any], *, because: str, of: str) -> Derivation:
        """As functions of the input ``of``, the others held, the lines differ by a constant factor."""
        sampler = self._sampler("proportional_to", "of", of)

        def holds(before: Evaluate, after: Evaluate, inputs: Inputs, within: float) -> Finding:
            return relations.proportional(before, after, self._fresh(inputs, of, sampler), within)

        return self._follow(self._line("∝", latex, fn, because, of), holds)

    def same_minimiser(self, latex: str, fn: Callable[..., Any], *, because: str, over: str) -> Derivation:
        """As functions of the input ``over``, the others held, both lines are least at the same place."""
        sampler = self._sampler("same_minimiser", "over", over)

        def holds(before: Evaluate, after: Evaluate, inputs: Inputs, within: float) -> Finding:
            return relations.same_minimiser(before, after, self._fresh(inputs, over, sampler), over, within)

        return self._follow(self._line("argmin", latex, fn, because, over), holds)

    def __str__(self) -> str:
        return derivation_view.plain(self)

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return bundle(str(self), derivation_site.site_html(self), latex=derivation_view.latex(self))

    def _follow(
        self, line: Line, holds: Callable[[Evaluate, Evaluate, Inputs, float], Finding]
    ) -> Derivation:
        if not self.lines:
            fail("Derivation", "a line", "come after start(...)", repr(line.latex))
        findings = []
        for inputs in self._draws:
            try:
                findings.append(holds(self.lines[-1], line, inputs, self.within))
            except Unusable as error:
                raise self._error(
                    line, Finding(np.inf, self.within, inputs, None, None, str(error))
                ) from error
        worst = max(findings, key=lambda finding: finding.amount)
        if not worst.holds:
            raise self._error(line, worst)
        self.lines.append(line)
        self.worst = max(self.worst, worst.amount)
        return self

    def _line(self, relation: str, latex: str, fn: Any, because: str = "", variable: str = "") -> Line:
        check_latex("Derivation", latex)
        if relation and not (isinstance(because, str) and because.strip()):
            fail("Derivation", "because", "say why the line follows", repr(because))
        pieces(because)
        if not callable(fn):
            fail("Derivation", "fn", "be a function, because every line runs", repr(fn))
        for name, parameter in inspect.signature(fn).parameters.items():
            optional = parameter.default is not parameter.empty or parameter.kind in (2, 4)
            if name not in self._inputs and not optional:
                known = ", ".join(self._inputs) or "nothing"
                fail("Derivation", f"{latex!r}", f"use only the inputs {known}", name)
        return Line(relation, latex, fn, because, variable)

    def _sampler(self, caller: str, argument: str, name: str) -> Sampler:
        sampler = self._inputs.get(name)
        if not isinstance(sampler, Sampler):
            fail(f"Derivation.{caller}", argument, "name an input that is drawn at random", repr(name))
        return sampler

    def _draw(self, rng: np.random.Generator) -> Inputs:
        return {
            name: value(rng) if isinstance(value, Sampler) else copy.deepcopy(value)
            for name, value in self._inputs.items()
        }

    def _fresh(self, inputs: Inputs, name: str, sampler: Sampler) -> list[Inputs]:
        """The inputs with many values of one of them: the drawn one first."""
        rng = np.random.default_rng([self._seed, len(self.lines)])
        draws = [inputs, *({**inputs, name: sampler(rng)} for _ in range(FRESH - 1))]
        if all(np.array_equal(draw[name], inputs[name]) for draw in draws):
            fail("Derivation", name, "vary", f"{sampler}, which is always the same")
        return draws

    def _error(self, line: Line, finding: Finding) -> DerivationError:
        at = len(self.lines) + 1
        rows = [
            f"{self.title}, line {at} does not follow:"
            if line.relation
            else f"{self.title}, line {at} fails:"
        ]
        rows.append(f"  line {at}: {line.relation} {line.latex}".replace(":  ", ": "))
        if line.because:
            rows.append(f"  because: {line.because}")
        if finding.complaint:
            rows.append(f"  {finding.complaint}")
        if finding.before is not None:
            rows += [f"  before: {shown(finding.before)}", f"  this line: {shown(finding.after)}"]
        if np.isfinite(finding.amount):
            rows.append(
                f"  largest relative disagreement {finding.amount:.1g}; allowed {finding.allowed:.1g}"
            )
        rows.append(
            "  with " + (", ".join(f"{k} = {shown(v)}" for k, v in finding.inputs.items()) or "no input")
        )
        return DerivationError("\n".join(rows))
