"""A place in a stream of tokens, and what can be asked of it."""

from __future__ import annotations

from typing import NoReturn

from chapters_src.studio.formula.errors import FormulaError
from chapters_src.studio.formula.names import closed, group_end
from chapters_src.studio.formula.tokens import Token

OPENING = {"open": 1, "close": -1, "{": 1, "}": -1, "begin": 1, "end": -1}


class Cursor:
    """Reads tokens from left to right."""

    def __init__(self, stream: list[Token], latex: str) -> None:
        self.stream, self.latex, self.at = closed(stream, latex), latex, 0

    @property
    def here(self) -> Token:
        return self.stream[self.at]

    def next(self) -> Token:
        """The token here; the place moves on."""
        self.at += 1
        return self.stream[self.at - 1]

    def on(self, kind: str, *texts: str) -> bool:
        """Whether the token here is of this kind, and one of these texts if there are any."""
        return self.here.kind == kind and (not texts or self.here.text in texts)

    def take(self, kind: str, *texts: str) -> bool:
        """Move past the token here if it is such a one."""
        found = self.on(kind, *texts)
        self.at += found
        return found

    def done(self) -> bool:
        return self.on("end of formula")

    def group(self) -> list[Token]:
        """The tokens of an argument: a group in braces, without them, or one token."""
        start, self.at = self.at, group_end(self.stream, self.at, self.latex)
        inside = self.stream[start : self.at]
        return inside[1:-1] if inside[0].kind == "{" else inside

    def refuse(self, complaint: str, start: int | None = None, end: int | None = None) -> NoReturn:
        """Say which piece is not understood: the token here, or all from ``start`` to ``end``."""
        first = self.stream[self.at if start is None else start]
        last = self.stream[max(self.at, self.stream.index(first)) if end is None else end]
        raise FormulaError(self.latex[first.start : last.end] or "the end", complaint, self.latex)


def split(stream: list[Token], kind: str, *texts: str) -> list[list[Token]]:
    """The tokens cut at those separators that stand in no bracket."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in stream:
        depth += OPENING.get(token.kind, 0)
        if depth == 0 and token.kind == kind and token.text in texts:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
