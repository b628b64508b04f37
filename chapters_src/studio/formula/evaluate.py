"""A syntax tree and inputs to a value."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np

from chapters_src.studio.formula import arrays, tree
from chapters_src.studio.formula.arrays import Flexible, Misfit, shape
from chapters_src.studio.formula.errors import FormulaError
from chapters_src.studio.formula.printing import printed
from chapters_src.studio.formula.tree import Node
from chapters_src.studio.formula.values import Values

COMPARE = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
COMBINE = {"sum": arrays.add, "prod": arrays.multiply}


class Evaluator(Values):
    """Computes nodes: there is a method for each kind of them."""

    def value(self, node: Node) -> Any:
        """The value of a node, or FormulaError with the piece that does not fit."""
        try:
            return getattr(self, type(node).__name__)(node)
        except Misfit as misfit:
            raise FormulaError(printed(node), str(misfit)) from None
        except (np.linalg.LinAlgError, OverflowError, ZeroDivisionError) as error:
            raise FormulaError(printed(node), f"cannot be computed: {error}") from None

    def Number(self, node: tree.Number) -> Any:
        return self.library.array(float(node.text))

    def Index(self, node: tree.Index) -> Any:
        return self.library.array(self.indices[node.name])

    def Symbol(self, node: tree.Symbol) -> Any:
        return self.lookup(node.name)

    def Constant(self, node: tree.Constant) -> Any:
        if node.name in ("pi", "e", "infinity"):
            return self.library.array({"pi": math.pi, "e": math.e, "infinity": math.inf}[node.name])
        array = self.library.array
        if node.name == "identity":
            made = Flexible((None, None), lambda sides: array(np.eye(sides[0])), square=True)
            return made if node.size is None else made.sized((self.integer(node.size),) * 2)
        made = Flexible((None,), lambda sides: array(np.ones(sides)))
        return made if node.size is None else made.sized((self.integer(node.size),))

    def Entry(self, node: tree.Entry) -> Any:
        base = self.value(node.base)
        places: list[int | slice] = []
        if len(node.indices) > len(shape(base)):
            raise Misfit(f"has {len(node.indices)} subscripts for shape {shape(base)}")
        for axis, index in enumerate(node.indices):
            if isinstance(index, tree.Whole):
                places.append(slice(None))
                continue
            place = self.integer(index)
            if not 1 <= place <= base.shape[axis]:
                raise Misfit(f"counts to {place} on an axis of {base.shape[axis]}")
            places.append(place - 1)
        return base[tuple(places)]

    def Sum(self, node: tree.Sum) -> Any:
        total = self.value(node.terms[0])
        for term in node.terms[1:]:
            if isinstance(term, tree.Negative):
                total = arrays.add(total, self.value(term.body), operator.sub)
            else:
                total = arrays.add(total, self.value(term))
        return total

    def Negative(self, node: tree.Negative) -> Any:
        value = self.value(node.body)
        return value.changed(operator.neg) if isinstance(value, Flexible) else -value

    def Product(self, node: tree.Product) -> Any:
        return reduce(arrays.multiply, [self.value(factor) for factor in node.factors])

    def Entrywise(self, node: tree.Entrywise) -> Any:
        for side, loose in zip((node.left, node.right), node.loose, strict=True):
            if loose and sum(self.value(factor).ndim > 0 for factor in side.children) > 1:
                raise Misfit("mixes a matrix product with an entrywise one: put brackets")
        return arrays.entrywise(node.operator, self.value(node.left), self.value(node.right), self.library)

    def Quotient(self, node: tree.Quotient) -> Any:
        return arrays.divide(self.value(node.above), self.value(node.below))

    def Power(self, node: tree.Power) -> Any:
        if isinstance(node.base, tree.Norm) and node.exponent == tree.Number("2"):
            return arrays.norm(self.value(node.base.body), node.base.kind, self.library, squared=True)
        base, exponent = self.value(node.base), self.value(node.exponent)
        if node.entrywise:
            shape(base)
            return base**exponent
        return arrays.power(base, exponent, self.library)

    def Transpose(self, node: tree.Transpose) -> Any:
        return arrays.transpose(self.value(node.body))

    def Norm(self, node: tree.Norm) -> Any:
        return arrays.norm(self.value(node.body), node.kind, self.library)

    def Absolute(self, node: tree.Absolute) -> Any:
        value = self.value(node.body)
        if shape(value):
            raise Misfit("has |.| around an array: a norm, a determinant, or entry by entry?")
        return abs(value)

    def Inner(self, node: tree.Inner) -> Any:
        return self.library.xp.sum(
            arrays.entrywise("odot", self.value(node.left), self.value(node.right), self.library)
        )

    def holds(self, relation: tree.Relation) -> Any:
        left, right = self.value(relation.left), self.value(relation.right)
        if shape(left) and shape(right) and shape(left) != shape(right):
            raise Misfit(f"compares shapes {shape(left)} and {shape(right)}")
        return COMPARE[relation.sign](left, right)

    def Indicator(self, node: tree.Indicator) -> Any:
        return self.library.array(np.asarray(self.holds(node.relation), dtype=float))

    def Apply(self, node: tree.Apply) -> Any:
        from chapters_src.studio.formula.derivatives import applied

        return applied(self, node)

    def GradientAt(self, node: tree.GradientAt) -> Any:
        from chapters_src.studio.formula.derivatives import gradient_at

        return gradient_at(self, node)

    def Derivative(self, node: tree.Derivative) -> Any:
        from chapters_src.studio.formula.derivatives import derivative

        return derivative(self, node)

    def _range(self, node: tree.Over, letter: str) -> range:
        extent = self.extent(letter, node.body)
        lower = 1 if node.lower is None else self.integer(node.lower)
        if node.upper is None:
            if extent is None or node.lower is not None:
                raise Misfit(f"does not say how far {letter} runs")
            return range(1, extent + 1)
        upper = self.integer(node.upper)
        size = isinstance(node.upper, tree.Symbol) and node.upper.name not in self.values
        if size and extent is not None and upper != extent:
            raise Misfit(f"has {letter} run to {upper} over an axis of {extent}")
        return range(lower, upper + 1)

    def Over(self, node: tree.Over) -> Any:
        values = list(self._values(node))
        if not values:
            if node.kind in ("max", "min"):
                raise Misfit("is taken over nothing")
            return self.library.array(0 if node.kind == "sum" else 1)
        if node.kind in COMBINE:
            return reduce(COMBINE[node.kind], values)
        if any(value.ndim for value in values):
            raise Misfit("compares arrays")
        return getattr(self.library.xp, node.kind)(self.library.xp.stack(values))

    def _values(self, node: tree.Over) -> Iterator[Any]:
        before = dict(self.indices)
        for places in itertools.product(*(self._range(node, letter) for letter in node.bound)):
            self.indices.update(zip(node.bound, places, strict=True))
            if node.condition is None or bool(self.holds(node.condition)):
                yield self.value(node.body)
        self.indices = before

    def Table(self, node: tree.Table) -> Any:
        over = tree.Over("table", node.bound, node.body)
        lengths = [len(self._range(over, letter)) for letter in node.bound]
        entries = list(self._values(over))
        if len({shape(entry) for entry in entries}) != 1:
            raise Misfit("has entries of different shapes")
        if len(node.bound) == 1 and entries[0].ndim == 2 and entries[0].shape[0] == 1:
            entries = [entry[0] for entry in entries]  # rows below each other are a matrix
        return self.library.xp.stack(entries).reshape(*lengths, *entries[0].shape)

    def Block(self, node: tree.Block) -> Any:
        from chapters_src.studio.formula.blocks import block

        return block([[self._cell(cell) for cell in row] for row in node.rows], self.library)

    def _cell(self, node: Node) -> Any:
        """A block; a 0 is as large as it has to be."""
        if node == tree.Number("0"):
            return Flexible((None, None), lambda sides: self.library.array(np.zeros(sides)))
        return self.value(node)
