"""Symbolic differentiation: a formula goes in, a longer formula comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.core import checks

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


def variable(name: str) -> Expression:
    """A variable, to be given a value later."""
    if not isinstance(name, str) or not name:
        checks.fail("variable", "name", "be a word", repr(name)[:40])
    return Expression("variable", (name,))


def constant(value: float) -> Expression:
    """A number."""
    return Expression("constant", (checks.number("constant", "value", value),))


ZERO, ONE = Expression("constant", (0.0,)), Expression("constant", (1.0,))


def _read(value: Any) -> Expression:
    return value if isinstance(value, Expression) else constant(value)


def _parts(function: str, f: Any) -> tuple[str, tuple[Any, ...]]:
    if not isinstance(f, Expression):
        checks.fail(function, "f", "be an Expression", f"a {type(f).__name__}")
    return f.operation, f.operands


def sin(x: Expression) -> Expression:
    """The sine of a formula."""
    return Expression("sin", (_read(x),))


def cos(x: Expression) -> Expression:
    """The cosine of a formula."""
    return Expression("cos", (_read(x),))


def derivative(f: Expression, name: str) -> Expression:
    """∂f/∂name as a formula: the rules of school, with sums and products by 0 and 1 cleared away.

    (a·b)′ = a′·b + a·b′ writes both factors twice, and that is where formulas swell.
    """
    operation, operands = _parts("derivative", f)
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


def size(f: Expression) -> int:
    """The number of operations that are written down; a constant or a variable is none."""
    operation, operands = _parts("size", f)
    if operation in ("variable", "constant"):
        return 0
    return 1 + sum(size(g) for g in operands)


def distinct(f: Expression) -> int:
    """The number of different operations: what is left to compute when no part is computed twice."""
    found: set[Expression] = set()
    waiting = [f]
    while waiting:
        g = waiting.pop()
        operation, operands = _parts("distinct", g)
        if operation not in ("variable", "constant") and g not in found:
            found.add(g)
            waiting.extend(operands)
    return len(found)


def evaluate(f: Expression, /, **values: float) -> float:
    """The value of a formula."""
    operation, operands = _parts("evaluate", f)
    if operation == "variable":
        if operands[0] not in values:
            checks.fail(
                "evaluate", operands[0], "be given a value", f"values for {', '.join(values) or 'none'}"
            )
        return checks.number("evaluate", operands[0], values[operands[0]])
    if operation == "constant":
        return operands[0]
    parts = [evaluate(g, **values) for g in operands]
    if operation == "+":
        return parts[0] + parts[1]
    if operation == "*":
        return parts[0] * parts[1]
    return float(np.sin(parts[0]) if operation == "sin" else np.cos(parts[0]))


def text(f: Expression) -> str:
    """A formula as one would type it."""
    operation, operands = _parts("text", f)
    if operation in ("variable", "constant"):
        return f"{operands[0]:g}" if operation == "constant" else operands[0]
    if operation == "+":
        return " + ".join(text(g) for g in operands)
    if operation == "*":
        return "·".join(f"({text(g)})" if g.operation == "+" else text(g) for g in operands)
    return f"{operation}({text(operands[0])})"
