"""Automatic differentiation in forward mode: every value carries its derivative along one direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chapters_src.core import checks
from chapters_src.networks.autodiff.reverse import flatten, gradient, units
from chapters_src.networks.autodiff.tracing import Rule, Tensor, clock, leaf, like, shape_of

__all__ = ["Dual", "forward_jacobian", "hessian", "hessian_vector_product", "jvp"]


class Dual(Tensor):
    """A value and its tangent, v + v̇ε with ε² = 0. There is no graph: a tangent lives as its value does."""

    __slots__ = ("tangent",)

    def __init__(self, value: Any, level: int, tangent: Any) -> None:
        self.value, self.level, self.tangent = value, level, tangent

    def lift(self, rule: Rule, y: Any, below: list, above: list, where: list[int], options: dict) -> Dual:
        parts = [rule.pushes[i](y, *below, **options)(t.tangent) for i, t in zip(where, above, strict=True)]
        tangent = parts[0] if len(parts) == 1 else sum(parts[1:], parts[0])
        if shape_of(tangent) != shape_of(y):  # the argument was repeated, and its tangent has to be
            tangent = np.broadcast_to(tangent, shape_of(y))
        return Dual(y, self.level, tangent)


def jvp(f: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """f(*args), and its derivative when the arguments move along ``tangents``.

    ẏ = (∂y/∂x) ẋ                                     {eq}`eq-autodiff-jvp`

    One run of f with a tangent beside every value: a few times the cost of f, and nothing is stored.
    """
    if not callable(f):
        checks.fail("jvp", "f", "be a function", repr(f)[:40])
    for name, given in (("args", args), ("tangents", tangents)):
        if not isinstance(given, (tuple, list)):
            checks.fail("jvp", name, "be a tuple, one entry per argument of f", f"a {type(given).__name__}")
    (leaves, rebuild), (directions, _) = flatten(tuple(args)), flatten(tuple(tangents))
    if len(leaves) != len(directions):
        checks.fail("jvp", "tangents", f"be {len(leaves)} arrays, one per array of args", len(directions))
    level, duals = next(clock), []
    for value, tangent in zip(leaves, directions, strict=True):
        value, tangent = leaf("jvp", "args", value), leaf("jvp", "tangents", tangent)
        if shape_of(tangent) != shape_of(value):
            rule = f"have shape {shape_of(value)}, the shape of its argument"
            checks.fail("jvp", "a tangent", rule, shape_of(tangent))
        duals.append(Dual(value, level, like(tangent, value)))
    y = f(*rebuild(duals))
    if isinstance(y, Dual) and y.level == level:
        return y.value, like(y.tangent, y.value)
    y = leaf("jvp", "what f returns", y)
    return y, like(None, y)


def forward_jacobian(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function that returns ∂f/∂x for the first argument: one push, one column, for each entry of x.

    The same numbers as `autodiff.jacobian`, and cheaper where x has fewer entries than f.
    """

    def differentiated(x: Any, *rest: Any) -> Any:
        x = leaf("forward_jacobian", "x", x)
        columns = [jvp(lambda x: f(x, *rest), (x,), (unit,))[1] for unit in units(x)]
        return np.reshape(np.stack(columns, -1), (*shape_of(columns[0]), *shape_of(x)))

    return differentiated


def hessian_vector_product(
    f: Callable[..., Any], args: Sequence[Any], v: Any, mode: str = "forward over reverse"
) -> Any:
    """∇²f(x) v, where x is the first of ``args``, without the matrix ∇²f.

    Hv = d/dt ∇f(x + tv) at t = 0  =  ∇(∇f(x)·v)      {eq}`eq-autodiff-hvp`

    The first form pushes a tangent through the whole of reverse mode; the second, "reverse over reverse",
    pulls an adjoint through it.
    """
    name = "hessian_vector_product"
    if not isinstance(args, (tuple, list)) or not args:
        checks.fail(name, "args", "be a tuple, one entry per argument of f", f"a {type(args).__name__}")
    x, *rest = args
    x, v = leaf(name, "the first argument", x), leaf(name, "v", v)
    if shape_of(v) != shape_of(x):
        checks.fail(name, "v", f"have shape {shape_of(x)}, the shape of the first argument", shape_of(v))
    if mode == "forward over reverse":
        return jvp(lambda x: gradient(f)(x, *rest), (x,), (v,))[1]
    if mode != "reverse over reverse":
        checks.fail(name, "mode", 'be "forward over reverse" or "reverse over reverse"', repr(mode))
    return gradient(lambda x: np.sum(gradient(f)(x, *rest) * v))(x)


def hessian(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function that returns ∇²f for the first argument: one Hessian-vector product for each entry."""
    return forward_jacobian(gradient(f))
