"""What a computation costs, and what happens in it: tensors that count, and tensors that write a trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core import checks
from chapters_src.networks.autodiff.reverse import Node, Traced, backward
from chapters_src.networks.autodiff.tracing import Rule, Tensor, clock, leaf, like, plain, shape_of
from chapters_src.networks.jacobians.forward_mode import Dual

__all__ = ["Counted", "Row", "count_operations", "evaluation_trace"]

FREE = {"reshape", "transpose", "swapaxes", "broadcast_to", "getitem", "cast", "join", "scatter"}


class Counted(Tensor):
    """An array that adds to a tally whatever is computed with it."""

    __slots__ = ("tally",)

    def __init__(self, value: Any, level: int, tally: dict[str, int]) -> None:
        self.value, self.level, self.tally = value, level, tally

    def lift(self, rule: Rule, y: Any, below: list, above: list, where: list[int], options: dict) -> Counted:
        if rule.name not in FREE:
            inputs = max(np.size(plain(a)) for a in below if not isinstance(a, (tuple, type(None))))
            work = np.size(plain(y)) * shape_of(below[0])[-1] if rule.name == "matmul" else inputs
            work = work if rule.name in ("matmul", "sum") else max(work, np.size(plain(y)))
            self.tally[rule.name] = self.tally.get(rule.name, 0) + int(work)
        return Counted(y, self.level, self.tally)


def count_operations(f: Callable[..., Any], *args: Any) -> dict[str, int]:
    """How many scalar operations f(*args) takes, by function; f may itself differentiate.

    A multiply-add in a matrix product is one operation, and so is every entry of anything else. Moving
    numbers about is free, and so is what involves no argument: weights have to be given as arguments to be
    counted. The count is exact and the same on every machine, which no stopwatch is.
    """
    if not callable(f):
        checks.fail("count_operations", "f", "be a function", repr(f)[:40])
    level, tally = next(clock), dict[str, int]()
    f(*(Counted(leaf("count_operations", "an argument", a), level, tally) for a in args))
    return tally


class Row(NamedTuple):
    """One step of an evaluation: what was computed from which rows, and the value, tangent and adjoint."""

    name: str
    parents: tuple[int, ...]
    value: Any
    tangent: Any
    adjoint: Any


class Logged(Traced):
    """A traced tensor that also writes down every value on the way."""

    __slots__ = ("log",)

    def __init__(self, value: Any, level: int, node: Node, log: list[tuple[Node, Any]]) -> None:
        super().__init__(value, level, node)
        self.log = log
        log.append((node, value))

    def lift(self, rule: Rule, y: Any, below: list, above: list, where: list[int], options: dict) -> Logged:
        traced = super().lift(rule, y, below, above, where, options)
        return Logged(traced.value, traced.level, traced.node, self.log)


def evaluation_trace(f: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any]) -> list[Row]:
    """Every step of f(*args) in order, with its derivative along ``tangents`` and its adjoint.

    vᵢ,  v̇ᵢ = dvᵢ/dt,  v̄ᵢ = ∂y/∂vᵢ                    {eq}`eq-autodiff-trace`

    Tangents are complete as soon as a row is; adjoints only after the last.
    """
    name = "evaluation_trace"
    if not callable(f):
        checks.fail(name, "f", "be a function", repr(f)[:40])
    if len(args) != len(tangents):
        checks.fail(name, "tangents", f"be {len(args)} arrays, one per argument", len(tangents))
    below, level, log = next(clock), next(clock), list[tuple[Node, Any]]()
    inputs = []
    for x, t in zip(args, tangents, strict=True):
        x, t = leaf(name, "an argument", x), leaf(name, "a tangent", t)
        if shape_of(x) != shape_of(t):
            checks.fail(
                name, "a tangent", f"have shape {shape_of(x)}, the shape of its argument", shape_of(t)
            )
        inputs.append(Logged(Dual(x, below, like(t, x)), level, Node("input"), log))
    y = f(*inputs)
    if not isinstance(y, Logged) or np.size(plain(y)) != 1:
        got = f"shape {shape_of(y)}" if isinstance(y, Logged) else f"a {type(y).__name__}"
        checks.fail(name, "what f returns", "be one number that depends on its arguments", got)
    place = {node: i for i, (node, _) in enumerate(log)}
    adjoints = backward(y.node, np.ones_like(plain(y)), list(place))
    return [
        Row(node.name, tuple(place[p] for p in node.parents), plain(v), _tangent(v), like(plain(g), plain(v)))
        for (node, v), g in zip(log, adjoints, strict=True)
    ]


def _tangent(value: Any) -> Any:
    return value.tangent if isinstance(value, Dual) else np.zeros_like(value)
