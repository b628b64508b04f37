"""Automatic differentiation in forward mode: every value carries its derivative along one direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chapters_src import checks
from chapters_src.networks.autodiff import gradient
from chapters_src.networks.structure import flatten
from chapters_src.networks.tensors import Rule, Tensor, clock, leaf, like, plain

__all__ = ["Dual", "forward_jacobian", "hessian", "hessian_vector_product", "jvp"]


class Dual(Tensor):
    """A value and its tangent, v + v̇ε with ε² = 0; the tangent is dropped as soon as the value is."""

    __slots__ = ("tangent",)

    def __init__(self, value: Any, level: int, tangent: Any) -> None:
        self.value, self.level, self.tangent = value, level, tangent

    def lift(self, rule: Rule, y: Any, below: list, above: list, where: list[int], kwargs: dict) -> Dual:
        tangent: Any = None
        for i, tensor in zip(where, above, strict=True):
            part = rule.pushes[i](y, *below, **kwargs)(tensor.tangent)
            tangent = part if tangent is None else tangent + part
        if np.shape(plain(tangent)) != np.shape(plain(y)):  # an argument was repeated, its tangent not yet
            tangent = np.broadcast_to(tangent, np.shape(plain(y)))
        return Dual(y, self.level, tangent)


def jvp(f: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """f(*args), and its derivative when the arguments move along ``tangents``.

    ẏ = Σᵢ (∂y/∂xᵢ) ẋᵢ                                {eq}`eq-autodiff-jvp`

    One run of f, with a tangent beside every value: about twice to three times f, and no graph.
    """
    (leaves, rebuild), (directions, _) = flatten(tuple(args)), flatten(tuple(tangents))
    if len(leaves) != len(directions):
        rule = f"be {len(leaves)} arrays, one per array of the arguments"
        checks.fail("jvp", "tangents", rule, f"{len(directions)}")
    level, duals = next(clock), []
    for value, tangent in zip(leaves, directions, strict=True):
        value, tangent = leaf("jvp", "args", value), leaf("jvp", "tangents", tangent)
        if np.shape(plain(value)) != np.shape(plain(tangent)):
            rule = f"have shape {np.shape(plain(value))}, the shape of its argument"
            checks.fail("jvp", "a tangent", rule, np.shape(plain(tangent)))
        duals.append(Dual(value, level, like(tangent, value)))
    y = f(*rebuild(duals))
    if isinstance(y, Dual) and y.level == level:
        return y.value, like(y.tangent, y.value)
    y = leaf("jvp", "what f returns", y)
    return y, like(None, y)


def forward_jacobian(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function that returns ∂f/∂x for the first argument, one push for each entry of x.

    The same numbers as `autodiff.jacobian`, column by column: cheaper where x has fewer entries than f.
    """

    def differentiated(x: Any, *rest: Any) -> Any:
        x = leaf("forward_jacobian", "x", x)
        shape = np.shape(plain(x))
        seeds = np.eye(np.size(plain(x)), dtype=plain(x).dtype)
        columns = [jvp(lambda x: f(x, *rest), (x,), (np.reshape(seed, shape),))[1] for seed in seeds]
        return np.reshape(np.stack(columns, -1), (*np.shape(plain(columns[0])), *shape))

    return differentiated


def hessian_vector_product(
    f: Callable[..., Any], args: Sequence[Any], v: Any, mode: str = "forward over reverse"
) -> Any:
    """∇²f(x) v for the first of ``args``, without the matrix ∇²f.

    Hv = d/dt ∇f(x + tv) at t = 0 = ∇(∇f(x)·v)        {eq}`eq-autodiff-hvp`

    The first form pushes a tangent through the whole of reverse mode and stores least; the second, "reverse
    over reverse", pulls an adjoint through it.
    """
    x, *rest = args
    if mode == "forward over reverse":
        return jvp(lambda x: gradient(f)(x, *rest), (x,), (v,))[1]
    if mode != "reverse over reverse":
        checks.fail(
            "hessian_vector_product", "mode", 'be "forward over reverse" or "reverse over reverse"', mode
        )
    return gradient(lambda x: np.sum(gradient(f)(x, *rest) * v))(x)


def hessian(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function that returns ∇²f for the first argument, one column for each of its entries."""
    return forward_jacobian(gradient(f))
