"""Which names a formula may use, and which name in the code a LaTeX symbol is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from chapters_src.studio.formula.errors import FormulaError
from chapters_src.studio.formula.tokens import Token, tokens

SPELLINGS = {
    "lambda": ("lam", "lambda_"),
    "epsilon": ("eps",),
    "varepsilon": ("epsilon", "eps"),
    "varphi": ("phi",),
    "ell": ("loss",),
}
SIZE = re.compile(r"(rows|columns|length) of (\w+)")


@dataclass(frozen=True)
class Written:
    """A symbol as it is written: its name without the subscript, and the tokens of the subscript."""

    stem: str
    subscript: tuple[Token, ...]
    end: int

    @property
    def full(self) -> str:
        """The name with its subscript, spelt as a name where it can be."""
        if not self.subscript:
            return self.stem
        text = "".join(token.text for token in self.subscript if token.kind not in "{}")
        return f"{self.stem}_{text}" if text.isalnum() else f"{self.stem}_{{{text}}}"


def written_symbol(stream: list[Token], at: int, latex: str) -> Written:
    """Read a symbol with its accents, stars, primes, labels in brackets and subscript."""
    accents: list[str] = []
    braces = 0
    while stream[at].kind == "accent" or (accents and stream[at].kind == "{"):
        if stream[at].kind == "{":
            braces += 1
        else:
            accents.append(stream[at].text)
        at += 1
    if stream[at].kind not in ("letter", "word", "text"):
        raise FormulaError(latex[stream[at].start : stream[at].end] or "the end", "is no symbol", latex)
    stem = stream[at].text
    at += 1
    for _ in range(braces):
        if stream[at].kind != "}":
            raise FormulaError(latex[: stream[at].end], "has an accent over more than a symbol", latex)
        at += 1
    marks = ""
    subscript: tuple[Token, ...] = ()
    while True:
        if stream[at].text == "'" and not subscript:
            marks, at = marks + "_prime", at + 1
        elif stream[at].kind == "^" and (mark := _mark(stream, at + 1)):
            marks, at = marks + mark[0], mark[1]
        elif stream[at].kind == "_" and not subscript:
            end = group_end(stream, at + 1, latex)
            subscript, at = tuple(stream[at + 1 : end]), end
        else:
            break
    stem += "".join(f"_{accent}" for accent in reversed(accents)) + marks
    return Written(stem, subscript, at)


def _mark(stream: list[Token], at: int) -> tuple[str, int] | None:
    """A star, primes or a label such as (1) above a symbol, and where it ends; None for a power."""
    if stream[at].text == "*":
        return "_star", at + 1
    if stream[at].kind != "{":
        return None
    end = next(i for i in range(at, len(stream)) if stream[i].kind in ("}", "end of formula"))
    inside = [token.text for token in stream[at + 1 : end]]
    if inside and all(text == "'" for text in inside):
        return "_prime" * len(inside), end + 1
    if inside == ["*"]:
        return "_star", end + 1
    if len(inside) > 2 and inside[0] == "(" and inside[-1] == ")":
        return "^" + "".join(inside), end + 1
    return None


def group_end(stream: list[Token], at: int, latex: str) -> int:
    """Where the argument that starts at ``at`` ends: a group in braces, or one token."""
    if stream[at].kind != "{":
        if stream[at].kind == "end of formula":
            raise FormulaError("the end", "comes where an argument should", latex)
        return at + 1
    depth = 0
    for position in range(at, len(stream)):
        depth += (stream[position].kind == "{") - (stream[position].kind == "}")
        if depth == 0:
            return position + 1
    raise FormulaError(latex[stream[at].start :], "has a brace that is not closed", latex)


def closed(stream: list[Token], latex: str) -> list[Token]:
    """The tokens with a mark after the last, so that looking ahead never runs out."""
    return [*stream, Token("end of formula", "", len(latex), len(latex))]


def key(name: str) -> str:
    """The name under which a key of ``where`` is known: a Python name as it is, LaTeX as it is read."""
    if name.isidentifier():
        return name
    stream = closed(tokens(name), name)
    symbol = written_symbol(stream, 0, name)
    rest = [token.text for token in stream[symbol.end : -1]]
    if rest and rest not in (["^", "2"], ["^", "{", "2", "}"]):
        raise FormulaError(name, "is no symbol that where= can declare")
    return symbol.full + ("^2" if rest else "")


@dataclass(frozen=True)
class Declared:
    """A formula that ``where`` gives to a symbol, to a function of parameters, or to an indexed symbol."""

    parameters: tuple[str, ...]
    letters: tuple[str, ...]
    latex: str


class Names:
    """The inputs of a derivation and what ``where`` declares, by kind."""

    def __init__(self, inputs: Iterable[str], where: Mapping[str, Any] | None) -> None:
        self.inputs = frozenset(inputs)
        self.alias: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        self.sizes: dict[str, tuple[str, str]] = {}
        self.functions: dict[str, Callable[..., Any]] = {}
        self.formulas: dict[str, Declared] = {}
        for written, value in (where or {}).items():
            self._declare(written, value)
        for name in self.inputs:
            square = re.fullmatch(r"([A-Za-z]+)_?2", name)
            if square and not {square[1], square[1] + "1", square[1] + "_1"} & self.inputs:
                self.alias.setdefault(square[1] + "^2", name)

    def _declare(self, written: str, value: Any) -> None:
        head, bracket, parameters = written.partition("(") if "^{(" not in written else (written, "", "")
        name = key(head)
        letters: tuple[str, ...] = ()
        if isinstance(value, str) and value.startswith("="):
            name, letters = self._indexed(head, name)
        if name in self.inputs:
            raise FormulaError(written, "is declared by where= and is an input already")
        if name in self.symbols_so_far():
            raise FormulaError(written, f"declares {name} a second time")
        if bracket and not (isinstance(value, str) and value.startswith("=")):
            raise FormulaError(written, 'needs a formula "= ..." because it has parameters')
        if callable(value):
            self.functions[name] = value
        elif not isinstance(value, str):
            self.values[name] = value
        elif value.startswith("="):
            named = tuple(key(part.strip()) for part in parameters.rstrip(")").split(",")) if bracket else ()
            self.formulas[name] = Declared(named, letters, value[1:].strip())
        elif size := SIZE.fullmatch(value):
            if size[2] not in self.inputs:
                raise FormulaError(written, f"is the size of {size[2]}, which is no input")
            self.sizes[name] = (size[1], size[2])
        elif value in self.inputs:
            self.alias[name] = value
        else:
            raise FormulaError(written, f"stands for {value!r}, which is no input, size or formula")

    def symbols_so_far(self) -> set[str]:
        """All that is declared, while it is being declared."""
        kinds = (self.alias, self.values, self.sizes, self.functions, self.formulas)
        return set().union(*(kind.keys() for kind in kinds))

    def _indexed(self, written: str, name: str) -> tuple[str, tuple[str, ...]]:
        """The symbol and the indices of a_i or r_{ik}, where the letters have no value; else the name."""
        if written.isidentifier() and "_" not in written:
            return name, ()
        symbol = written_symbol(closed(tokens(written), written), 0, written)
        letters = tuple(
            token.text for token in symbol.subscript if token.kind not in "{}" and token.text != ","
        )
        free = all(len(letter) == 1 and letter.islower() and letter not in self.inputs for letter in letters)
        return (symbol.stem, letters) if letters and free else (name, ())

    @cached_property
    def symbols(self) -> frozenset[str]:
        """All names that have a value."""
        plain = {name for name, declared in self.formulas.items() if not declared.parameters}
        return self.inputs | self.alias.keys() | self.values.keys() | self.sizes.keys() | plain

    @cached_property
    def callables(self) -> frozenset[str]:
        """All names that take arguments."""
        return frozenset(self.functions) | {name for name, made in self.formulas.items() if made.parameters}


def spellings(name: str) -> tuple[str, ...]:
    """The ways in which code may spell a symbol's name, the plain one first."""
    stem, _, rest = name.partition("_")
    others = tuple(other + (f"_{rest}" if rest else "") for other in SPELLINGS.get(stem, ()))
    return (name, *others)


def joined(name: str) -> tuple[str, ...]:
    """W_1 may be W1 in code."""
    match = re.fullmatch(r"(.+)_(\d+)", name)
    return (name, match[1] + match[2]) if match else (name,)
