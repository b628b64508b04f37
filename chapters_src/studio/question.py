"""What all questions share that are answered on the page itself: hints in steps, and one object everywhere.

The verdict is found in Python in a kernel and by ``questions.js`` on the site, from the same data: which
answers are right, which mistakes are known, and every sentence that may be said.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from chapters_src.studio.building import building_site
from chapters_src.studio.checks import fail, integer
from chapters_src.studio.exercise import BLANKS, Verdict
from chapters_src.studio.typeset import html_sentence, pieces, plain_sentence, widget_sentence

__all__ = ["Question", "key_of"]

BLANK, ACCEPTED = "Not attempted yet.", "Accepted."


def key_of(name: str) -> str:
    """A name as it can stand in an address: lower case, words joined by dashes."""
    return re.sub(r"[\W_]+", "-", plain_sentence(name).lower()).strip("-")


class Question:
    """A question with hints that come one at a time. The kinds fill in how it is asked and judged."""

    kind = ""

    def __init__(self, name: str, question: str, hints: Sequence[str]) -> None:
        caller = type(self).__name__
        for argument, text in (("name", name), ("question", question)):
            if not isinstance(text, str) or not text.strip():
                fail(caller, argument, "be a sentence", repr(text))
            pieces(text)
        if isinstance(hints, str) or not hints or not all(hint.strip() for hint in hints):
            fail(caller, "hints", "be a list with at least one hint", repr(hints))
        self.name, self.question, self.hints = name, question, list(hints)
        for hint in self.hints:
            pieces(hint)
        self.key = key_of(name)

    def check(self, attempt: Any, hints_seen: int = 0) -> Verdict:
        """Judge an attempt; an unforeseen mistake gets the next hint that the reader has not seen."""
        integer("check", "hints_seen", hints_seen, at_least=0)
        if any(attempt is blank for blank in BLANKS) or (isinstance(attempt, str) and not attempt.strip()):
            return Verdict(False, False, BLANK)
        return self._judge(attempt, self.hints[min(hints_seen, len(self.hints) - 1)])

    # What a kind of question fills in.

    @property
    def foreseen(self) -> int:
        """How many wrong answers have a reply of their own."""
        raise NotImplementedError

    def _judge(self, attempt: Any, next_hint: str) -> Verdict:
        raise NotImplementedError

    def _data(self) -> dict[str, Any]:
        """What the page needs to find the same verdicts."""
        raise NotImplementedError

    def _said(self) -> dict[str, str]:
        """Sentences for one verdict only, by key; those whose key begins with ``known`` are hints."""
        return {}

    def _answer_html(self) -> str:
        raise NotImplementedError

    def _listing(self) -> list[str]:
        """What can be answered, as sentences: the options or the lines."""
        return []

    def _answer_widget(self) -> tuple[Any, Callable[[], Any]]:
        """A widget, and a function that reads the answer from it."""
        raise NotImplementedError

    # On the site.

    def html(self) -> str:
        """The question as a form which ``questions.js`` brings to life."""
        data = {"kind": self.kind, "blank": BLANK, "accepted": ACCEPTED, **self._data()}
        packed = base64.b64encode(json.dumps(data, ensure_ascii=False).encode()).decode()
        said = "".join(
            f'<span class="{"studio-hint" if key.startswith("known") else "studio-note"}" '
            f'data-key="{key}" hidden>'
            f"{'Hint: ' if key.startswith('known') else ''}{html_sentence(text)}</span>"
            for key, text in self._said().items()
        )
        hints = "".join(f"<li hidden>{html_sentence(hint)}</li>" for hint in self.hints)
        return (
            f'<form class="studio-question studio-{self.kind}" id="question-{self.key}" '
            f'data-answers="{packed}" aria-labelledby="asked-{self.key}" autocomplete="off" novalidate>'
            f'<p class="studio-title" id="asked-{self.key}">{html_sentence(self.name)}</p>'
            f'<p class="studio-asked" id="question-{self.key}-text">{html_sentence(self.question)}</p>'
            f"{self._answer_html()}"
            f'<p class="studio-actions"><button type="submit">Check</button>'
            f'<button type="button" class="studio-more">A hint</button></p>'
            f'<div role="status" data-pagefind-ignore>'
            f'<p class="studio-verdict" hidden><span class="studio-finding"></span> {said}</p>'
            f'<ol class="studio-hints" hidden>{hints}</ol></div></form>'
        )

    # In a kernel.

    def widget(self) -> Any:
        """The question as ipywidgets: the answer, a button that checks it, a button for the next hint."""
        import ipywidgets

        seen = 0
        entry, read = self._answer_widget()
        check, more = ipywidgets.Button(description="Check"), ipywidgets.Button(description="A hint")
        said = ipywidgets.HTMLMath()
        hints = ipywidgets.HTMLMath()

        def show_hints(count: int) -> None:
            nonlocal seen
            seen = max(seen, min(count, len(self.hints)))
            hints.value = "".join(
                f"<p>Hint {i + 1}: {widget_sentence(h)}</p>" for i, h in enumerate(self.hints[:seen])
            )
            more.description = "Another hint" if 0 < seen < len(self.hints) else "A hint"
            more.disabled = seen == len(self.hints)

        def judged(_button: Any) -> None:
            verdict = self.check(read(), seen)
            unforeseen = verdict.hint in self.hints
            parts = [escape(verdict.finding), widget_sentence(verdict.note)]
            parts.append("" if unforeseen or not verdict.hint else f"Hint: {widget_sentence(verdict.hint)}")
            said.value = f"<p>{'✓' if verdict.accepted else '○'} {' '.join(filter(None, parts))}</p>"
            if unforeseen:
                show_hints(seen + 1)

        check.on_click(judged)
        more.on_click(lambda _button: show_hints(seen + 1))
        head = ipywidgets.HTMLMath(f"<b>{widget_sentence(self.name)}</b><br>{widget_sentence(self.question)}")
        return ipywidgets.VBox([head, entry, ipywidgets.HBox([check, more]), said, hints])

    # Everywhere.

    def __str__(self) -> str:
        rows = [f"{plain_sentence(self.name)}: {plain_sentence(self.question)}"]
        return "\n".join(rows + [f"  {plain_sentence(entry)}" for entry in self._listing()])

    __repr__ = __str__

    def _markdown(self) -> str:
        title = self.name if self.name.endswith("?") else f"{self.name}."
        rows = [f"**{title}** {self.question}", *(f"- {entry}" for entry in self._listing())]
        return "\n\n".join([rows[0], "\n".join(rows[1:])]).strip()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        forms: dict[str, Any] = {"text/plain": str(self), "text/markdown": self._markdown()}
        if building_site():
            return forms | {"text/html": self.html()}
        view = {"version_major": 2, "version_minor": 0, "model_id": self.widget().model_id}
        return forms | {"application/vnd.jupyter.widget-view+json": view}
