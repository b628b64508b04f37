"""What the letters of one line mean: values, functions, indices and sizes."""

from __future__ import annotations

from dataclasses import dataclass, field

from chapters_src.studio.formula.errors import FormulaError
from chapters_src.studio.formula.names import Names, joined, spellings


@dataclass
class Scope:
    """The names of a derivation, and what this line adds to them."""

    names: Names
    sizes: frozenset[str] = frozenset()  # letters above a ∑ that have no value: the axis tells
    defined: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()
    free: set[str] = field(default_factory=set)
    letters_are_indices: bool = False  # inside a subscript, a letter without a value is an index

    def value_name(self, name: str) -> str | None:
        """The name of the value that a symbol stands for, if there is one."""
        if self._has(name):
            return self.names.alias.get(name, name)
        spelt = (s for way in spellings(name) for s in joined(way))
        found = {self.names.alias.get(s, s) for s in spelt if self._has(s)}
        if len(found) > 1:
            raise FormulaError(name, f"could be any of {', '.join(sorted(found))}")
        return found.pop() if found else None

    def _has(self, name: str) -> bool:
        return name in self.names.symbols or name in self.defined or name in self.sizes

    def is_function(self, name: str) -> bool:
        return name in self.names.callables or name in self.functions

    def is_known(self, name: str) -> bool:
        """Whether an input, a declaration or a definition of the line has this name."""
        return self.value_name(name) is not None or self.is_function(name)
