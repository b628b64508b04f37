"""Where the values of names and the lengths of indices come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from chapters_src.studio.formula import tree
from chapters_src.studio.formula.arrays import Flexible, Library, shape
from chapters_src.studio.formula.errors import FormulaError
from chapters_src.studio.formula.names import Names
from chapters_src.studio.formula.printing import printed
from chapters_src.studio.formula.tree import Node


class Values(ABC):
    """The values of a formula's names; ``local`` has what a derivative or a function call binds."""

    def __init__(
        self, names: Names, line: tree.Line, definitions: dict[str, tree.Definition], values: dict[str, Any],
        library: Library, local: dict[str, Any] | None = None, indices: dict[str, int] | None = None,
    ) -> None:  # fmt: skip
        self.names, self.line, self.definitions, self.values = names, line, definitions, values
        self.library, self.local, self.indices = library, local or {}, dict(indices or {})
        self.known: dict[str, Any] = {}
        self.extents: dict[tuple[int, str], int | None] = {}
        self.busy: set[str] = set()

    def within(self, library: Library, local: dict[str, Any]) -> Any:
        """The same place with other local values, computed by another library."""
        both = {name: library.array(value) for name, value in {**self.local, **local}.items()}
        return type(self)(self.names, self.line, self.definitions, self.values, library, both, self.indices)

    @abstractmethod
    def value(self, node: Node) -> Any: ...

    def lookup(self, name: str) -> Any:
        """The value of a name: local, input, declared, a size, or by its definition."""
        if name in self.local:
            return self.local[name]
        if name not in self.known:
            if name in self.busy:
                raise FormulaError(name, "is defined by itself")
            self.busy.add(name)
            self.known[name] = self._found(name)
            self.busy.remove(name)
        return self.known[name]

    def _found(self, name: str) -> Any:
        if name in self.values or name in self.names.values:
            value = self.values.get(name, self.names.values.get(name))
            try:
                return self.library.array(value)
            except (TypeError, ValueError):
                raise FormulaError(
                    name, f"has a value that is no array of numbers: {type(value).__name__}"
                ) from None
        if name in self.names.sizes:
            axis, of = self.names.sizes[name]
            sides = shape(self.lookup(of))
            if len(sides) <= (axis == "columns"):
                raise FormulaError(name, f"is {axis} of {of}, which has shape {sides}")
            return self.library.array(sides[axis == "columns"])
        if name in self.definitions:
            outside, self.indices = self.indices, {}
            value = self.value(self.definitions[name].body)
            self.indices = outside
            return value
        for part in self.line.parts:
            if isinstance(part, tree.Over) and part.upper and tree.Symbol(name) in part.upper.parts:
                extent = self.extent(part.bound[0], part.body)
                if extent is not None:
                    return self.library.array(extent)
        raise FormulaError(printed(tree.Symbol(name)), "has no value: nothing tells this size")

    def integer(self, node: Node) -> int:
        if isinstance(node, tree.Index):
            return self.indices[node.name]
        value = self.value(node)
        if isinstance(value, Flexible) or value.ndim or not float(value).is_integer():
            raise FormulaError(printed(node), "is used to count and is no whole number")
        return int(value)

    def extent(self, letter: str, body: Node) -> int | None:
        """How far an index runs: the length of the axes that it picks from, which must agree."""
        key = (id(body), letter)
        if key not in self.extents:
            found = dict.fromkeys(self._lengths(letter, body))
            if len(found) > 1:
                sizes = " and ".join(map(str, found))
                raise FormulaError(printed(body), f"has {letter} run over axes of sizes {sizes}")
            self.extents[key] = next(iter(found), None)
        return self.extents[key]

    def _lengths(self, letter: str, body: Node) -> Iterator[int]:
        for part in body.parts:
            if isinstance(part, tree.Entry) and tree.Index(letter) in part.indices:
                unbound = {n.name for n in part.base.parts if isinstance(n, tree.Index)} - self.indices.keys()
                bound = {
                    name for n in part.base.parts if isinstance(n, tree.Over | tree.Table) for name in n.bound
                }
                if unbound - bound:
                    continue
                sides = shape(self.value(part.base))
                for axis, index in enumerate(part.indices[: len(sides)]):
                    if index == tree.Index(letter):
                        yield sides[axis]
