"""Automatic differentiation in reverse mode: numpy code goes in, exact derivatives come out.

A traced tensor carries the graph of the computation it came from. Adjoints are pulled back through it, from
the output to the inputs, and each step needs no more than the step itself knew.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chapters_src import checks
from chapters_src.networks import operations as operations  # the rules
from chapters_src.networks.structure import Tree, flatten
from chapters_src.networks.tensors import Rule, Tensor, clock, leaf, like, plain

__all__ = ["Node", "Traced", "backward", "gradient", "jacobian", "value_and_gradient", "vjp"]


class Node:
    """One step of a computation: the steps it came from, and how to pull an adjoint back to them."""

    __slots__ = ("age", "name", "parents", "pull")

    def __init__(self, name: str, parents: tuple[Node, ...], pull: Callable[[Any], Sequence[Any]]) -> None:
        self.name, self.parents, self.pull = name, parents, pull
        self.age = next(clock)


class Traced(Tensor):
    """A value of reverse mode; its `Node` is the graph behind it, which holds no values of its own."""

    __slots__ = ("node",)

    def __init__(self, value: Any, level: int, node: Node) -> None:
        self.value, self.level, self.node = value, level, node

    def lift(self, rule: Rule, y: Any, below: list, above: list, where: list[int], kwargs: dict) -> Traced:
        pulls = [rule.pulls[i](y, *below, **kwargs) for i in where]
        node = Node(rule.name, tuple(t.node for t in above), lambda g: [pull(g) for pull in pulls])
        return Traced(y, self.level, node)


def backward(output: Node, seed: Any, inputs: Sequence[Node]) -> list[Any]:
    """The adjoints of ``inputs`` when that of ``output`` is ``seed``; None where nothing arrives.

    v̄ᵢ = Σ_{j: i → j} (∂vⱼ/∂vᵢ)ᵀ v̄ⱼ                   {eq}`eq-autodiff-adjoint`

    The youngest node that waits has all of its children behind it, so its adjoint is complete: a heap is all
    the sorting there is. Nothing is written into the graph; a second call gives the same answer.
    """
    wanted = set(inputs)
    adjoint = {output: seed}
    waiting = [(-output.age, output)]
    while waiting:
        _, node = heapq.heappop(waiting)
        g = adjoint[node] if node in wanted else adjoint.pop(node)
        if not node.parents:
            continue
        for parent, part in zip(node.parents, node.pull(g), strict=True):
            if parent in adjoint:
                adjoint[parent] = adjoint[parent] + part
            else:
                adjoint[parent] = part
                heapq.heappush(waiting, (-parent.age, parent))
    return [adjoint.get(node) for node in inputs]


def trace(function: str, f: Callable[..., Any], args: Sequence[Any], wrt: Sequence[int]) -> tuple:
    """Run f with the arguments ``wrt`` traced: their values and nodes, how to rebuild them, and the output."""
    level = next(clock)
    leaves, rebuild = flatten([args[i] for i in wrt])
    values = [leaf(function, f"argument {wrt[0]}" if len(wrt) == 1 else "arguments", v) for v in leaves]
    nodes = [Node("input", (), lambda g: ()) for _ in values]
    called = list(args)
    for i, part in zip(wrt, rebuild([Traced(v, level, n) for v, n in zip(values, nodes)]), strict=True):
        called[i] = part
    y = f(*called)
    if not isinstance(y, Tensor):
        y = leaf(function, "what f returns", y)
    if isinstance(y, Traced) and y.level == level:
        return values, nodes, rebuild, y.value, y.node
    return values, nodes, rebuild, y, Node("constant", (), lambda g: ())


def vjp(f: Callable[..., Any], *args: Any) -> tuple[Any, Callable[[Any], tuple]]:
    """f(*args), and the function that pulls an adjoint of it back to every argument.

    ȳ ↦ (∂y/∂x)ᵀ ȳ                                    {eq}`eq-autodiff-vjp`

    One pull costs a few times f, however many entries x has. It can be called again and again.
    """
    values, nodes, rebuild, y, node = trace("vjp", f, args, range(len(args)))

    def pull(seed: Any) -> tuple:
        seed = leaf("vjp", "the adjoint", seed)
        if np.shape(plain(seed)) != np.shape(plain(y)):
            rule = f"have shape {np.shape(plain(y))}, the shape of what f returns"
            checks.fail("vjp", "the adjoint", rule, np.shape(plain(seed)))
        return tuple(rebuild([like(g, v) for g, v in zip(backward(node, seed, nodes), values, strict=True)]))

    return y, pull


def value_and_gradient(f: Callable[..., Any], wrt: int | Sequence[int] = 0) -> Callable[..., tuple[Any, Any]]:
    """The function that returns f(*args) and ∇f(*args) with respect to argument number ``wrt``.

    x̄ = ∇f, the adjoint of x when ȳ = 1                {eq}`eq-autodiff-gradient`

    An argument may be an array or lists, tuples and dictionaries of arrays; its gradient has the same form.
    """
    several = not isinstance(wrt, int)
    chosen: Sequence[int] = tuple(wrt) if isinstance(wrt, Sequence) else (wrt,)

    def differentiated(*args: Any) -> tuple[Any, Any]:
        for i in chosen:
            checks.integer("gradient", "wrt", i, at_least=0, at_most=len(args) - 1)
        values, nodes, rebuild, y, node = trace("gradient", f, args, chosen)
        if np.size(plain(y)) != 1:
            checks.fail("gradient", "what f returns", "be one number", f"shape {np.shape(plain(y))}")
        seed = np.ones_like(plain(y))
        found = [like(g, v) for g, v in zip(backward(node, seed, nodes), values, strict=True)]
        gradients: Tree = rebuild(found)
        return y, tuple(gradients) if several else gradients[0]

    return differentiated


def gradient(f: Callable[..., Any], wrt: int | Sequence[int] = 0) -> Callable[..., Any]:
    """The function that returns ∇f(*args) with respect to argument number ``wrt``, in its shape."""
    both = value_and_gradient(f, wrt)
    return lambda *args: both(*args)[1]


def jacobian(f: Callable[..., Any], wrt: int = 0) -> Callable[..., Any]:
    """The function that returns ∂f/∂x for argument number ``wrt``, one pull for each entry of f.

    J has the shape of f(x) followed by the shape of x    {eq}`eq-autodiff-jacobian`
    """

    def differentiated(*args: Any) -> Any:
        checks.integer("jacobian", "wrt", wrt, at_least=0, at_most=len(args) - 1)

        def of_one(x: Any) -> Any:
            return f(*args[:wrt], x, *args[wrt + 1 :])

        y, pull = vjp(of_one, args[wrt])
        shape = np.shape(plain(y))
        seeds = np.eye(np.size(plain(y)), dtype=plain(y).dtype)
        rows = np.stack([pull(np.reshape(seed, shape))[0] for seed in seeds])
        return np.reshape(rows, (*shape, *np.shape(plain(rows))[1:]))

    return differentiated
