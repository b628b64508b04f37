"""The syntax tree of a formula: frozen, hashable, comparable, and easy to walk and to rebuild."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Node:
    """A piece of a formula."""

    @cached_property
    def children(self) -> tuple[Node, ...]:
        """The nodes directly below this one."""
        return tuple(part for field in fields(self) for part in _nodes(getattr(self, field.name)))

    @cached_property
    def parts(self) -> tuple[Node, ...]:
        """This node and all below it."""
        return (self, *(part for child in self.children for part in child.parts))

    def rebuilt(self, change: Callable[[Node], Node]) -> Node:
        """The same node with ``change`` applied to every child."""
        new = {field.name: _mapped(getattr(self, field.name), change) for field in fields(self)}
        return replace(self, **new)


def _nodes(value: Any) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _nodes(part)


def _mapped(value: Any, change: Callable[[Node], Node]) -> Any:
    if isinstance(value, Node):
        return change(value)
    return tuple(_mapped(part, change) for part in value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Number(Node):
    text: str


@dataclass(frozen=True)
class Symbol(Node):
    """An input, a declared symbol or one that the formula defines, by its name in the code."""

    name: str


@dataclass(frozen=True)
class Constant(Node):
    """π, e, the identity I, a vector of ones, or ∞; sized by what it meets, or by ``size``."""

    name: str
    size: Node | None = None


@dataclass(frozen=True)
class Index(Node):
    name: str


@dataclass(frozen=True)
class Whole(Node):
    """A colon in a subscript: the whole axis."""


@dataclass(frozen=True)
class Entry(Node):
    """A base with subscripts that pick from its axes, counted from 1."""

    base: Node
    indices: tuple[Node, ...]


@dataclass(frozen=True)
class Sum(Node):
    """Terms with their signs."""

    terms: tuple[Node, ...]


@dataclass(frozen=True)
class Negative(Node):
    body: Node


@dataclass(frozen=True)
class Product(Node):
    """Factors side by side: scalar or matrix products, by shape."""

    factors: tuple[Node, ...]


@dataclass(frozen=True)
class Entrywise(Node):
    r"""⊙, ⊘ or ⊗ between two factors; ``operator`` is odot, oslash or otimes."""

    operator: str
    left: Node
    right: Node
    loose: tuple[bool, bool] = (False, False)  # which sides are products that stand without brackets


@dataclass(frozen=True)
class Quotient(Node):
    above: Node
    below: Node


@dataclass(frozen=True)
class Power(Node):
    base: Node
    exponent: Node
    entrywise: bool = False


@dataclass(frozen=True)
class Transpose(Node):
    body: Node


@dataclass(frozen=True)
class Apply(Node):
    """A function of arguments; ``primes`` counts derivatives."""

    function: str
    arguments: tuple[Node, ...]
    primes: int = 0


@dataclass(frozen=True)
class Norm(Node):
    body: Node
    kind: str = ""


@dataclass(frozen=True)
class Absolute(Node):
    body: Node


@dataclass(frozen=True)
class Inner(Node):
    left: Node
    right: Node


@dataclass(frozen=True)
class Relation(Node):
    """A comparison of two sides; ``sign`` is =, !=, <, <=, > or >=."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Indicator(Node):
    """1 where the relation holds, else 0."""

    relation: Relation


@dataclass(frozen=True)
class Over(Node):
    """A sum, product, max or min of ``body`` over the indices ``bound``."""

    kind: str
    bound: tuple[str, ...]
    body: Node
    lower: Node | None = None
    upper: Node | None = None
    condition: Relation | None = None


@dataclass(frozen=True)
class Table(Node):
    """The array whose entry at ``bound`` is ``body``."""

    bound: tuple[str, ...]
    body: Node


@dataclass(frozen=True)
class Block(Node):
    """A matrix written out in rows of blocks."""

    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True)
class Derivative(Node):
    """The derivative of the factors after it; ``style`` is gradient, hessian or partial."""

    style: str
    variable: Node
    factors: tuple[Node, ...]


@dataclass(frozen=True)
class GradientAt(Node):
    """∇f(x) or ∇²f(x): the derivative of a function, taken at a point; ``order`` is 1 or 2."""

    order: int
    function: str
    argument: Node


@dataclass(frozen=True)
class Definition(Node):
    """A symbol, or a function of parameters, that stands for a body."""

    name: str
    parameters: tuple[str, ...]
    body: Node


@dataclass(frozen=True)
class Line(Node):
    """A whole formula: sides that must be equal, and definitions given beside them."""

    sides: tuple[Node, ...]
    definitions: tuple[Definition, ...] = ()


def product(factors: Sequence[Node]) -> Node:
    """The factors as one node."""
    return factors[0] if len(factors) == 1 else Product(tuple(factors))


def factors_of(node: Node) -> tuple[Node, ...]:
    """The factors of a product, or the node itself as the only one."""
    return node.factors if isinstance(node, Product) else (node,)
