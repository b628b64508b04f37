"""Automatic differentiation in reverse mode: numpy code goes in, exact derivatives come out.

A traced tensor carries the graph of the computation it came from. Adjoints are pulled back through this graph
from the output to the inputs, and each step needs no more than the step itself knew.
"""

from __future__ import annotations

import functools
import heapq
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked, refuse, require, unread
from chapters_src.core.readers import Ask, at_least, between, whole
from chapters_src.networks.autodiff.leaves import leaf, leaves_of, like, unit_arrays
from chapters_src.networks.autodiff.tracing import Rule, Tensor, clock, level_of_its_own, plain, shape_of

__all__ = [
    "Node",
    "Traced",
    "backward",
    "gradient",
    "jacobian",
    "value_and_gradient",
    "vjp",
]


class Node:
    """One step of a computation: the steps it came from, and how to pull an adjoint back to them."""

    __slots__ = ("age", "name", "parents", "pull")

    @unread
    def __init__(
        self, name: str, parents: tuple[Node, ...] = (), pull: Callable[[Any], Sequence[Any]] = lambda g: ()
    ) -> None:
        self.name, self.parents, self.pull = name, parents, pull
        self.age = next(clock)


class Traced(Tensor):
    """A value in reverse mode; its `Node` is the graph behind it, which holds no values of its own."""

    __slots__ = ("node",)

    @unread
    def __init__(self, value: Any, level: int, node: Node) -> None:
        self.value, self.level, self.node = value, level, node

    def lift(self, rule: Rule, y: Any, below: list, above: list, where: list[int], options: dict) -> Traced:
        # An array that is not ours may be changed before it is needed again.
        kept = [one if i in where else _kept(one) for i, one in enumerate(below)]
        pulls = [rule.pull(i)(y, *kept, **options) for i in where]
        node = Node(rule.name, tuple(t.node for t in above), lambda g: [pull(g) for pull in pulls])
        return Traced(y, self.level, node)


def _kept(value: Any) -> Any:
    """A constant argument, an index too, as it is now."""
    if isinstance(value, np.ndarray):
        return value.copy() if value.flags.writeable else value
    return type(value)(map(_kept, value)) if type(value) in (tuple, list) else value


@unread
def backward(output: Node, seed: Any, inputs: Sequence[Node]) -> list[Any]:
    """The adjoints of ``inputs`` when that of ``output`` is ``seed``; None where nothing arrives.

    ūᵢ = Σ_{j: i → j} (∂uⱼ/∂uᵢ)ᵀ ūⱼ                   {eq}`eq-autodiff-adjoint`

    A node is younger than its parents. So the youngest node that waits has no child still to come and its
    adjoint is complete: a heap does all the sorting. Nothing is written into the graph, and a second call
    gives the same answer.
    """
    wanted = set(inputs)
    adjoint = {output: seed}
    waiting = [(-output.age, output)]
    while waiting:
        _, node = heapq.heappop(waiting)
        g = adjoint[node] if node in wanted else adjoint.pop(node)
        for parent, part in zip(node.parents, node.pull(g), strict=True):
            if parent in adjoint:
                adjoint[parent] = adjoint[parent] + part
            else:
                adjoint[parent] = part
                heapq.heappush(waiting, (-parent.age, parent))
    return [adjoint.get(node) for node in inputs]


def _trace(f: Callable[..., Any], inputs: Any) -> tuple:
    """Run f on traced ``inputs``: their values, their nodes, how to rebuild them; the output, its node."""
    leaves, rebuild = leaves_of(inputs)
    values = [leaf("an argument", value) for value in leaves]
    nodes = [Node("input") for _ in values]
    with level_of_its_own() as level:
        y = f(*rebuild([Traced(v, level, node) for v, node in zip(values, nodes, strict=True)]))
    if isinstance(y, Traced) and y.level == level:
        return values, nodes, rebuild, y.value, y.node
    return values, nodes, rebuild, leaf("what f returns", y), Node("constant")


