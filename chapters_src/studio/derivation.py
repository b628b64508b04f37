"""Lines of algebra that are executed: a line that does not follow from the one before raises."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from chapters_src.studio import derivation_site, derivation_view, relations
from chapters_src.studio.checks import fail, number
from chapters_src.studio.formula import Formula, FormulaError
from chapters_src.studio.lines import (
    Broken,
    Holds,
    Line,
    Remembered,
    Step,
    check_function,
    explain,
    repeats,
    settled,
)
from chapters_src.studio.relations import Finding
from chapters_src.studio.rules import Facts, Problem, check_declarations, problems_of
from chapters_src.studio.samplers import covariance, integers, normal, positive, probabilities, uniform
from chapters_src.studio.trials import Trials
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
    "watched",
]

Code = Callable[..., Any] | None
MINIMISED = 5  # draws on which a minimiser is searched, which takes hundreds of values each time


class DerivationError(AssertionError):
    """A line of a derivation that does not follow."""


class Derivation:
    r"""A chain of formulas, executed and checked on random inputs as it is written.

        d = Derivation("binomial", a=normal(), b=normal())
        d.start("(a + b)^2")
        d.equals("a^2 + 2ab + b^2", because="multiply out")

    An input is a sampler (drawn anew in each trial) or a fixed value; ``where`` declares the other symbols of
    the formulas. A formula outside the grammar needs a function of the inputs; if both run, they must agree.
    Two values agree if max|a − b| / max(max|a|, max|b|) is at most ``within``; where terms cancel to about
    zero, if they differ by no more than rounding in those terms (see ``relations``). ``label`` names the last
    line on the site. ``problems`` lists the lines that break a rule (see ``rules``).
    """

    def __init__(
        self,
        title: str,
        /,
        *,
        where: Mapping[str, Any] | None = None,
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
        self.where = check_declarations(where or {}, inputs)
        self.lines: list[Line] = []
        self.steps: list[list[Step]] = []
        self.values: list[Remembered] = []
        self.problems: list[Problem] = []
        self.worst, self.inputs = 0.0, inputs
        self.checked_on = Trials(inputs, trials, seed)
        self.draws = self.checked_on.draws
        self.trials, self.random = len(self.draws), self.checked_on.random
        for found in _watching:
            found.append(self)

    def start(self, latex: str, fn: Code = None) -> Derivation:
        """The first line, which only has to give finite numbers."""
        if self.lines:
            fail("Derivation.start", "the first line", "be given once", f"another one, {latex!r}")
        return self._add(self._line("", latex, fn), [])

    def equals(
        self, latex: str, fn: Code = None, *, because: str, by_definition: bool = False, broken: Any = None
    ) -> Derivation:
        """The line is equal to the one before, shape and all."""
        line = self._line("=", latex, fn, because, by_definition=by_definition)
        return self._add(line, [Step(relations.equal, self.draws, self.within)], broken)

    def at_most(
        self,
        latex: str,
        fn: Code = None,
        *,
        because: str,
        tight: Mapping[str, Any] | None = None,
        never_tight: str = "",
        broken: Any = None,
    ) -> Derivation:
        """The line before is at most this one, and equal to it on the inputs ``tight``."""
        line = self._line("≤", latex, fn, because, has_tight=tight is not None, never_tight=never_tight)
        return self._bound(line, relations.at_most, tight, broken)

    def at_least(
        self,
        latex: str,
        fn: Code = None,
        *,
        because: str,
        tight: Mapping[str, Any] | None = None,
        never_tight: str = "",
        broken: Any = None,
    ) -> Derivation:
        """The line before is at least this one, and equal to it on the inputs ``tight``."""
        line = self._line("≥", latex, fn, because, has_tight=tight is not None, never_tight=never_tight)
        return self._bound(line, relations.at_least, tight, broken)

    def proportional_to(
        self, latex: str, fn: Code = None, *, because: str, of: str, broken: Any = None
    ) -> Derivation:
        """As functions of the input ``of``, the others held, the lines differ by a constant factor."""
        cases = self.checked_on.fresh("proportional_to", "of", of, len(self.lines))
        step = Step(relations.proportional, cases, self.within)
        return self._add(self._line("∝", latex, fn, because, of), [step], broken)

    def same_minimiser(
        self, latex: str, fn: Code = None, *, because: str, over: str, broken: Any = None
    ) -> Derivation:
        """As functions of the input ``over``, the others held, both lines are least at the same place."""
        cases = self.checked_on.fresh("same_minimiser", "over", over, len(self.lines))[:MINIMISED]
        step = Step(partial(relations.same_minimiser, over=over), cases, self.within)
        return self._add(self._line("argmin", latex, fn, because, over), [step], broken)

    def __str__(self) -> str:
        return derivation_view.plain(self)

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return bundle(str(self), derivation_site.site_html(self), latex=derivation_view.latex(self))

    def _add(self, line: Line, steps: list[Step], broken: Any = None) -> Derivation:
        """Hold the line against the one before, and keep it if it follows."""
        if line.relation and not self.lines:
            fail("Derivation", "a line", "come after start(...)", repr(line.latex))
        value = Remembered(line, self.draws)
        line, disagreement = settled(line, value, self.draws, self.within)
        for step in steps or [Step(relations.finite, self.draws, self.within)]:
            worst = step.worst(self.values[-1] if self.lines else value, value)
            if not worst.holds:
                raise self._error(line, worst)
            self.worst = max(self.worst, worst.amount)
        if broken is not None:
            line = replace(line, broken=self._noticed(line, steps, broken))
        before = self.values[-1] if self.lines else None
        same_bits = before is not None and repeats(line, before, value, steps, self.draws)
        at_zero = bool(steps[1:]) and not any(np.any(value(case)) for case in steps[1].cases)
        at_zero = at_zero and any(np.any(value(inputs)) for inputs in self.draws)
        facts = Facts(len(self.lines) + 1, self.inputs, self.where, same_bits, at_zero, disagreement)
        found = problems_of(line, self.lines[-1] if self.lines else None, facts)
        if found and os.environ.get("EVERY_LINE_STRICT") == "1":
            raise self._refusal(line, f"refused: {found[0].text}")
        self.problems += found
        self.lines.append(line)
        self.steps.append(steps)
        self.values.append(value)
        return self

    def _line(
        self, relation: str, latex: str, fn: Any, because: str = "", variable: str = "", **traits: Any
    ) -> Line:
        check_latex("Derivation", latex)
        if relation and not (isinstance(because, str) and because.strip()):
            fail("Derivation", "because", "say why the line follows", repr(because))
        pieces(because)
        if fn is not None:
            check_function(latex, fn, self.inputs)
        line = Line(relation, latex, fn, because, variable, **traits)
        try:
            formula = Formula(latex, self.inputs, self.where)
        except FormulaError as error:
            if fn is not None:
                return line
            complaint = f"{error}; a formula that is not understood needs a function as well"
            raise self._refusal(line, complaint) from error
        return replace(line, formula=formula)

    def _noticed(self, line: Line, steps: list[Step], broken: Any) -> Broken:
        """What the check says to a wrong variant of the line, which must not pass."""
        latex, fn = broken if isinstance(broken, tuple) else (broken, None)
        if callable(latex):
            latex, fn = line.latex, latex
        wrong = self._line(line.relation, latex, fn, line.because or "as it is")
        for step in steps:
            finding = step.failure(self.values[-1], wrong)
            if finding is not None:
                return Broken(latex, str(self._error(wrong, finding)))
        raise self._refusal(line, f"broken= must fail, but {latex} follows as well")

    def _bound(self, line: Line, holds: Holds, tight: Mapping[str, Any] | None, broken: Any) -> Derivation:
        steps = [Step(holds, self.draws, self.within)]
        if not isinstance(line.never_tight, str) or (line.never_tight and tight is not None):
            fail("Derivation", "never_tight", "say why, in words and without tight=", repr(line.never_tight))
        if tight is not None:
            cases, complaint = self.checked_on.tight(tight), "tight= says that both sides agree here"
            steps.append(Step(relations.equal, cases, self.within, complaint))
        return self._add(line, steps, broken)

    def _error(self, line: Line, finding: Finding) -> DerivationError:
        return DerivationError(explain(self.title, len(self.lines) + 1, line, finding))

    def _refusal(self, line: Line, complaint: str) -> DerivationError:
        return self._error(line, Finding(np.inf, self.within, {}, None, None, complaint))


_watching: list[list[Derivation]] = []


@contextmanager
def watched() -> Iterator[list[Derivation]]:
    """All derivations begun inside the block, in order."""
    found: list[Derivation] = []
    _watching.append(found)
    try:
        yield found
    finally:
        _watching.remove(found)
