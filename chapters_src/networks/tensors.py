"""Tensors: arrays in disguise, and the rules by which numpy's functions are differentiated.

When numpy is called with a tensor it asks the tensor what to do (`__array_ufunc__`, `__array_function__`). The
tensor has the value computed and remembers what a derivative needs. So a function that is written for numpy
arrays is differentiated as it stands.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from chapters_src import checks
from chapters_src.shapes import ndarray

__all__ = ["CONSTANT", "REWRITES", "RULES", "Rule", "Tensor", "clock", "leaf", "like", "plain"]

RULES: dict[Any, Rule] = {}  # numpy function -> its derivative; filled by `operations`
REWRITES: dict[Any, Callable[..., Any]] = {}  # numpy function -> the same in terms of others
CONSTANT: set[Any] = set()  # numpy functions whose derivative is zero wherever there is one

# One clock for everything: a node is younger than its parents, and an inner derivative than an outer one.
clock = itertools.count()


class Rule:
    """A numpy function and its differential in each argument, forwards and backwards.

    ``pushes[i](y, *args)`` returns ẋᵢ ↦ (∂y/∂xᵢ) ẋᵢ and ``pulls[i](y, *args)`` returns ȳ ↦ (∂y/∂xᵢ)ᵀ ȳ. Each
    returned function holds on to what it needs and to nothing else: that is what a graph costs in memory.
    """

    __slots__ = ("function", "name", "pulls", "pushes")

    def __init__(self, function: Any, pushes: Sequence[Any], pulls: Sequence[Any]) -> None:
        self.function, self.pushes, self.pulls = function, pushes, pulls
        self.name = function.__name__

    def apply(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Call the function below the youngest tensors among ``args``, and let those lift the result."""
        tensors = [a for a in args if isinstance(a, Tensor)]
        top = max(tensors, key=_level)
        where = [i for i, a in enumerate(args) if isinstance(a, Tensor) and a.level == top.level]
        below = list(args)
        for i in where:
            below[i] = args[i].value
            if i >= len(self.pulls) or self.pulls[i] is None:
                checks.fail(self.name, f"argument {i}", "be an array, as it has no derivative", "a tensor")
        try:
            y = self.function(*below, **kwargs)
        except (IndexError, TypeError, ValueError) as error:
            shapes = ", ".join(str(np.shape(plain(t))) for t in tensors)
            raise ValueError(f"{self.name}: arguments must fit; got shapes {shapes} ({error})") from error
        return top.lift(self, y, below, [args[i] for i in where], where, kwargs)


def _level(tensor: Tensor) -> int:
    return tensor.level


class Tensor(NDArrayOperatorsMixin):
    """An array that takes part in a differentiation; `Traced` in reverse mode, `Dual` in forward mode."""

    __slots__ = ("level", "value")
    value: Any  # an array, or a tensor of an enclosing differentiation
    level: int

    def lift(self, rule: Rule, y: Any, below: list, above: list, where: list[int], kwargs: dict) -> Tensor:
        """Wrap the value y of ``rule``, whose arguments at ``where`` were tensors of this kind."""
        raise NotImplementedError

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if kwargs.pop("out", None) is not None:
            checks.fail(ufunc.__name__, "out", "be left out, as tensors never change: write x = x + y", "out")
        return _dispatch(getattr(ufunc, method), ufunc if method == "__call__" else None, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _dispatch(function, function, args, kwargs)

    def __array__(self, *_: Any, **__: Any) -> ndarray:
        rule = (
            "be used with numpy functions that have a derivative (np.stack, not np.array, makes one of many)"
        )
        checks.fail(
            "numpy", "a tensor", rule, "a conversion to a plain array, which would lose the derivative"
        )

    def __setitem__(self, index: Any, value: Any) -> None:
        checks.fail(
            "tensor", "a tensor", "not be changed in place: use np.where or np.concatenate", "x[…] = …"
        )

    def __getitem__(self, index: Any) -> Any:
        return RULES["getitem"].function(self, index)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r})"

    def __len__(self) -> int:
        return len(plain(self))

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    __hash__ = object.__hash__
    shape = property(lambda self: np.shape(plain(self)))
    ndim = property(lambda self: np.ndim(plain(self)))
    size = property(lambda self: np.size(plain(self)))
    dtype = property(lambda self: plain(self).dtype)
    T = property(lambda self: np.transpose(self))

    def reshape(self, *shape: Any) -> Any:
        return np.reshape(self, shape[0] if len(shape) == 1 else shape)

    def astype(self, dtype: Any) -> Any:
        return RULES["cast"].function(self, np.dtype(dtype))


def _dispatch(called: Any, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    if any(isinstance(v, Tensor) for v in kwargs.values()):
        checks.fail(called.__name__, "a tensor", "come as a positional argument", "a keyword argument")
    if function in RULES:
        return RULES[function].apply(args, kwargs)
    if function in REWRITES:
        return REWRITES[function](*args, **kwargs)
    if function in CONSTANT:
        return function(*map(plain, args), **kwargs)
    return checks.fail(called.__name__, "it", "have a rule in chapters_src.networks.operations", "none")


def plain(value: Any) -> Any:
    """The array inside any number of tensors."""
    while isinstance(value, Tensor):
        value = value.value
    return value


def leaf(function: str, name: str, value: Any) -> Any:
    """A value to differentiate at: a float array as it is, integers as float64, a tensor as it is."""
    if isinstance(value, Tensor):
        return value
    checked = checks.array(function, name, value)
    return value if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind == "f" else checked


def like(adjoint: Any, value: Any) -> Any:
    """An adjoint in the precision of the value it belongs to, in memory of its own; zeros for None."""
    dtype = plain(value).dtype
    if adjoint is None:
        return np.zeros(np.shape(plain(value)), dtype)[()]
    if isinstance(adjoint, Tensor):
        return adjoint if adjoint.dtype == dtype else adjoint.astype(dtype)
    return np.array(adjoint, dtype)[()]