@checked
def vjp(f: Callable[..., Any], *args: Any) -> tuple[Any, Callable[[Any], tuple]]:
    """f(*args), and the function that pulls an adjoint of it back to every argument.

    x̄ = (∂y/∂x)ᵀ ȳ                                    {eq}`eq-autodiff-vjp`

    A pull costs a few times f, however many entries x has. It can be called again and again.
    """
    leaves, rebuild = leaves_of(args)
    own = rebuild([v if isinstance(v, Tensor) else np.copy(leaf("an argument", v)) for v in leaves])
    values, nodes, rebuild, y, node = _trace(f, own)

    def pull(seed: Any) -> tuple:
        seed = leaf("the adjoint", seed)
        if shape_of(seed) != shape_of(y):
            rule = f"have shape {shape_of(y)}, the shape of what f returns"
            refuse("the adjoint", rule, shape_of(seed))
        adjoints = backward(node, like(seed, y), nodes)
        return rebuild([like(g, v) for g, v in zip(adjoints, values, strict=True)])

    return y if isinstance(y, Tensor) else np.copy(y)[()], pull  # the graph keeps its own


@checked(wrt=at_least(0))
def value_and_gradient(f: Callable[..., Any], wrt: int | Sequence[int] = 0) -> Callable[..., tuple[Any, Any]]:
    """The function that returns f(*args) and its gradient with respect to argument number ``wrt``.

    ∇f = x̄, the adjoint of x when ȳ = 1                {eq}`eq-autodiff-gradient`

    An argument may be an array, or lists, tuples and dictionaries of arrays; its gradient has the same form.
    With several numbers in ``wrt`` there is a tuple of gradients.
    """
    chosen = tuple(wrt) if isinstance(wrt, Sequence) else (wrt,)

    def differentiated(*args: Any, **options: Any) -> tuple[Any, Any]:
        at, chosen_f = _choose(functools.partial(f, **options) if options else f, args, chosen)
        values, nodes, rebuild, y, node = _trace(chosen_f, at)
        require(np.size(plain(y)) == 1, "what f returns", "be one number", f"shape {shape_of(y)}")
        adjoints = backward(node, np.ones_like(plain(y)), nodes)
        gradients = rebuild([like(g, v) for g, v in zip(adjoints, values, strict=True)])
        return y, gradients if isinstance(wrt, Sequence) else gradients[0]

    return differentiated


def _choose(f: Any, args: tuple, chosen: tuple[int, ...]) -> tuple[tuple, Callable[..., Any]]:
    """The chosen arguments, and f as a function of these alone."""
    for i in chosen:
        whole(Ask("wrt"), i, between(0, len(args) - 1))
    require(len(set(chosen)) == len(chosen), "wrt", "name every argument once", chosen)

    def of_chosen(*parts: Any) -> Any:
        rest = dict(zip(chosen, parts, strict=True))
        return f(*(rest.get(i, arg) for i, arg in enumerate(args)))

    return tuple(args[i] for i in chosen), of_chosen


@checked(wrt=at_least(0))
def gradient(f: Callable[..., Any], wrt: int | Sequence[int] = 0) -> Callable[..., Any]:
    """The function that returns the gradient of f with respect to argument number ``wrt``, in its shape."""
    both = bare(value_and_gradient)(f, wrt)
    return lambda *args, **options: both(*args, **options)[1]


@checked(wrt=at_least(0))
def jacobian(f: Callable[..., Any], wrt: int = 0) -> Callable[..., Any]:
    """The function that returns ∂f/∂x for argument number ``wrt``: one pull, one row, for each entry of f.

    J[i, j] = ∂yᵢ/∂xⱼ, its shape that of y followed by that of x    {eq}`eq-autodiff-jacobian`
    """

    def differentiated(*args: Any) -> Any:
        at, of_one = _choose(f, args, (wrt,))
        y, pull = bare(vjp)(of_one, *at)
        rows = np.stack([pull(unit)[0] for unit in unit_arrays(y)])
        return np.reshape(rows, (*shape_of(y), *shape_of(at[0])))

    return differentiated
