"""What makes a line one that could not fail: each rule says so in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from chapters_src.studio.checks import fail
from chapters_src.studio.comparison import shown
from chapters_src.studio.formula import FormulaError
from chapters_src.studio.formula.names import Names
from chapters_src.studio.lines import Line
from chapters_src.studio.syntax import names_read, same_code

__all__ = ["Facts", "Problem", "check_declarations", "problems_of", "shown_inputs"]

WORDS = re.compile(
    r"\\(?:text|textbf|operatorname\*?|mathrm|mathbb|mathcal|begin|end|quad|label)\s*\{[^{}]*\}"
)
OTHER = re.compile(r"\\(?:hat|bar|tilde|dot|overline|widehat|boldsymbol)\s*(?:\{[^{}]*\}|\\?[A-Za-z]+)")
SPELLED = {"lam": "lambda", "eps": "epsilon"}


@dataclass(frozen=True)
class Problem:
    """A rule that a line breaks: ``line`` counts from 1."""

    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


def check_declarations(where: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What ``where`` declares: a size, a symbol for an input, or a function."""
    for symbol, meaning in where.items():
        if not (isinstance(meaning, (int, str)) or callable(meaning)) or isinstance(meaning, bool):
            rule = "be a size, the name of an input, a formula or a function; a value is an input"
            fail("Derivation", f"where[{symbol!r}]", rule, shown(meaning))
    try:
        Names(inputs, where)
    except FormulaError as error:
        fail("Derivation", "where", "declare what formulas can use", str(error))
    return dict(where)


@dataclass(frozen=True)
class Facts:
    """What is known about a line once it has run: its place, the derivation's names, what came out."""

    at: int
    inputs: Mapping[str, Any]
    where: Mapping[str, Any]
    same_bits: bool
    tight_at_zero: bool
    disagreement: str


def problems_of(line: Line, before: Line | None, facts: Facts) -> list[Problem]:
    """The rules that a line breaks."""
    found = [("formula and code", facts.disagreement)] if facts.disagreement else []
    if before is not None and not line.by_definition:
        if _same(before, line):
            found.append(("same code", "it runs what the line before runs; is it by_definition=True?"))
        elif facts.same_bits and line.broken is None:
            found.append(
                ("same bits", "it is the line before to the last bit; show a variant that fails, broken=")
            )
    unread = ", ".join(sorted(shown_inputs(line, facts.inputs, facts.where) - _read(line, facts.inputs)))
    if line.fn is not None and unread:
        found.append(("unread input", f"its formula shows {unread}, which its function never reads"))
    if line.relation in ("≤", "≥") and not (line.never_tight or line.has_tight):
        found.append(("no tight case", "it is a bound; give tight=, where both sides agree, or never_tight="))
    if facts.tight_at_zero:
        found.append(("tight at zero", "both sides of tight= are 0, as with any factor; take another case"))
    return [Problem(facts.at, rule, text) for rule, text in found]


def _same(before: Line, line: Line) -> bool:
    if before.formula is not None and line.formula is not None:
        return bool(before.formula.tree == line.formula.tree)
    return same_code(before.fn, line.fn)


def _read(line: Line, inputs: Iterable[str]) -> set[str]:
    """The inputs that the line's function uses; all it names, if its source is not known."""
    if line.fn is None:
        return set(inputs)
    read = names_read(line.fn)
    return set(line.names) if read is None else read & set(line.names)


def shown_inputs(line: Line, inputs: Iterable[str], where: Mapping[str, Any]) -> set[str]:
    """The inputs whose symbols the formula shows: from its tree, or looked for in its LaTeX."""
    if line.formula is not None:
        return set(line.formula.symbols) & set(inputs)
    latex = OTHER.sub(" ", WORDS.sub(" ", line.latex))
    names = set()
    for name in inputs:
        symbols = [symbol for symbol, meaning in where.items() if meaning == name]
        names |= {name for symbol in [*symbols, *_symbols(name)] if _stands_in(symbol, latex)}
    return names


def _symbols(name: str) -> list[str]:
    """How an input's name may be written in LaTeX."""
    stem, _, index = name.partition("_")
    stem = SPELLED.get(stem, stem)
    symbol = stem if len(stem) == 1 else "\\" + stem
    return [f"{symbol}_{index}", f"{symbol}_{{{index}}}"] if index else [symbol]


def _stands_in(symbol: str, latex: str) -> bool:
    """Whether the symbol occurs by itself or with a running index, and not as an index or another symbol."""
    letter = len(symbol) == 1
    if letter:  # one among others that stand side by side, but not inside a command
        latex = re.sub(r"\\[A-Za-z]+", " ", latex)
    index = r"(?:_(?:[ijkl](?![A-Za-z])|\{[ijkl]\}))?"
    follows = r"(?![_'*])(?!\^\*)(?!\^\{?\()" + ("" if letter else "(?![A-Za-z])")
    return re.search(r"(?<!_)(?<!_\{)" + re.escape(symbol) + index + follows, latex) is not None
