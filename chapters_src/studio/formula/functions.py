"""The functions that a formula may use without declaring them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from chapters_src.studio.formula.arrays import (
    Array,
    Flexible,
    Library,
    Misfit,
    add,
    multiply,
    shape,
    transpose,
)

ENTRY_BY_ENTRY = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "sign", "sqrt")


def call(name: str, arguments: list[Any], library: Library) -> Any:
    """A built-in function of its arguments."""
    if name in ("max", "min"):
        return _extreme(name, arguments, library)
    if name == "normal_density":
        return library.xp.exp(log_normal_density(arguments, library))
    if name == "binom":
        return library.array(math.comb(*(_whole(name, argument) for argument in arguments)))
    if name == "diag" and len(arguments) > 1:
        return library.xp.diag(library.xp.stack(arguments))
    if len(arguments) != 1:
        raise Misfit(f"has {len(arguments)} arguments; {name} takes one")
    a = arguments[0]
    shape(a)
    if name in ENTRY_BY_ENTRY:
        return getattr(library.xp, name)(a)
    return ONE_ARGUMENT[name](a, library)


def _exp_log(name: str) -> Callable[[Array, Library], Array]:
    def of(a: Array, library: Library) -> Array:
        if a.ndim == 2 and a.shape[0] == a.shape[1] > 1:
            raise Misfit(f"is the {name} of a square matrix: entry by entry, or the matrix function?")
        return getattr(library.xp, name)(a)

    return of


def _square(a: Array) -> Array:
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise Misfit(f"needs a square matrix; got shape {tuple(a.shape)}")
    return a


def _softmax(a: Array, library: Library) -> Array:
    """Of a vector, or of each row of a matrix."""
    if a.ndim not in (1, 2):
        raise Misfit(f"is the softmax of shape {tuple(a.shape)}")
    xp = library.xp
    largest = xp.max(a) if a.ndim == 1 else xp.stack([xp.max(row) for row in a])[:, None]
    weights = xp.exp(a - largest)
    return weights / (xp.sum(weights) if a.ndim == 1 else xp.sum(weights, 1)[:, None])


def _diag(a: Array, library: Library) -> Array:
    if a.ndim == 1 or (a.ndim == 2 and a.shape[0] == a.shape[1]):
        return library.xp.diag(a)
    raise Misfit(f"is the diagonal of shape {tuple(a.shape)}")


def _extreme(name: str, arguments: list[Any], library: Library) -> Any:
    if len(arguments) == 1:
        if len(shape(arguments[0])) == 0:
            raise Misfit(f"is the {name} of one number")
        return getattr(library.xp, name)(arguments[0])
    result = arguments[0]
    for other in arguments[1:]:
        result = add(result, other, library.xp.maximum if name == "max" else library.xp.minimum)
    return result


def _whole(name: str, a: Array) -> int:
    if a.ndim or not float(a).is_integer() or float(a) < 0:
        raise Misfit(f"needs whole numbers for {name}; got {a}")
    return int(a)


def log_normal_density(arguments: list[Any], library: Library) -> Any:
    """log N(x; μ, Σ), where Σ is a variance for a number x and a covariance matrix for a vector."""
    if len(arguments) != 3:
        raise Misfit(f"is a normal density with {len(arguments)} arguments; it takes x, mean and variance")
    x, mean, spread = arguments
    off = add(x, mean, lambda a, b: a - b)
    if isinstance(spread, Flexible):
        spread = spread.sized(shape(off) * 2)
    xp = library.xp
    if off.ndim == 0 and spread.ndim == 0:
        return -(off**2) / (2 * spread) - xp.log(2 * math.pi * spread) / 2
    if off.ndim != 1 or tuple(spread.shape) != tuple(off.shape) * 2:
        raise Misfit(f"is a normal density of shape {tuple(off.shape)} with variance {tuple(spread.shape)}")
    distance = multiply(multiply(transpose(off), xp.linalg.inv(spread)), off)
    return -(distance + xp.linalg.slogdet(2 * math.pi * spread)[1]) / 2


ONE_ARGUMENT: dict[str, Callable[[Any, Library], Any]] = {
    "exp": _exp_log("exp"),
    "log": _exp_log("log"),
    "ln": _exp_log("log"),
    "det": lambda a, library: library.xp.linalg.det(_square(a)),
    "tr": lambda a, library: library.xp.trace(_square(a)),
    "diag": _diag,
    "softmax": _softmax,
    "sigma": lambda a, library: library.logistic(a),
    "ReLU": lambda a, library: library.xp.where(a > 0, a, 0 * a),
    "relu": lambda a, library: library.xp.where(a > 0, a, 0 * a),
    "factorial": lambda a, library: library.array(math.factorial(_whole("factorial", a))),
}
