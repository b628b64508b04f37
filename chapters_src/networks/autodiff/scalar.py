"""Reverse mode on single numbers: an engine small enough to be read in one sitting."""

from __future__ import annotations

import math
from dataclasses import dataclass

from chapters_src.core.contract import checked

__all__ = ["Number", "adjoints", "topological_order"]


@dataclass(eq=False, slots=True)
class Number:
    """A number that remembers which numbers it was computed from, and its slope in each of them."""

    value: float
    parents: tuple[Number, ...] = ()
    slopes: tuple[float, ...] = ()

    def __add__(self, other: Number | float) -> Number:
        other = _number(other)
        return Number(self.value + other.value, (self, other), (1.0, 1.0))

    def __mul__(self, other: Number | float) -> Number:
        other = _number(other)
        return Number(self.value * other.value, (self, other), (other.value, self.value))

    def __pow__(self, k: float) -> Number:
        return Number(math.pow(self.value, k), (self,), (k * math.pow(self.value, k - 1),))

    def tanh(self) -> Number:
        t = math.tanh(self.value)
        return Number(t, (self,), (1 - t**2,))

    def exp(self) -> Number:
        e = math.exp(self.value)
        return Number(e, (self,), (e,))

    def log(self) -> Number:
        return Number(math.log(self.value), (self,), (1 / self.value,))

    def __neg__(self) -> Number:
        return self * -1.0

    def __sub__(self, other: Number | float) -> Number:
        return self + -other

    def __rsub__(self, other: float) -> Number:
        return -self + other

    def __truediv__(self, other: Number | float) -> Number:
        return self * _number(other) ** -1

    __radd__, __rmul__ = __add__, __mul__


def _number(value: Number | float) -> Number:
    return value if isinstance(value, Number) else Number(value)


@checked
def topological_order(output: Number) -> list[Number]:
    """Everything that the output was computed from, parents before children, the output last."""
    order, reached, waiting = list[Number](), set[Number](), [(output, False)]
    while waiting:
        node, parents_are_in = waiting.pop()
        if parents_are_in:
            order.append(node)
        elif node not in reached:
            reached.add(node)
            waiting.append((node, True))
            waiting += [(parent, False) for parent in node.parents]
    return order


@checked
def adjoints(output: Number) -> dict[Number, float]:
    """The slope of the output in everything it was computed from, in one sweep back.

    ūᵢ = Σ_{j: i → j} (∂uⱼ/∂uᵢ) ūⱼ                    {eq}`eq-autodiff-adjoint`
    """
    order = topological_order(output)
    adjoint = dict.fromkeys(order, 0.0)
    adjoint[output] = 1.0
    for node in reversed(order):
        for parent, slope in zip(node.parents, node.slopes, strict=True):
            adjoint[parent] += slope * adjoint[node]
    return adjoint
