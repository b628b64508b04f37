"""Four forms of a rule: elementwise, linear, by its differential alone, and of any number of arrays.

The rules call numpy again, so that what they compute can be differentiated once more.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import unread
from chapters_src.networks.autodiff.leaves import like
from chapters_src.networks.autodiff.reverse import Node, Traced, backward
from chapters_src.networks.autodiff.tracing import DERIVATIVES, Rule, level_of_its_own, plain, shape_of

__all__ = ["OfEach", "by_differential", "elementwise", "kept", "linear", "transposed", "unbroadcast"]


@unread
def elementwise(function: Any, *differentials: Any, by: Any = None) -> None:
    """Give the rule of a function of broadcast arguments: ``differentials[i](y, *args)`` is s ↦ s·∂y/∂xᵢ.

    It serves both modes: a tangent is pushed through it, and an adjoint is pulled back through it and added
    up where xᵢ was repeated. ``by`` computes the values, if there is something quicker than the function.
    """

    def pull(i: int, differential: Any) -> Any:
        def make(y: Any, *args: Any) -> Callable[[Any], Any]:
            apply, shape = differential(y, *args), shape_of(args[i])
            return apply if shape == shape_of(y) else lambda g: unbroadcast(apply(g), shape)

        return make

    pulls = [d and pull(i, d) for i, d in enumerate(differentials)]
    DERIVATIVES[function] = Rule(by or function, differentials, pulls, function.__name__)


@unread
def linear(function: Any, transpose: Any) -> None:
    """Give the rule of a function that is linear in its first argument: it is its own differential."""

    def push(y: Any, x: Any, *rest: Any, **options: Any) -> Callable[[Any], Any]:
        return lambda t: function(t, *rest, **options)

    DERIVATIVES[function] = Rule(function, [push], [transpose])


@unread
def by_differential(function: Any, *differentials: Any) -> None:
    """Give the rule of a function by ẋᵢ ↦ (∂y/∂xᵢ) ẋᵢ alone, written in numpy; its transpose is traced."""

    def pull(i: int, differential: Any) -> Any:
        def make(y: Any, *args: Any, **options: Any) -> Callable[[Any], Any]:
            return transposed(differential(y, *args, **options), plain(args[i]))

        return make

    pulls = [pull(i, differential) for i, differential in enumerate(differentials)]
    DERIVATIVES[function] = Rule(function, differentials, pulls)


@unread
def transposed(push: Callable[[Any], Any], x: Any) -> Callable[[Any], Any]:
    """The transpose of a linear function of arrays like x: it is traced at zero and pulled back through."""
    zero = np.zeros_like(x)

    def pull(g: Any) -> Any:
        start = Node("input")
        with level_of_its_own() as level:
            y = push(Traced(zero, level, start))
        return like(backward(y.node, g, [start])[0], zero)

    return pull


class OfEach(Rule):
    """The rule of a function of a setting and any number of arrays: what is made for number i is told i."""

    __slots__ = ()

    def push(self, i: int) -> Any:
        """What makes the push of argument number i."""
        return functools.partial(self.pushes[0], i)

    def pull(self, i: int) -> Any:
        """What makes the pull of argument number i."""
        return functools.partial(self.pulls[0], i)


@unread
def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Add up g over the axes along which an array of this shape was repeated: the transpose of repeating."""
    have = shape_of(g)
    if have == shape:
        return g
    new = len(have) - len(shape)
    repeated = tuple(i for i, n in enumerate(have) if i < new or shape[i - new] != n)
    return np.reshape(np.sum(g, axis=repeated), shape)


@unread
def kept(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """The shape after a reduction over ``axis`` that keeps the axes it adds up, with length 1."""
    axes = range(len(shape)) if axis is None else [i % max(len(shape), 1) for i in np.atleast_1d(axis)]
    return tuple(1 if i in axes else n for i, n in enumerate(shape))
