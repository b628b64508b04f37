"""A derivation with one line made false, for the reader to find; it is proved to be the only one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from chapters_src.studio.checks import fail
from chapters_src.studio.derivation import Derivation, DerivationError, Line
from chapters_src.studio.derivation_view import latex_relation
from chapters_src.studio.questions import Choose, Option
from chapters_src.studio.variants import Variant, first_lines, follow

__all__ = ["FalseLine", "Variant"]

ONE_CHANGED = "One line has been changed, and it no longer agrees with the others. Which one?"
CARRIED_ON = "One step does not follow, and the mistake is carried on. Which line is the first that is false?"


class FalseLine(Choose):
    """Find the false line.

    ``broken`` gives variants by line number, from 2 on. The first is the false one; those after it carry the
    mistake on and must follow. Every other line must follow from a line that stands before it.
    """

    def __init__(
        self,
        derivation: Derivation,
        broken: Mapping[int, Variant],
        *,
        name: str = "",
        question: str = "",
        why: str = "",
        hints: Sequence[str],
    ) -> None:
        self.derivation = derivation
        count = len(derivation.lines)
        self.false = min(broken, default=0)
        if self.false < 2 or sorted(broken) != list(range(self.false, self.false + len(broken))):
            fail("FalseLine", "broken", f"name lines from 2 to {count}, without a gap", sorted(broken))
        if max(broken) > count:
            fail("FalseLine", "broken", f"name lines from 2 to {count}", sorted(broken))
        self._broken = dict(broken)
        said = self._prove(why)
        options = [
            Option(
                f"${latex_relation(line)} {self._latex(at)}$",
                right=at == self.false,
                why=said[at - 1],
                aside=self._because(at),
            )
            for at, line in enumerate(derivation.lines, start=1)
        ]
        super().__init__(
            name or f"Find the false line: {derivation.title}",
            question or (CARRIED_ON if len(broken) > 1 else ONE_CHANGED),
            options=options,
            hints=hints,
        )

    def _labels(self) -> list[str]:
        return [str(at) for at in range(1, len(self.options) + 1)]

    def _latex(self, at: int) -> str:
        return self._broken[at].latex if at in self._broken else self.derivation.lines[at - 1].latex

    def _because(self, at: int) -> str:
        variant = self._broken.get(at)
        return (variant.because if variant else "") or self.derivation.lines[at - 1].because

    def _prove(self, why: str) -> list[str]:
        """What to say about each line, found by checking it; raises unless exactly one line is false."""
        d, false = self.derivation, self.false
        said = ["Line 1 is where the derivation starts; nothing has been claimed yet."]
        for at, line in enumerate(d.lines[1:], start=2):
            if at == false:
                said.append(self._caught(line, why))
                continue
            try:
                said.append(self._checked(at, line))
            except DerivationError as error:
                message = f"line {at} as well, which does not follow:\n{error}"
                fail("FalseLine", "broken", f"make line {false} of {d.title!r} the only false one", message)
        return said

    def _caught(self, line: Line, why: str) -> str:
        d, false = self.derivation, self.false
        refusal = ""
        try:
            follow(d, false - 1, line, self._broken[false])
        except DerivationError as error:
            refusal = str(error)
        if not refusal:
            holds = f"{self._latex(false)}, which holds"
            fail("FalseLine", "broken", f"make line {false} of {d.title!r} false", holds)
        said = f"Line {false} is the false one." + (f" {why}" if why else "")
        values = re.findall(r"^  (?:before|this line): (.*)$", refusal, re.MULTILINE)
        if values:
            said += f" On one of the inputs line {false - 1} is {values[0]} and this {values[1]}."
        return said

    def _checked(self, at: int, line: Line) -> str:
        """How a line that is right follows: from the one shown before it, or past the false one."""
        d, false = self.derivation, self.false
        right = f"Line {at} is right:"
        if at < false:
            return f"{right} it follows from line {at - 1} ({line.because})."
        if at in self._broken:
            follow(self._from(at - 1), 1, line, self._broken[at])
            return f"{right} it follows from line {at - 1}, false as that is ({self._because(at)})."
        if at - 1 in self._broken and len(self._broken) == 1:
            follow(d, false - 1, self._past(at))
            return f"{right} it follows from line {false - 1}; the line between is not needed for that."
        if at - 1 in self._broken:
            follow(self._from(at - 1), 1, line)
        return f"{right} it follows from line {at - 1} ({line.because})."

    def _from(self, at: int) -> Derivation:
        """A derivation that starts with the variant of a line, from which the next must follow."""
        variant, twin = self._broken[at], first_lines(self.derivation, 0)
        return twin.start(variant.latex, **({} if variant.fn is None else {"fn": variant.fn}))

    def _past(self, at: int) -> Line:
        """The line as it follows from the one before the false line between them."""
        line, between = self.derivation.lines[at - 1], self.derivation.lines[at - 2]
        if "=" not in (line.relation, between.relation) and line.relation != between.relation:
            kinds = f"{between.relation} and {line.relation}"
            fail("FalseLine", "broken", "be a line between relations of one kind", kinds)
        stronger = between if line.relation == "=" else line
        own = ("latex", "fn", "because", "formula")
        return replace(stronger, **{name: getattr(line, name) for name in own if hasattr(line, name)})
