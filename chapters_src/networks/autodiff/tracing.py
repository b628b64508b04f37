"""Tensors: arrays in disguise, and the rules by which numpy's functions are differentiated.

When numpy is called with a tensor, it asks the tensor what to do (`__array_ufunc__`, `__array_function__`).
The tensor has the value computed and remembers what a derivative needs. So a function that was written for
numpy arrays is differentiated as it stands.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from chapters_src.core.contract import require, unread
from chapters_src.core.readers import Refusal
from chapters_src.core.shapes import ndarray

__all__ = [
    "CONSTANT",
    "DERIVATIVES",
    "REWRITES",
    "Rule",
    "Tensor",
    "cast",
    "clock",
    "level_of_its_own",
    "of_this_call",
    "plain",
    "primitive",
    "shape_of",
]

DERIVATIVES: dict[Any, Rule] = {}  # numpy function -> the rule of its derivative
REWRITES: dict[Any, Callable[..., Any]] = {}  # numpy function -> the same in terms of others
CONSTANT: set[Any] = set()  # numpy functions whose derivative is zero wherever there is one

# One clock for everything: a node is younger than its parents, an inner derivative younger than an outer one.
clock = itertools.count()
MISFITS = (IndexError, TypeError, ValueError)  # what numpy raises for arguments that it cannot use
_running: set[int] = set()  # the differentiations whose function has not returned yet


@unread
@contextmanager
def level_of_its_own() -> Iterator[int]:
    """The number of a differentiation; its tensors may be computed with until the function returns."""
    level = next(clock)
    _running.add(level)
    try:
        yield level
    finally:
        _running.discard(level)


class Rule:
    """A function and its differential in each argument, forwards and backwards.

    ``push(i)(y, *args)`` returns ẋᵢ ↦ (∂y/∂xᵢ) ẋᵢ and ``pull(i)(y, *args)`` returns ȳ ↦ (∂y/∂xᵢ)ᵀ ȳ. What is
    returned holds on to what it needs and to nothing else: that is what a graph costs in memory.
    """

    __slots__ = ("function", "name", "pulls", "pushes")

    @unread
    def __init__(self, function: Any, pushes: Sequence[Any], pulls: Sequence[Any], name: str = "") -> None:
        self.function, self.pushes, self.pulls = function, pushes, pulls
        self.name = name or function.__name__

    def push(self, i: int) -> Any:
        """What makes the push of argument number i."""
        return self.pushes[i]

    def pull(self, i: int) -> Any:
        """What makes the pull of argument number i; None where there is no derivative."""
        return self.pulls[i] if i < len(self.pulls) else None

    def apply(self, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """Call the function with the youngest tensors unwrapped, and let these wrap the result."""
        top = max((of_this_call(a) for a in args if isinstance(a, Tensor)), key=_level)
        below, above, where = list(args), [], []
        for i, a in enumerate(args):
            if isinstance(a, Tensor) and a.level == top.level:
                if self.pull(i) is None:
                    rule = "be an array, as it has no derivative"
                    raise Refusal(f"argument {i}", rule, "a tensor", self.name)
                below[i] = a.value
                above.append(a)
                where.append(i)
        try:
            y = self.function(*below, **options)
            if np.iscomplexobj(plain(y)):
                rule = "be real, as a complex function has a derivative of another kind"
                raise Refusal("arguments", rule, "complex numbers", self.name)
            return top.lift(self, y, below, above, where, options)
        except Refusal:
            raise  # it was explained one level below
        except MISFITS as error:
            raise _misfit(self.name, args, error) from error


def _level(tensor: Tensor) -> int:
    return tensor.level


def _misfit(name: str, args: Sequence[Any], error: Exception) -> Refusal:
    """What numpy or Python said of the arguments of a function, in our words."""
    shapes = " and ".join(str(shape_of(a)) for a in args if isinstance(a, Tensor))
    return Refusal("arguments", "fit", f"shape {shapes}: {error}" if shapes else error, name)


class _Missing(Refusal, AttributeError):  # type: ignore[misc]
    """What arrays have and tensors cannot have, for those who ask with `hasattr` too."""


class Tensor(NDArrayOperatorsMixin):
    """An array that takes part in a differentiation: `Traced` in reverse mode, `Dual` in forward mode."""

    __slots__ = ("level", "value")
    value: Any  # an array, or a tensor of an enclosing differentiation
    level: int  # which differentiation it belongs to; inner ones have higher numbers

    def lift(self, rule: Rule, y: Any, below: list, above: list, where: list[int], options: dict) -> Tensor:
        """Wrap the value y of ``rule``; ``above`` are its tensors of this level, the arguments ``where``."""
        raise NotImplementedError

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **options: Any) -> Any:
        if options.pop("out", None) is not None:
            rule = "not be changed in place: write x = x + y"
            raise Refusal("a tensor", rule, "x += y", ufunc.__name__)
        if options:
            raise Refusal("keywords", "be left out, as no rule has them", ", ".join(options), ufunc.__name__)
        args = tuple(np.asarray(a) if isinstance(a, (list, tuple)) else a for a in args)
        return _answer(ufunc.__name__, ufunc if method == "__call__" else None, args, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if options.pop("out", None) is not None:
            raise Refusal("out", "be left out, as a derivative needs a new array", "one", function.__name__)
        return _answer(function.__name__, function, args, options)

    def __array__(self, *_: Any, **__: Any) -> ndarray:
        rule = "stay one: np.stack joins tensors where np.array cannot, and plain(x) gives up the derivative"
        raise Refusal("a tensor", rule, "a conversion to an array", "numpy")

    def __float__(self) -> float:
        raise Refusal("a tensor", "stay one: plain(x) gives up the derivative", "a conversion", "float")

    def __bool__(self) -> bool:
        return bool(plain(self))

    def __setitem__(self, index: Any, value: Any) -> None:
        raise Refusal("a tensor", "not be changed in place: np.where makes a new one", "x[…] = …", "tensor")

    def __getitem__(self, index: Any) -> Any:
        return DERIVATIVES[operator.getitem].apply((self, index), {})

    def __getattr__(self, name: str) -> Any:
        if hasattr(np.ndarray, name) and not name.startswith("_"):
            raise _Missing("a tensor", "be handled by functions of numpy", f"x.{name}", name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __len__(self) -> int:
        return len(plain(self))

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r})"

    __hash__ = object.__hash__
    shape = property(lambda self: shape_of(self))
    ndim = property(lambda self: len(shape_of(self)))
    size = property(lambda self: np.size(plain(self)))
    dtype = property(lambda self: plain(self).dtype)

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Any:
        if (kind := np.dtype(dtype).kind) in "biu":  # a step, whose slope is 0 wherever it has one
            return plain(self).astype(dtype)
        if kind not in "fc":
            raise Refusal("dtype", "be one of numbers", dtype, "astype")
        return cast(self, np.dtype(dtype))


def _answer(name: str, function: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """What a numpy function returns when it is called with tensors."""
    if function in DERIVATIVES:
        return DERIVATIVES[function].apply(args, options)
    try:
        if function in REWRITES:
            return REWRITES[function](*args, **options)
        if function in CONSTANT:
            return function(*map(plain, args), **{key: plain(value) for key, value in options.items()})
    except Refusal:
        raise
    except MISFITS as error:
        raise _misfit(name, args, error) from error
    raise Refusal("a function of tensors", "have a rule in DERIVATIVES", "none", name)


@unread
def primitive(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of our own listen for tensors, as numpy's functions do."""

    @unread
    @functools.wraps(function)
    def listening(*args: Any, **options: Any) -> Any:
        if any(isinstance(a, Tensor) for a in args):
            return DERIVATIVES[listening].apply(args, options)
        return function(*args, **options)

    return listening


@primitive
def cast(x: Any, dtype: Any) -> Any:
    """x in another precision."""
    return np.asarray(x, dtype)


@unread
def of_this_call(value: Any) -> Any:
    """The value, unless it is a tensor that was kept from a differentiation that is over."""
    require(
        not isinstance(value, Tensor) or value.level in _running,
        "a tensor",
        "belong to a differentiation that is running",
        "one kept from an earlier call",
    )
    return value


@unread
def plain(value: Any) -> Any:
    """The array inside any number of tensors."""
    while isinstance(value, Tensor):
        value = value.value
    return value


@unread
def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of an array, a number or a tensor."""
    value = plain(value)
    return value.shape if isinstance(value, (np.ndarray, np.generic)) else np.shape(value)
