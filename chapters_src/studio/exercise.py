"""Exercises: an answer is run on cases and judged in a sentence the reader can act on."""

from __future__ import annotations

import copy
import html
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.studio.checks import fail, number
from chapters_src.studio.comparison import as_numbers, largest, shown
from chapters_src.studio.typeset import bundle, html_sentence, markdown_words, pieces, plain_sentence

__all__ = ["Exercise", "Mistake", "Verdict"]

Case = Mapping[str, Any]
BLANKS = (None, ..., NotImplemented)
FLOOR = 1e-4  # an expected 0 may come out as rounding: below this size errors are compared with it


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer and what to say to whoever gives it."""

    wrong: Any
    hint: str


@dataclass(frozen=True)
class Verdict:
    """What the checker found; displays as one sentence or two. Hint and note may hold $formulas$."""

    accepted: bool
    attempted: bool
    finding: str
    hint: str = ""
    note: str = ""

    @property
    def message(self) -> str:
        """The whole verdict as plain text."""
        note = f" {plain_sentence(self.note)}" if self.note else ""
        return self.finding + note + (f" Hint: {plain_sentence(self.hint)}" if self.hint else "")

    def __str__(self) -> str:
        return self.message

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        kind = "accepted" if self.accepted else "rejected" if self.attempted else "blank"
        note = f" {html_sentence(self.note)}" if self.note else ""
        hint = f' <span class="studio-hint">Hint: {html_sentence(self.hint)}</span>' if self.hint else ""
        site = f'<p class="studio-verdict studio-{kind}">{html.escape(self.finding)}{note}{hint}</p>'
        markdown = markdown_words(self.finding) + (f" {self.note}" if self.note else "")
        return bundle(
            self.message, site, markdown=markdown + (f" **Hint:** {self.hint}" if self.hint else "")
        )


class Exercise:
    """A question with a reference answer, cases to try an attempt on, and hints for known mistakes.

    Three kinds: ``answer`` a function with ``cases`` (dicts of inputs, the first small enough to read);
    ``answer`` a value, to be predicted; or ``judge``, a function of the attempt that returns None or says
    what is wrong, for open answers. Numbers agree if max|a − b| is at most
    ``within`` · max(max|a|, max|b|, 1e-4).
    """

    def __init__(
        self,
        name: str,
        *,
        answer: Any = None,
        cases: Sequence[Case] = (),
        mistakes: Sequence[Mistake] = (),
        hint: str,
        within: float = 1e-8,
        judge: Callable[[Any], str | None] | None = None,
    ) -> None:
        self.name, self.answer, self.hint, self.judge = name, answer, hint, judge
        self.within = number("Exercise", "within", within, above=0)
        self.cases, self.mistakes = list(cases), list(mistakes)
        if not hint.strip():
            fail("Exercise", "hint", "help the reader", repr(hint))
        for text in (hint, *(mistake.hint for mistake in self.mistakes)):
            pieces(text)
        if judge is not None:
            if self.cases or self.mistakes:
                fail("Exercise", "judge", "stand alone, without cases and mistakes", name)
        elif any(answer is blank for blank in BLANKS):
            fail("Exercise", "answer", "be given unless there is a judge", repr(answer))
        elif callable(answer) != bool(self.cases):
            fail(
                "Exercise", "cases", "be given for a function, and only then", f"{len(self.cases)} for {name}"
            )
        if (judge is None or answer is not None) and not (own := self.check(answer)).accepted:
            fail("Exercise", "answer", "pass its own check", f"{own.message!r} for {name}")
        for mistake in self.mistakes:
            if self.check(mistake.wrong).accepted:
                fail("Exercise", "each mistake", "differ from the answer on some case", repr(mistake.hint))

    @property
    def foreseen(self) -> int:
        """How many wrong answers have a hint of their own; what a judge says is not counted."""
        return len(self.mistakes)

    def check(self, attempt: Any) -> Verdict:
        """Judge an attempt. Whatever it is or does, the result is a verdict and never an exception."""
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")  # they would print paths of ours between the verdicts
                return self._verdict(attempt)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return self._no(f"your answer could not be checked: {_raised(error)}.")

    def _verdict(self, attempt: Any) -> Verdict:
        if any(attempt is blank for blank in BLANKS):
            return _not_attempted()
        if self.judge is not None:
            complaint = self.judge(attempt)
            return Verdict(True, True, "Accepted.") if complaint is None else self._no(complaint)
        if not callable(self.answer):
            return self._verdict_on_value(attempt)
        if not callable(attempt):
            return self._no(f"expected a function, got {shown(attempt)}.")
        for case in self.cases:
            verdict = self._verdict_on_case(attempt, case)
            if verdict is not None:
                return verdict
        count = len(self.cases)
        return Verdict(True, True, f"Accepted: {count} case{'s' if count > 1 else ''}.")

    def _verdict_on_case(self, attempt: Callable[..., Any], case: Case) -> Verdict | None:
        """None if the attempt is right on this case."""
        first = case is self.cases[0]
        inputs = ", ".join(f"{name} = {shown(value)}" for name, value in case.items())
        expected = _call(self.answer, case)
        try:
            got = _call(attempt, case)
        except NotImplementedError as error:
            if first:
                return _not_attempted()
            return self._no(f"your function raised {_raised(error)} on input {inputs}.")
        except (Exception, SystemExit) as error:
            return self._no(f"your function raised {_raised(error)} on input {inputs}.")
        if first and any(got is blank for blank in BLANKS):
            return _not_attempted()
        difference = _difference(expected, got, self.within)
        if difference is None:
            return None
        for mistake in self.mistakes:
            if _matches(mistake.wrong, case, got, self.within):
                return self._no(f"For {inputs}, {difference}.", mistake.hint)
        return self._no(f"For {inputs}, {difference}.")

    def _verdict_on_value(self, attempt: Any) -> Verdict:
        """Right or wrong, without giving the answer away."""
        difference = _difference(self.answer, attempt, self.within, secret=True)
        if difference is None:
            return Verdict(True, True, "Accepted.")
        for mistake in self.mistakes:
            if _difference(mistake.wrong, attempt, self.within) is None:
                return self._no(f"{difference}.", mistake.hint)
        return self._no(f"{difference}.")

    def _no(self, finding: str, hint: str | None = None) -> Verdict:
        sentence = " ".join(finding.split())
        return Verdict(False, True, f"Not yet. {sentence[:1].upper()}{sentence[1:]}", hint or self.hint)


def _not_attempted() -> Verdict:
    return Verdict(False, False, "Not attempted yet.")


def _raised(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # even the exception may be the reader's own
        text = ""
    return type(error).__name__ + (f": {text[:200]}" if text else "")


def _call(function: Callable[..., Any], case: Case) -> Any:
    """Call with a copy of the inputs, by name if the function has the names, else in order."""
    inputs = copy.deepcopy(dict(case))
    try:
        names = set(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # some builtins have no signature
        names = set()
    return function(**inputs) if names >= set(inputs) else function(*inputs.values())


def _matches(wrong: Any, case: Case, got: Any, within: float) -> bool:
    try:
        return _difference(_call(wrong, case), got, within) is None
    except Exception:  # a mistake may fail on a case, and then it is not this one
        return False


def _difference(expected: Any, got: Any, within: float, secret: bool = False) -> str | None:
    """None if the two agree, else what differs, in words; a ``secret`` value is not told."""
    differs = f"{shown(got)} is not it" if secret else f"expected {shown(expected)}, got {shown(got)}"
    if isinstance(expected, (str, bool, np.bool_)):
        same = isinstance(got, (str, bool, np.bool_)) and bool(got == expected)
        return None if same else differs
    if isinstance(expected, tuple):
        if not isinstance(got, (tuple, list)) or len(got) != len(expected):
            return f"expected {len(expected)} values, got {shown(got)}"
        parts = (_difference(e, g, within, secret) for e, g in zip(expected, got, strict=True))
        return next((part for part in parts if part is not None), None)
    right = as_numbers(expected)
    if right.size == 0 or not np.isfinite(right).all():
        raise ValueError(f"the answer must be finite and not empty; got {shown(expected)}")
    kind = f"an array of shape {right.shape}" if right.ndim else "a number"
    if isinstance(got, (str, bool, np.bool_)):
        return f"expected {kind}, got {shown(got)}"
    try:
        theirs = as_numbers(got)
    except TypeError:
        return f"expected {kind}, got {shown(got)}"
    if theirs.shape != right.shape:
        return f"expected shape {right.shape}, got shape {theirs.shape}"
    if np.isfinite(theirs).all():
        scale = max(largest(right), largest(theirs), FLOOR)
        if largest(right - theirs) <= within * scale:
            return None
    return differs
