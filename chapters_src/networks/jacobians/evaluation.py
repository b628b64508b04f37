"""What happens in a computation: every step in order, with its value, its tangent and its adjoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.networks.autodiff import (
    Node,
    Rule,
    Traced,
    backward,
    leaf,
    level_of_its_own,
    like,
    plain,
    shape_of,
)
from chapters_src.networks.jacobians.forward_mode import Dual, Pack, direction_at, one_each

__all__ = ["Row", "evaluation_trace"]


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


@checked(args=one_each, tangents=one_each)
def evaluation_trace(f: Callable[..., Any], args: Pack, tangents: Pack) -> list[Row]:
    """Every step of f(*args) in order, with its derivative along ``tangents`` and its adjoint.

    aᵢ,  ȧᵢ = daᵢ/dt,  āᵢ = ∂y/∂aᵢ                    {eq}`eq-jacobians-trace`

    Tangents are complete as soon as a row is; adjoints only after the last.
    """
    require(len(args) == len(tangents), "tangents", f"be {len(args)} arrays, one per argument", len(tangents))
    log = list[tuple[Node, Any]]()
    values = [leaf("an argument", x) for x in args]
    directions = [direction_at(x, t) for x, t in zip(values, tangents, strict=True)]
    with level_of_its_own() as below, level_of_its_own() as level:
        y = f(
            *(
                Logged(Dual(x, below, t), level, Node("input"), log)
                for x, t in zip(values, directions, strict=True)
            )
        )
        if not isinstance(y, Logged) or np.size(plain(y)) != 1:
            got = f"shape {shape_of(y)}" if isinstance(y, Logged) else f"a {type(y).__name__}"
            refuse("what f returns", "be one number that depends on its arguments", got)
        adjoints = backward(y.node, np.ones_like(plain(y)), [node for node, _ in log])
    place = {node: i for i, (node, _) in enumerate(log)}
    return [
        Row(node.name, tuple(place[p] for p in node.parents), plain(v), _tangent(v), like(plain(g), plain(v)))
        for (node, v), g in zip(log, adjoints, strict=True)
    ]


def _tangent(value: Any) -> Any:
    return value.tangent if isinstance(value, Dual) else np.zeros_like(value)
