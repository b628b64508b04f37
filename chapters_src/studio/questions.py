"""Questions with a short answer: a number to predict, or one of a few options to choose."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from string import ascii_lowercase
from typing import Any

from chapters_src.studio.checks import fail, number
from chapters_src.studio.comparison import shown
from chapters_src.studio.exercise import Mistake, Verdict
from chapters_src.studio.question import ACCEPTED, Question
from chapters_src.studio.reading import read_number
from chapters_src.studio.typeset import html_sentence, pieces, widget_sentence

__all__ = ["Choose", "Option", "Predict", "Range", "above", "below", "between"]

WRONG = "Not yet. {} is not it."
UNREADABLE = "Not yet. {} cannot be read as a number: write 0.25, 1/4, 25 % or 2.5e-1."


@dataclass(frozen=True)
class Range:
    """All numbers from ``low`` to ``high``, as a known mistake; made by `above`, `below` and `between`."""

    low: float
    high: float


def above(low: float) -> Range:
    """Every number from ``low`` on."""
    return Range(number("above", "low", low), math.inf)


def below(high: float) -> Range:
    """Every number up to ``high``."""
    return Range(-math.inf, number("below", "high", high))


def between(low: float, high: float) -> Range:
    """Every number from ``low`` to ``high``."""
    return Range(number("between", "low", low, below=number("between", "high", high)), high)


class Predict(Question):
    """A number to be predicted: accepted within ``within`` of the answer.

    A known mistake is a number or a `Range`; ``why`` is said to whoever is right.
    """

    kind = "predict"

    def __init__(
        self,
        name: str,
        question: str,
        *,
        answer: float,
        within: float | None = None,
        unit: str = "",
        mistakes: Sequence[Mistake] = (),
        hints: Sequence[str],
        why: str = "",
    ) -> None:
        super().__init__(name, question, hints)
        self.answer, self.unit, self.why = number("Predict", "answer", answer), unit, why
        if within is None and not isinstance(answer, numbers.Integral):
            fail("Predict", "within", "say how closely, because the answer is no whole number", "none")
        self.within = number("Predict", "within", within, above=0) if within is not None else 0.0
        self.mistakes = list(mistakes)
        self._right = self._around(self.answer)
        self._known = [self._range(mistake) for mistake in self.mistakes]
        for text in (why, *(mistake.hint for mistake in self.mistakes)):
            pieces(text)
        for mistake, known in zip(self.mistakes, self._known, strict=True):
            if known.low <= self.answer <= known.high:
                fail("Predict", "each mistake", "differ from the answer", repr(mistake.hint))

    def _around(self, middle: float) -> Range:
        # the last bits of the subtraction must not decide about a value on the margin
        slack = self.within + 1e-12 * max(self.within, abs(middle))
        return Range(middle - slack, middle + slack)

    def _range(self, mistake: Mistake) -> Range:
        if isinstance(mistake.wrong, Range):
            return mistake.wrong
        if callable(mistake.wrong):
            rule = "be a number or above(…), below(…), between(…), which the page can judge too"
            fail("Predict", "each mistake", rule, shown(mistake.wrong))
        return self._around(number("Predict", "each mistake", mistake.wrong))

    @property
    def foreseen(self) -> int:
        return len(self.mistakes)

    def _judge(self, attempt: Any, next_hint: str) -> Verdict:
        text = attempt.strip() if isinstance(attempt, str) else shown(attempt)
        if isinstance(attempt, numbers.Real) and not isinstance(attempt, bool):
            value: float | None = float(attempt)
        else:
            value = read_number(text, self.unit)
        if value is None or not math.isfinite(value):
            return Verdict(False, True, UNREADABLE.replace("{}", text))
        if self._right.low <= value <= self._right.high:
            return Verdict(True, True, ACCEPTED, note=self.why)
        for mistake, known in zip(self.mistakes, self._known, strict=True):
            if known.low <= value <= known.high:
                return Verdict(False, True, WRONG.replace("{}", text), mistake.hint)
        return Verdict(False, True, WRONG.replace("{}", text), next_hint)

    def _data(self) -> dict[str, Any]:
        ranges = [[r.low, r.high] for r in (self._right, *self._known)]
        finite = [[bound if math.isfinite(bound) else None for bound in pair] for pair in ranges]
        return {"unit": self.unit, "ranges": finite, "wrong": WRONG, "unreadable": UNREADABLE}

    def _said(self) -> dict[str, str]:
        known = {f"known-{i}": mistake.hint for i, mistake in enumerate(self.mistakes)}
        return ({"why": self.why} if self.why else {}) | known

    def _answer_html(self) -> str:
        unit = f" {html_sentence(self.unit)}" if self.unit else ""
        return (
            f'<p class="studio-answer"><label>Your number <input type="text" inputmode="text" size="12" '
            f'aria-describedby="question-{self.key}-text"></label>{unit}</p>'
        )

    def _answer_widget(self) -> tuple[Any, Callable[[], Any]]:
        import ipywidgets

        field = ipywidgets.Text(placeholder="a number")
        return ipywidgets.HBox([field, ipywidgets.Label(self.unit)]), lambda: field.value


@dataclass(frozen=True)
class Option:
    """Something to choose, whether it is right, and what to say to whoever chooses it."""

    text: str
    right: bool = False
    why: str = ""
    aside: str = ""


class Choose(Question):
    """One of a few options to be chosen; the answer is its letter."""

    kind = "choose"

    def __init__(self, name: str, question: str, *, options: Sequence[Option], hints: Sequence[str]) -> None:
        super().__init__(name, question, hints)
        self.options = list(options)
        self.labels = self._labels()
        caller = type(self).__name__
        if len(self.options) < 2 or sum(option.right for option in self.options) != 1:
            fail(
                caller, "options", "be two or more with one that is right", f"{len(self.options)} for {name}"
            )
        for option in self.options:
            if not option.why.strip():
                fail(caller, "why", "explain each option, right or wrong", repr(option.text))
            for text in (option.text, option.why, option.aside):
                pieces(text)

    def _labels(self) -> list[str]:
        return list(ascii_lowercase[: len(self.options)])

    @property
    def foreseen(self) -> int:
        return len(self.options) - 1

    def _judge(self, attempt: Any, next_hint: str) -> Verdict:
        label = str(attempt).strip().lower()
        if label not in self.labels:
            return Verdict(False, True, f"Not yet. {shown(attempt)} is none of {', '.join(self.labels)}.")
        option = self.options[self.labels.index(label)]
        return Verdict(option.right, True, ACCEPTED if option.right else "Not yet.", note=option.why)

    def _data(self) -> dict[str, Any]:
        right = next(label for label, option in zip(self.labels, self.options, strict=True) if option.right)
        return {"right": right, "wrong": "Not yet."}

    def _said(self) -> dict[str, str]:
        return {f"why-{label}": o.why for label, o in zip(self.labels, self.options, strict=True)}

    def _answer_html(self) -> str:
        rows = "".join(
            f'<label class="studio-option"><input type="radio" name="{self.key}" value="{label}">'
            f'<span class="studio-label">{escape(label)}</span> '
            f'<span class="studio-text">{html_sentence(option.text)}</span>'
            + (f' <span class="studio-reason">{html_sentence(option.aside)}</span>' if option.aside else "")
            + "</label>"
            for label, option in zip(self.labels, self.options, strict=True)
        )
        lined = " studio-lined" if any(option.aside for option in self.options) else ""
        group = f'role="radiogroup" aria-labelledby="question-{self.key}-text"'
        return f'<div class="studio-options{lined}" {group}>{rows}</div>'

    def _listing(self) -> list[str]:
        return [
            f"({label}) {option.text}" + (f" ({option.aside})" if option.aside else "")
            for label, option in zip(self.labels, self.options, strict=True)
        ]

    def _answer_widget(self) -> tuple[Any, Callable[[], Any]]:
        import ipywidgets

        rows = "<br>".join(widget_sentence(entry) for entry in self._listing())
        buttons = ipywidgets.ToggleButtons(options=self.labels, value=None)
        buttons.style.button_width = "3em"
        return ipywidgets.VBox([ipywidgets.HTMLMath(rows), buttons]), lambda: buttons.value
