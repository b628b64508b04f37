"""Lines of a proof or of code to be put in order; every order that is valid is accepted."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from html import escape
from string import ascii_lowercase
from typing import Any

from chapters_src.studio.checks import fail
from chapters_src.studio.comparison import shown
from chapters_src.studio.exercise import Verdict
from chapters_src.studio.question import ACCEPTED, Question
from chapters_src.studio.typeset import html_sentence, pieces, widget_sentence

__all__ = ["Order"]

EARLY = "Not yet. Line {} stands too early."
UNREADABLE = "Not yet. {} is no order of the lines {}: name each of them once."


class Order(Question):
    """Lines to be put in order.

    ``lines`` stand in one valid order and are numbered from 1. ``before`` lists what must precede what,
    ``(1, 3)`` or, with a hint for whoever turns it round, ``(1, 3, "3 uses what 1 defines")``; or ``valid``
    lists the orders ``[1, 2, 3]``. With neither, only the given order is right. The reader sees the lines
    mixed, with letters; an answer is the letters in order, ``"cab"``.
    """

    kind = "order"

    def __init__(
        self,
        name: str,
        question: str,
        *,
        lines: Sequence[str],
        before: Sequence[tuple] = (),
        valid: Sequence[Sequence[int]] = (),
        code: bool = False,
        hints: Sequence[str],
        why: str = "",
    ) -> None:
        super().__init__(name, question, hints)
        self.lines, self.code, self.why = list(lines), code, why
        if not 3 <= len(self.lines) <= 26:
            fail("Order", "lines", "be three to twenty-six", len(self.lines))
        if before and valid:
            fail("Order", "the right orders", "be given by before or by valid, not by both", "both")
        for text in () if code else (*self.lines, why):
            pieces(text)
        numbers = list(range(1, len(self.lines) + 1))
        self._hint_of: dict[tuple[int, int], str] = {}
        for pair in before:
            if (
                len(pair) not in (2, 3)
                or pair[0] not in numbers
                or pair[1] not in numbers
                or pair[0] >= pair[1]
            ):
                rule = f"be (earlier, later) with line numbers of the order given, 1 to {len(numbers)}"
                fail("Order", "before", rule, pair)
            self._hint_of[pair[0], pair[1]] = pair[2] if len(pair) == 3 else ""
        self.valid = [] if before else [list(order) for order in valid] or [numbers]
        for order in self.valid:
            if sorted(order) != numbers:
                fail("Order", "valid", f"list each of the lines 1 to {len(numbers)} once", order)
        if self.valid and numbers not in self.valid:
            fail("Order", "valid", "contain the order in which the lines are given", self.valid)
        self._shown = self._mixed(numbers)
        self.labels = list(ascii_lowercase[: len(numbers)])

    def _mixed(self, numbers: list[int]) -> list[int]:
        """The lines mixed, always in the same way, and not into an order that is right."""
        rng = random.Random(self.name)
        tries = (rng.sample(numbers, len(numbers)) for _ in range(100))
        wrong = next((order for order in tries if self._too_early(order) is not None), None)
        if wrong is None:
            fail(
                "Order", "the right orders", "leave some order that is wrong", f"{len(self.valid)} right ones"
            )
        return wrong

    def _too_early(self, order: list[int]) -> int | None:
        """The first place whose line may not stand there yet; None if the order is valid."""
        for place, line in enumerate(order):
            if self.valid:
                wrong = not any(right[: place + 1] == order[: place + 1] for right in self.valid)
            else:
                placed = order[:place]
                wrong = any(later == line and first not in placed for first, later in self._hint_of)
            if wrong:
                return place
        return None

    @property
    def foreseen(self) -> int:
        return sum(bool(hint) for hint in self._hint_of.values())

    def _judge(self, attempt: Any, next_hint: str) -> Verdict:
        letters = [str(letter).strip().lower() for letter in attempt] if hasattr(attempt, "__iter__") else []
        letters = [letter for letter in letters if letter not in ("", ",")]
        if sorted(letters) != self.labels:
            lines = "".join(self.labels)
            return Verdict(False, True, UNREADABLE.replace("{}", shown(attempt), 1).replace("{}", lines))
        order = [self._shown[self.labels.index(letter)] for letter in letters]
        place = self._too_early(order)
        if place is None:
            return Verdict(True, True, ACCEPTED, note=self.why)
        hints = (
            hint
            for (first, later), hint in self._hint_of.items()
            if later == order[place] and first not in order[:place] and hint
        )
        return Verdict(False, True, EARLY.replace("{}", letters[place]), next(hints, next_hint))

    def _data(self) -> dict[str, Any]:
        letter = {number: self.labels[place] for place, number in enumerate(self._shown)}
        return {
            "before": [[letter[a], letter[b], bool(hint)] for (a, b), hint in self._hint_of.items()],
            "valid": ["".join(letter[line] for line in order) for order in self.valid],
            "wrong": EARLY,
        }

    def _said(self) -> dict[str, str]:
        known = {f"known-{i}": hint for i, hint in enumerate(self._hint_of.values()) if hint}
        return ({"why": self.why} if self.why else {}) | known

    def _line_html(self, number: int) -> str:
        text = self.lines[number - 1]
        return f"<code>{escape(text)}</code>" if self.code else html_sentence(text)

    def _answer_html(self) -> str:
        rows = "".join(
            f'<li data-label="{label}"><span class="studio-label">{label}</span> '
            f'<span class="studio-text">{self._line_html(number)}</span>'
            f'<span class="studio-moves">'
            f'<button type="button" data-move="-1" aria-label="Line {label} up">↑</button>'
            f'<button type="button" data-move="1" aria-label="Line {label} down">↓</button></span></li>'
            for label, number in zip(self.labels, self._shown, strict=True)
        )
        return f'<ol class="studio-order" aria-labelledby="question-{self.key}-text">{rows}</ol>'

    def _listing(self) -> list[str]:
        texts = (self.lines[number - 1] for number in self._shown)
        tick = "`" if self.code else ""
        return [f"({a}) {tick}{text}{tick}" for a, text in zip(self.labels, texts, strict=True)]

    def _answer_widget(self) -> tuple[Any, Callable[[], Any]]:
        import ipywidgets

        order = list(self.labels)
        box = ipywidgets.VBox()

        def row(label: str) -> Any:
            number = self._shown[self.labels.index(label)]
            text = self._line_html(number) if self.code else widget_sentence(self.lines[number - 1])
            up, down = (ipywidgets.Button(description=d, layout={"width": "3em"}) for d in "↑↓")
            up.on_click(lambda _button: move(label, -1))
            down.on_click(lambda _button: move(label, 1))
            return ipywidgets.HBox([up, down, ipywidgets.HTMLMath(f"({label}) {text}")])

        rows = {label: row(label) for label in self.labels}

        def move(label: str, step: int) -> None:
            at = order.index(label)
            to = min(max(at + step, 0), len(order) - 1)
            order.insert(to, order.pop(at))
            box.children = [rows[one] for one in order]

        box.children = [rows[one] for one in order]
        return box, lambda: "".join(order)
