"""Automatic differentiation in forward mode: every value carries its derivative along one direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked, require, unread
from chapters_src.core.readers import Ask, one_of
from chapters_src.networks.autodiff import (
    Rule,
    Tensor,
    gradient,
    leaf,
    leaves_of,
    level_of_its_own,
    like,
    shape_of,
    unit_arrays,
)

__all__ = ["Dual", "forward_jacobian", "hessian", "hessian_vector_product", "jvp"]


class Dual(Tensor):
    """A value and its tangent, a + ȧε with ε² = 0. There is no graph: a tangent lives as its value does."""

    __slots__ = ("tangent",)

    @unread
    def __init__(self, value: Any, level: int, tangent: Any) -> None:
        self.value, self.level, self.tangent = value, level, tangent

    def lift(self, rule: Rule, y: Any, below: list, above: list, where: list[int], options: dict) -> Dual:
        parts = [rule.push(i)(y, *below, **options)(t.tangent) for i, t in zip(where, above, strict=True)]
        tangent = parts[0] if len(parts) == 1 else sum(parts[1:], parts[0])
        if shape_of(tangent) != shape_of(y):  # the argument was repeated, and its tangent has to be
            tangent = np.broadcast_to(tangent, shape_of(y))
        return Dual(y, self.level, tangent)


Pack = Sequence[Any]  # one entry per argument of a function


def one_each(ask: Ask, value: Any) -> tuple[Any, ...]:
    """Read what is given for the arguments of f, one entry each."""
    ask.require(
        isinstance(value, (tuple, list)) and not (ask.name == "args" and not value),
        "be a tuple, one entry per argument of f",
        f"a {type(value).__name__}",
    )
    return tuple(value)


def direction_at(value: Any, tangent: Any) -> Any:
    """A tangent in the shape and the precision of the value that moves along it."""
    tangent = leaf("tangents", tangent)
    require(
        shape_of(tangent) == shape_of(value),
        "a tangent",
        f"have shape {shape_of(value)}, the shape of its argument",
        shape_of(tangent),
    )
    return like(tangent, value)


@checked(args=one_each, tangents=one_each)
def jvp(f: Callable[..., Any], args: Pack, tangents: Pack) -> tuple[Any, Any]:
    """f(*args), and its derivative when the arguments move along ``tangents``.

    ẏ = (∂y/∂x) ẋ                                     {eq}`eq-jacobians-jvp`

    One run of f with a tangent beside every value: a few times the cost of f, and nothing is stored.
    """
    (leaves, rebuild), (directions, _) = leaves_of(args), leaves_of(tangents)
    require(
        len(leaves) == len(directions),
        "tangents",
        f"be {len(leaves)} arrays, one per array of args",
        len(directions),
    )
    values = [leaf("args", value) for value in leaves]
    moving = [direction_at(value, tangent) for value, tangent in zip(values, directions, strict=True)]
    with level_of_its_own() as level:
        y = f(*rebuild([Dual(x, level, t) for x, t in zip(values, moving, strict=True)]))
    if isinstance(y, Dual) and y.level == level:
        return y.value, like(y.tangent, y.value)
    y = leaf("what f returns", y)
    return y, like(None, y)


@checked
def forward_jacobian(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function that returns ∂f/∂x for the first argument: one push, one column, for each entry of x.

    The same numbers as `autodiff.jacobian`, and cheaper where x has fewer entries than f.
    """

    def differentiated(x: Any, *rest: Any) -> Any:
        x = leaf("x", x)
        columns = [bare(jvp)(lambda x: f(x, *rest), (x,), (unit,))[1] for unit in unit_arrays(x)]
        return np.reshape(np.stack(columns, -1), (*shape_of(columns[0]), *shape_of(x)))

    return differentiated


MODES = ("forward over reverse", "reverse over reverse")


@checked(args=one_each, mode=one_of(MODES))
def hessian_vector_product(
    f: Callable[..., Any], args: Pack, v: Any, mode: str = "forward over reverse"
) -> Any:
    """∇²f(x) v, where x is the first of ``args``, without the matrix ∇²f.

    Hv = d/dt ∇f(x + tv) at t = 0  =  ∇(∇f(x)·v)      {eq}`eq-jacobians-hvp`

    The first form pushes a tangent through the whole of reverse mode; the second, "reverse over reverse",
    pulls an adjoint through it.
    """
    x, *rest = args
    x, v = leaf("the first argument", x), leaf("v", v)
    require(
        shape_of(v) == shape_of(x),
        "v",
        f"have shape {shape_of(x)}, the shape of the first argument",
        shape_of(v),
    )
    if mode == "forward over reverse":
        return bare(jvp)(lambda x: gradient(f)(x, *rest), (x,), (v,))[1]
    return gradient(lambda x: np.sum(gradient(f)(x, *rest) * v))(x)


@checked
def hessian(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function that returns ∇²f for the first argument: one Hessian-vector product for each entry."""
    return bare(forward_jacobian)(bare(gradient)(f))
