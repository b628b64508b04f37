"""Tensors: arrays in disguise, and the rules by which numpy's functions are differentiated.

When numpy is called with a tensor, it asks the tensor what to do (`__array_ufunc__`, `__array_function__`).
The tensor has the value computed and remembers what a derivative needs. So a function that was written for
numpy arrays is differentiated as it stands.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from chapters_src.core import checks
from chapters_src.core.shapes import ndarray

__all__ = ["CONSTANT", "REWRITES", "RULES", "Rule", "Tensor", "clock", "leaf", "like", "plain", "shape_of"]

RULES: dict[Any, Rule] = {}  # numpy function -> its derivative
REWRITES: dict[Any, Callable[..., Any]] = {}  # numpy function -> the same in terms of others
CONSTANT: set[Any] = set()  # numpy functions whose derivative is zero wherever there is one

# One clock for everything: a node is younger than its parents, an inner derivative younger than an outer one.
clock = itertools.count()


class Rule:
    """A function and its differential in each argument, forwards and backwards.

    ``pushes[i](y, *args)`` returns ẋᵢ ↦ (∂y/∂xᵢ) ẋᵢ and ``pulls[i](y, *args)`` returns ȳ ↦ (∂y/∂xᵢ)ᵀ ȳ. What
    is returned holds on to what it needs and to nothing else: that is what a graph costs in memory.
    """

    __slots__ = ("function", "name", "pulls", "pushes")

    def __init__(self, function: Any, pushes: Any, pulls: Any) -> None:
        self.function, self.pushes, self.pulls = function, pushes, pulls
        self.name = function.__name__

    def apply(self, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """Call the function with the youngest tensors unwrapped, and let these wrap the result."""
        top = max((a for a in args if isinstance(a, Tensor)), key=_level)
        below, above, where = list(args), [], []
        for i, a in enumerate(args):
            if isinstance(a, Tensor) and a.level == top.level:
                if i >= len(self.pulls) or self.pulls[i] is None:
                    checks.fail(
                        self.name, f"argument {i}", "be an array, as it has no derivative", "a tensor"
                    )
                below[i] = a.value
                above.append(a)
                where.append(i)
        try:
            y = self.function(*below, **options)
            return top.lift(self, y, below, above, where, options)
        except (IndexError, TypeError, ValueError) as error:
            if any(isinstance(a, Tensor) for a in below):
                raise  # it was explained one level below
            shapes = " and ".join(str(shape_of(a)) for a in args if isinstance(a, Tensor))
            raise ValueError(f"{self.name}: arguments must fit; got shape {shapes}: {error}") from error


def _level(tensor: Tensor) -> int:
    return tensor.level


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
            checks.fail(ufunc.__name__, "a tensor", "not be changed in place: write x = x + y", "x += y")
        return _answer(ufunc.__name__, ufunc if method == "__call__" else None, args, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return _answer(function.__name__, function, args, options)

    def __array__(self, *_: Any, **__: Any) -> ndarray:
        rule = "stay one: np.stack joins tensors where np.array cannot, and plain(x) gives up the derivative"
        return checks.fail("numpy", "a tensor", rule, "a conversion to an array")

    def __float__(self) -> float:
        return checks.fail("float", "a tensor", "stay one: plain(x) gives up the derivative", "a conversion")

    def __bool__(self) -> bool:
        return bool(plain(self))

    def __setitem__(self, index: Any, value: Any) -> None:
        checks.fail("tensor", "a tensor", "not be changed in place: np.where makes a new one", "x[…] = …")

    def __getitem__(self, index: Any) -> Any:
        return RULES["getitem"].function(self, index)

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
    T = property(lambda self: np.transpose(self))

    def sum(self, axis: Any = None, keepdims: bool = False) -> Any:
        return np.sum(self, axis, keepdims=keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Any:
        return np.mean(self, axis, keepdims=keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> Any:
        return np.max(self, axis, keepdims=keepdims)

    def reshape(self, *shape: Any) -> Any:
        return np.reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: int) -> Any:
        return np.transpose(self, axes or None)

    def astype(self, dtype: Any) -> Any:
        return RULES["cast"].function(self, np.dtype(dtype))


def _answer(name: str, function: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """What a numpy function returns when it is called with tensors."""
    if any(isinstance(option, Tensor) for option in options.values()):
        checks.fail(name, "a tensor", "be given by position", "a keyword")
    if function in RULES:
        return RULES[function].apply(args, options)
    if function in REWRITES:
        return REWRITES[function](*args, **options)
    if function in CONSTANT:
        return function(*map(plain, args), **options)
    return checks.fail(name, "a function of tensors", "have a rule in `operations` or `arrays`", "none")


def plain(value: Any) -> Any:
    """The array inside any number of tensors."""
    while isinstance(value, Tensor):
        value = value.value
    return value


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of an array, a number or a tensor."""
    value = plain(value)
    return value.shape if isinstance(value, (np.ndarray, np.generic)) else np.shape(value)


def leaf(function: str, name: str, value: Any) -> Any:
    """Read a value to differentiate at: floats and tensors as they are, integers as float64."""
    if isinstance(value, Tensor):
        return value
    floats = type(value) is np.ndarray or isinstance(value, np.floating)
    if floats and value.dtype.kind == "f" and value.size:
        with np.errstate(over="ignore"):
            if np.isfinite(value.sum()):  # then every entry is, and nothing was copied to find out
                return value
    checked = checks.array(function, name, value)
    return value if floats and value.dtype.kind == "f" else checked[()]


def like(derivative: Any, value: Any) -> Any:
    """A derivative in the precision of the value it belongs to, in memory of its own; zeros for None."""
    dtype = plain(value).dtype
    if derivative is None:
        return np.zeros(shape_of(value), dtype)[()]
    if isinstance(derivative, Tensor):
        return derivative if derivative.dtype == dtype else derivative.astype(dtype)
    return np.array(derivative, dtype)[()]
