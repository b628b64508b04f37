"""Symbolic differentiation: a formula goes in, a longer formula comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import Ask, real

__all__ = [
    "Expression",
    "constant",
    "cos",
    "derivative",
    "distinct",
    "evaluate",
    "sin",
    "size",
    "text",
    "variable",
]


@dataclass(frozen=True)
class Expression:
    """A tree: an operation and its operands, or a leaf that names a variable or holds a number."""

    operation: str
    operands: tuple[Any, ...]

    def __add__(self, other: Any) -> Expression:
        a, b = self, _read(other)
        if a == ZERO or b == ZERO:
            return b if a == ZERO else a
        return Expression("+", (a, b))

    def __mul__(self, other: Any) -> Expression:
        a, b = self, _read(other)
        if ZERO in (a, b):
            return ZERO
        if ONE in (a, b):
            return b if a == ONE else a
        return Expression("*", (a, b))

    __radd__ = __add__

    def __rmul__(self, other: Any) -> Expression:
        return _read(other) * self

    def __neg__(self) -> Expression:
        return constant(-1.0) * self

    def __sub__(self, other: Any) -> Expression:
        return self + -_read(other)

    def __rsub__(self, other: Any) -> Expression:
        return _read(other) + -self


@checked
def variable(name: str) -> Expression:
    """A variable, to be given a value later."""
    require(name, "name", "be a word", "no letter")
    return Expression("variable", (name,))


@checked
def constant(value: float) -> Expression:
    """A number."""
    return Expression("constant", (value,))


ZERO, ONE = Expression("constant", (0.0,)), Expression("constant", (1.0,))


def _read(value: Any) -> Expression:
    return value if isinstance(value, Expression) else constant(value)


@checked
def sin(x: Expression | float) -> Expression:
    """The sine of a formula."""
    return Expression("sin", (_read(x),))


@checked
def cos(x: Expression | float) -> Expression:
    """The cosine of a formula."""
    return Expression("cos", (_read(x),))


@checked
def derivative(f: Expression, name: str) -> Expression:
    """∂f/∂name as a formula: the rules of school, with sums and products by 0 and 1 cleared away.

    (a·b)′ = a′·b + a·b′ writes both factors twice, and that is where formulas swell.
    """
    operation, operands = f.operation, f.operands
    if operation == "variable":
        return ONE if operands[0] == name else ZERO
    if operation == "constant":
        return ZERO
    a, b = operands[0], operands[-1]
    if operation == "+":
        return derivative(a, name) + derivative(b, name)
    if operation == "*":
        return derivative(a, name) * b + a * derivative(b, name)
    return (cos(a) if operation == "sin" else -sin(a)) * derivative(a, name)


@checked
def size(f: Expression) -> int:
    """The number of operations that are written down; a constant or a variable is none."""
    operation, operands = f.operation, f.operands
    if operation in ("variable", "constant"):
        return 0
    return 1 + sum(size(g) for g in operands)


@checked
def distinct(f: Expression) -> int:
    """The number of different operations: what is left to compute when no part is computed twice."""
    found: set[Expression] = set()
    waiting = [f]
    while waiting:
        g = waiting.pop()
        operation, operands = g.operation, g.operands
        if operation not in ("variable", "constant") and g not in found:
            found.add(g)
            waiting.extend(operands)
    return len(found)


@checked
def evaluate(f: Expression, /, **values: float) -> float:
    """The value of a formula."""
    operation, operands = f.operation, f.operands
    if operation == "variable":
        if operands[0] not in values:
            refuse(operands[0], "be given a value", f"values for {', '.join(values) or 'none'}")
        return real(Ask(operands[0]), values[operands[0]])
    if operation == "constant":
        return operands[0]
    parts = [evaluate(g, **values) for g in operands]
    if operation == "+":
        return parts[0] + parts[1]
    if operation == "*":
        return parts[0] * parts[1]
    return float(np.sin(parts[0]) if operation == "sin" else np.cos(parts[0]))


@checked
def text(f: Expression) -> str:
    """A formula as one would type it."""
    operation, operands = f.operation, f.operands
    if operation in ("variable", "constant"):
        return f"{operands[0]:g}" if operation == "constant" else operands[0]
    if operation == "+":
        return " + ".join(text(g) for g in operands)
    if operation == "*":
        return "·".join(f"({text(g)})" if g.operation == "+" else text(g) for g in operands)
    return f"{operation}({text(operands[0])})"
