"""A formula that can be evaluated, and broken on purpose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from chapters_src.studio.formula import tree
from chapters_src.studio.formula.arrays import NUMPY, Flexible
from chapters_src.studio.formula.errors import FormulaError
from chapters_src.studio.formula.evaluate import Evaluator
from chapters_src.studio.formula.line import read_formula, read_line
from chapters_src.studio.formula.names import Names
from chapters_src.studio.formula.printing import printed

AGREE = 1e-9  # how well the sides of an equation inside a line must agree


class Formula:
    r"""A line of LaTeX over named inputs.

        f = Formula(r"\lVert y-X\theta\rVert^2", ["X", "y", "theta"])
        f.value({"X": X, "y": y, "theta": theta})

    ``where`` declares, under a Python or LaTeX name: a number or array, the name of an input, a size such as
    "rows of X", a formula "= QK^\top" (under "S", "S(\theta)" or "a_i"), or a Python function.
    """

    def __init__(self, latex: str, names: Iterable[str], where: Mapping[str, Any] | None = None) -> None:
        self.latex = latex
        self._names = Names(names, where)
        self._read(read_line(latex, self._names))

    def _read(self, line: tree.Line) -> None:
        self.tree = line
        self._definitions = {definition.name: definition for definition in line.definitions}
        self.symbols = self._reach(line)

    def _reach(self, line: tree.Line) -> frozenset[str]:
        """The names that the formula reads; formulas of ``where`` are read when they are first needed."""
        found: set[str] = set()
        waiting: list[tree.Node] = [line]
        while waiting:
            for node in waiting.pop().parts:
                name = getattr(node, "name", None) if isinstance(node, tree.Symbol) else None
                name = node.function if isinstance(node, tree.Apply | tree.GradientAt) else name
                if name is None or name in found:
                    continue
                declared = self._names.formulas.get(name)
                if declared and name not in self._definitions:
                    body = read_formula(declared.latex, self._names, declared.parameters, declared.letters)
                    self._definitions[name] = tree.Definition(name, declared.parameters, body)
                    waiting.append(body)
                if name in self._names.sizes:
                    found.add(self._names.sizes[name][1])
                found.add(name)
        return frozenset(found & (self._names.symbols | self._names.callables))

    @property
    def is_one_declared_symbol(self) -> bool:
        """Whether the line only names something that ``where`` declares and computes nothing itself."""
        (first, *others), declared = self.tree.sides, self._names.callables | self._names.symbols
        if isinstance(first, tree.Apply):
            named = first.function in declared and all(isinstance(a, tree.Symbol) for a in first.arguments)
        else:
            named = isinstance(first, tree.Symbol) and first.name in declared - self._names.inputs
        return named and not others

    def value(self, inputs: Mapping[str, Any]) -> Any:
        """The value for these inputs: a float, or a float64 array; FormulaError if something does not fit."""
        missing = sorted((self.symbols & self._names.inputs) - set(inputs))
        if missing:
            raise FormulaError(", ".join(missing), "has no value among the inputs", self.latex)
        evaluator = Evaluator(self._names, self.tree, self._definitions, dict(inputs), NUMPY)
        try:
            with np.errstate(all="ignore"):
                first, *others = [self._side(evaluator, side) for side in self.tree.sides]
        except FormulaError as error:
            raise FormulaError(error.piece, error.complaint, self.latex) from error
        for side, value in zip(self.tree.sides[1:], others, strict=True):
            if first.shape != value.shape or not np.allclose(
                first, value, rtol=AGREE, atol=AGREE * _size(first)
            ):
                complaint = f"is {value} and the side before it {first}"
                raise FormulaError(printed(side), complaint, self.latex)
        return first if first.ndim else float(first)

    @staticmethod
    def _side(evaluator: Evaluator, side: tree.Node) -> np.ndarray:
        value = evaluator.value(side)
        if isinstance(value, Flexible):
            raise FormulaError(printed(side), "has a size that nothing tells")
        return np.array(value, dtype=float)

    def with_tree(self, line: tree.Line) -> Formula:
        """Another formula over the same names."""
        other = object.__new__(Formula)
        other.latex, other._names = printed(line), self._names
        other._read(line)
        return other

    def mutations(self, inputs: Mapping[str, Any] | None = None) -> Iterator[tuple[str, Formula]]:
        """Broken variants, each with what was done to it; with inputs, only like shapes are swapped."""
        from chapters_src.studio.formula.mutations import broken

        evaluator = Evaluator(self._names, self.tree, self._definitions, dict(inputs or {}), NUMPY)
        read = dict.fromkeys(node.name for node in self.tree.parts if isinstance(node, tree.Symbol))
        shapes = {name: np.shape(evaluator.lookup(name)) if inputs else None for name in read}
        for description, line in broken(self.tree, shapes):
            yield description, self.with_tree(line)

    def __repr__(self) -> str:
        return f"Formula({self.latex!r})"


def _size(value: np.ndarray) -> float:
    return float(np.abs(value).max()) if value.size else 0.0
