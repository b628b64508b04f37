"""The factors of a formula: numbers, symbols, brackets, and what stands above and below them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from chapters_src.studio.formula import tree
from chapters_src.studio.formula.cursor import Cursor, split
from chapters_src.studio.formula.names import Written, closed, group_end, written_symbol
from chapters_src.studio.formula.scope import Scope
from chapters_src.studio.formula.tokens import FUNCTIONS, Token
from chapters_src.studio.formula.tree import Node

CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">", "|": "|", "||": "||"}


BUILT_IN = FUNCTIONS | {"tr", "diag", "softmax", "sign", "ReLU", "relu", "normal_density"}


class Atoms(Cursor, ABC):
    """Reads one factor; brackets and expressions are read by the classes that extend it."""

    def __init__(self, stream: list[Token], latex: str, scope: Scope) -> None:
        super().__init__(stream, latex)
        self.scope = scope

    @abstractmethod
    def expression(self) -> Node: ...

    @abstractmethod
    def index_expression(self) -> Node: ...

    @abstractmethod
    def fraction(self) -> Node: ...

    @abstractmethod
    def bracketed(self, opening: str, inside: list[Token], start: int) -> Node: ...

    @abstractmethod
    def postfix(self, node: Node) -> Node: ...

    @abstractmethod
    def indices(self, group: list[Token]) -> tuple[Node, ...]: ...

    @abstractmethod
    def block(self) -> Node: ...

    def sub_parser(self, group: list[Token]) -> Atoms:
        """A reader of the tokens of a group, in the same scope."""
        braced = bool(group) and group[0].kind == "{"
        if braced and group_end(closed(group, self.latex), 0, self.latex) == len(group):
            group = group[1:-1]
        if not group:
            self.refuse("has an empty argument", max(self.at - 2, 0))
        return type(self)(group, self.latex, self.scope)

    def all(self) -> Node:
        """The whole of the tokens as one expression."""
        node = self.expression()
        if not self.done():
            self.refuse("is not understood here")
        return node

    @contextmanager
    def binding(self, letters: tuple[str, ...], start: int, again: bool = False) -> Iterator[None]:
        """The letters are indices inside; none may have a value already."""
        for letter in letters:
            if self.scope.is_known(letter):
                self.refuse(f"runs over {letter}, which has a value already", start, self.at - 1)
            if letter in self.scope.bound and not again:
                self.refuse(f"runs over {letter}, which is running already", start, self.at - 1)
        before = self.scope.bound
        self.scope.bound = before | set(letters)
        yield
        self.scope.bound = before

    def postfixed(self) -> Node:
        """A factor with its powers and subscripts."""
        start = self.here
        if self.on("digit"):
            return self.postfix(self._number())
        if self.on("letter") or self.on("accent") or self.on("text") or self.on("word"):
            return self.postfix(self._symbol())
        if self.on("open") or self.on("bar"):
            return self._bracket()
        if self.on("{"):
            return self.postfix(self.sub_parser(self.group()).all())
        if self.take("ones"):
            if self.on("open", "["):
                return self._bracket()
            size = self.sub_parser(self.group()).all() if self.take("_") else None
            return self.postfix(tree.Constant("ones", size))
        if self.take("op", "frac"):
            fraction = self.fraction()
            if self.on("^"):
                self.refuse("is a power after a fraction: put brackets")
            return fraction
        if self.take("op", "sqrt"):
            return tree.Apply("sqrt", (self.sub_parser(self.group()).all(),))
        if self.take("op", "infty"):
            return tree.Constant("infinity")
        if self.take("op", "binom"):
            pair = self.sub_parser(self.group()).all(), self.sub_parser(self.group()).all()
            return tree.Apply("binom", pair)
        if self.take("op", "brace"):
            inside = self.sub_parser(self.group()).all()
            if self.take("_") or self.take("^"):
                self.group()
            return self.postfix(inside)
        if self.on("begin"):
            return self.postfix(self.block())
        self.refuse("is outside the grammar" if start.kind != "end of formula" else "comes too early")
        return None

    def _number(self) -> Node:
        text = self.next().text
        while (self.on("digit") or self.on("op", ".")) and self.here.start == self.stream[self.at - 1].end:
            text += self.next().text
        return tree.Number(text)

    def _symbol(self) -> Node:
        start = self.at
        symbol = written_symbol(self.stream, start, self.latex)
        plain = self.here
        self.at = symbol.end
        for name in (symbol.full, symbol.stem) if symbol.subscript else (symbol.stem,):
            subscripted = name != symbol.full
            if not subscripted and (squared := self._squared(name)) is not None:
                return squared
            if name in self.scope.bound:
                return self._with_subscript(tree.Index(name), symbol, subscripted)
            if (called := self._call(name, start)) is not None:
                return self._with_subscript(called, symbol, subscripted)
            if (value := self.scope.value_name(name)) is not None:
                if name == "sigma" and self.on("open", "("):
                    self.refuse("is the number σ times a bracket or the logistic function", start)
                if not subscripted and self._looks_called():
                    self.refuse("is a value, and looks like a function of what follows", start)
                return self._with_subscript(tree.Symbol(value), symbol, subscripted)
        if symbol.subscript and (rows := self.scope.value_name(symbol.stem[0].upper() + symbol.stem[1:])):
            if rows.startswith("W"):
                self.refuse(
                    f"is a row or a column of {rows}: declare it, or write {rows}_{{:,k}}", start, self.at - 1
                )
            return self._with_subscript(tree.Symbol(rows), symbol, True)
        constant = self._constant(symbol, plain)
        if constant is not None:
            return constant
        if self.scope.letters_are_indices and len(symbol.full) == 1 and symbol.full.islower():
            self.scope.free.add(symbol.full)
            return tree.Index(symbol.full)
        if self.on("open", "(", "["):
            self.refuse("is neither declared as a function nor a number", start, symbol.end - 1)
        self.refuse("is neither an input nor declared with where=", start, symbol.end - 1)
        return None

    def _looks_called(self) -> bool:
        """Whether one symbol in round brackets follows, as in f(x)."""
        inside = self.stream[self.at + 1 : self.at + 3]
        return self.on("open", "(") and inside[0].kind == "letter" and inside[1].text in (")", ",")

    def _squared(self, name: str) -> Node | None:
        r"""\sigma^2, or an even power, where the square has a name and the symbol has none."""
        square = self.scope.value_name(name + "^2")
        if square is None or not self.on("^") or self.scope.value_name(name) is not None:
            return None
        start = self.at
        self.next()
        exponent = "".join(token.text for token in self.group())
        if not exponent.isdigit() or int(exponent) % 2:
            self.at = start
            return None
        if self.on("^"):
            self.refuse("is a power of a power: put brackets", start)
        half = int(exponent) // 2
        return tree.Symbol(square) if half == 1 else tree.Power(tree.Symbol(square), tree.Number(str(half)))

    def function_call(self) -> tree.Apply | None:
        """A declared function with its arguments, if one stands here."""
        start = self.at
        if not (self.on("letter") or self.on("word") or self.on("accent")):
            return None
        symbol = written_symbol(self.stream, start, self.latex)
        self.at = symbol.end
        return self._call(symbol.full, start)

    def _call(self, name: str, start: int) -> tree.Apply | None:
        """A declared function, or the logistic one, with its arguments."""
        stem, primes = name, 0
        while stem.endswith("_prime") and not self.scope.is_function(stem):
            stem, primes = stem.removesuffix("_prime"), primes + 1
        logistic = stem == "sigma" and self.scope.value_name("sigma") is None and self.on("open", "(", "[")
        if not self.scope.is_function(stem) and not logistic:
            return None
        if not self.on("open", "(", "["):
            self.refuse("is a function without arguments in brackets", start, self.at - 1)
        return tree.Apply(stem, self.arguments(conditional=not logistic), primes)

    def _with_subscript(self, node: Node, symbol: Written, subscripted: bool) -> Node:
        if not subscripted:
            return node
        if isinstance(node, tree.Index):
            self.refuse("is an index with an index", self.at - 1)
        return tree.Entry(node, self.indices(list(symbol.subscript)))

    def _constant(self, symbol: Written, token: Token) -> Node | None:
        if symbol.stem == "I":
            inside = [part for part in symbol.subscript if part.kind not in "{}"]
            return tree.Constant("identity", self.sub_parser(inside).all() if inside else None)
        if symbol.subscript or token.kind != "letter":
            return None
        if symbol.stem == "e" and self.take("^"):
            return tree.Apply("exp", (self.sub_parser(self.group()).all(),))
        return tree.Constant(symbol.stem) if symbol.stem in ("e", "pi") else None

    def _bracket(self) -> Node:
        start, opening = self.at, self.next()
        closing, depth = CLOSING[opening.text], 0
        end = self.at
        while depth or not (self.stream[end].kind in ("close", "bar") and self.stream[end].text == closing):
            kind, text = self.stream[end].kind, self.stream[end].text
            if kind == "end of formula":
                self.refuse("is not closed", start, end)
            depth += (kind in ("open", "{", "begin")) - (kind in ("close", "}", "end"))
            if opening.kind == "bar" and kind == "bar" and text != closing:
                self.refuse("mixes bars: write \\lvert and \\rvert", start, end)
            end += 1
        inside = self.stream[self.at : end]
        self.at = end + 1
        return self.bracketed(opening.text, inside, start)

    def arguments(self, conditional: bool = False) -> tuple[Node, ...]:
        """The arguments in the brackets here, apart by commas, semicolons, or bars as in p(x | y)."""
        start, opening = self.at, self.next()
        depth, end = 1, self.at
        while depth:
            if self.stream[end].kind == "end of formula":
                self.refuse("is not closed", start, end)
            depth += {"open": 1, "close": -1}.get(self.stream[end].kind, 0)
            end += 1
        if self.stream[end - 1].text != CLOSING[opening.text]:
            self.refuse("opens and closes with different brackets", start, end - 1)
        inside = self.stream[self.at : end - 1]
        self.at = end
        parts = split(inside, "op", ",", ";")
        if conditional:
            parts = [piece for part in parts for piece in split(part, "bar", "|", "||")]
        return tuple(self.sub_parser(part).all() for part in parts)
