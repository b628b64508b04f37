"""Brackets of all kinds, and what is written above and below a factor."""

from __future__ import annotations

from chapters_src.studio.formula import tree
from chapters_src.studio.formula.atoms import Atoms
from chapters_src.studio.formula.cursor import split
from chapters_src.studio.formula.tokens import Token
from chapters_src.studio.formula.tree import Node

MATRICES = ("bmatrix", "pmatrix", "matrix")
NORMS = {"1": "1", "2": "2", "F": "F", "infty": "inf"}


class Brackets(Atoms):
    """Reads brackets, powers, transposes and subscripts."""

    def bracketed(self, opening: str, inside: list[Token], start: int) -> Node:
        """What a bracket means by its kind and its content."""
        if not inside:
            self.refuse("is empty", start, self.at - 1)
        if opening == "||":
            return self.postfix(tree.Norm(self.sub_parser(inside).all(), self._kind_of_norm(start)))
        if opening == "|":
            if self.on("_"):
                self.refuse("has a subscript after |.|", start)
            return self.postfix(tree.Absolute(self.sub_parser(inside).all()))
        parts = split(inside, "op", ",")
        if opening == "<" and len(parts) == 2:
            return tree.Inner(*(self.sub_parser(part).all() for part in parts))
        if len(parts) > 1 or opening in "<{":
            self.refuse("is a list, which has no value", start, self.at - 1)
        if any(token.kind == "relation" for token in inside) and len(sides := self._sides(inside)) > 1:
            if opening != "[":
                self.refuse("is no number: a condition counts 0 or 1 in square brackets", start, self.at - 1)
            return self.postfix(self._indicator(inside, sides, start))
        if opening == "[" and self.on("_") and (letters := self._table_letters()) is not None:
            with self.binding(letters, start):
                return self.postfix(tree.Table(letters, self.sub_parser(inside).all()))
        return self.postfix(self.sub_parser(inside).all())

    def _sides(self, inside: list[Token]) -> list[list[Token]]:
        return split(inside, "relation", "=", "!=", "<", "<=", ">", ">=")

    def _indicator(self, inside: list[Token], sides: list[list[Token]], start: int) -> Node:
        if len(sides) != 2:
            self.refuse("is a chain of conditions", start, self.at - 1)
        sign = inside[len(sides[0])].text
        left, right = (self.sub_parser(side).index_expression() for side in sides)
        return tree.Indicator(tree.Relation(sign, left, right))

    def _kind_of_norm(self, start: int) -> str:
        if not self.take("_"):
            return ""
        kind = "".join(token.text for token in self.group())
        if kind not in NORMS:
            self.refuse("is a norm other than 1, 2, F and ∞", start, self.at - 1)
        return NORMS[kind]

    def _table_letters(self) -> tuple[str, ...] | None:
        """The indices of [...]_{ij} or [...]_{i=1,\\dots,n}; None if the subscript picks an entry."""
        start = self.at
        self.next()
        group = [token for token in self.group() if token.text != ","]
        relation = next((i for i, token in enumerate(group) if token.kind == "relation"), len(group))
        letters = group[:relation]
        if all(
            t.kind == "letter" and t.text not in self.scope.bound and not self.scope.is_known(t.text)
            for t in letters
        ):
            return tuple(token.text for token in letters)
        self.at = start
        return None

    def postfix(self, node: Node) -> Node:
        """The node with the powers, transposes, subscripts and factorials that follow it."""
        start = self.at
        powers = 0
        while True:
            if self.take("op", "!"):
                node = tree.Apply("factorial", (node,))
            elif self.take("_"):
                node = tree.Entry(node, self.indices(self.group()))
            elif self.take("^"):
                powers += 1
                if powers > 1:
                    self.refuse("is a power of a power: put brackets", start)
                node = self._raised(node, self.group())
            else:
                return node

    def _raised(self, node: Node, group: list[Token]) -> Node:
        texts = [token.text for token in group]
        if texts == ["top"]:
            return tree.Transpose(node)
        if texts == ["-", "top"]:
            return tree.Transpose(tree.Power(node, tree.Negative(tree.Number("1"))))
        if texts == ["T"] and not self.scope.is_known("T"):
            self.refuse("is no power: a transpose is written ^\\top", self.at - 1)
        if texts and texts[0] == "odot":
            return tree.Power(node, self.sub_parser(group[1:]).all(), entrywise=True)
        if not group:
            self.refuse("is an empty power")
        return tree.Power(node, self.sub_parser(group).all())

    def indices(self, group: list[Token]) -> tuple[Node, ...]:
        """Subscripts: apart by commas, or letters and numbers side by side."""
        if group and group[0].kind == "{":
            group = group[1:-1]
        parts = split(group, "op", ",")
        if len(parts) == 1 and all(token.kind != "op" or token.text in (":", "cdot") for token in group):
            parts = _side_by_side(group)
        if not all(parts):
            self.refuse("has an empty subscript", self.at - 1)
        return tuple(self._index(part) for part in parts)

    def _index(self, part: list[Token]) -> Node:
        if len(part) == 1 and part[0].text in (":", "cdot"):
            return tree.Whole()
        return self.sub_parser(part).index_expression()

    def index_expression(self) -> Node:
        """An expression in which a letter without a value is an index."""
        before, self.scope.letters_are_indices = self.scope.letters_are_indices, True
        node = self.all()
        self.scope.letters_are_indices = before
        return node

    def index_named(self, letter: str) -> Node:
        """The index of that letter, free if nothing binds it."""
        if letter not in self.scope.bound:
            self.scope.free.add(letter)
        return tree.Index(letter)

    def block(self) -> Node:
        start = self.at
        name = self.next().text
        depth, first = 1, self.at
        while depth:
            if self.done():
                self.refuse("is not ended", start)
            depth += self.on("begin") - self.on("end")
            self.next()
        if name not in MATRICES:
            self.refuse("is outside the grammar", start, start)
        rows = split(self.stream[first : self.at - 1], "op", "newline")
        cells = tuple(tuple(self.sub_parser(cell).all() for cell in split(row, "op", "&")) for row in rows)
        if len({len(row) for row in cells}) > 1:
            self.refuse("has rows of different lengths", start, self.at - 1)
        return tree.Block(cells)


def _side_by_side(group: list[Token]) -> list[list[Token]]:
    """Subscripts without commas: each letter with what hangs on it, each number, each colon."""
    parts: list[list[Token]] = []
    depth = 0
    for token in group:
        hangs = bool(parts) and (
            depth > 0 or token.kind in ("_", "^", "{", "}") or parts[-1][-1].kind in ("_", "^", "accent")
            or (token.kind == "digit" and parts[-1][-1].kind == "digit")
        )  # fmt: skip
        depth += (token.kind == "{") - (token.kind == "}")
        if hangs:
            parts[-1].append(token)
        else:
            parts.append([token])
    return parts
