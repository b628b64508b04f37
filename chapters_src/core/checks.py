"""What every public function says to bad input: `function: argument must <rule>; got <what came>`."""

from __future__ import annotations

import numbers
from typing import Any, NoReturn

import numpy as np

from chapters_src.core import readers

__all__ = [
    "array",
    "fail",
    "generator",
    "integer",
    "matrix",
    "number",
    "same_shape",
    "vector",
    "vector_or_matrix",
]


def fail(function: str, name: str, rule: str, got: object) -> NoReturn:
    """Raise the `ValueError` all checks raise."""
    raise ValueError(f"{function}: {name} must {rule}; got {got}")


def array(function: str, name: str, value: Any) -> np.ndarray:
    """Read anything numpy can as a float64 array of finite numbers, copying only if it has to."""
    try:
        return readers.numeric_array(readers.Ask(name), value)
    except readers.Refusal as refusal:
        raise readers.Refusal(name, refusal.rule, refusal.got, function) from None


def vector(
    function: str, name: str, value: Any, *, length: int | None = None, per: str | None = None
) -> np.ndarray:
    """Read a vector; `length` and `per` (as in "row of X") say how long it has to be, and why."""
    result = array(function, name, value)
    if length is not None:
        reason = f", one per {per}" if per else ""
        if result.shape != (length,):
            fail(function, name, f"have shape ({length},){reason}", result.shape)
    elif result.ndim != 1:
        fail(function, name, "have one axis, shape (n,)", f"shape {result.shape}")
    return result


def matrix(
    function: str,
    name: str,
    value: Any,
    *,
    rows: int | None = None,
    columns: int | None = None,
    per: str | None = None,
) -> np.ndarray:
    """Read a matrix; `rows` and `columns` fix its sides, and `per` says why."""
    result = array(function, name, value)
    if rows is None and columns is None:
        if result.ndim != 2:
            fail(function, name, "have two axes, shape (n, d)", f"shape {result.shape}")
        return result
    fits = result.ndim == 2 and rows in (None, result.shape[0]) and columns in (None, result.shape[1])
    if not fits:
        reason = f", one per {per}" if per else ""
        shape = f"({'n' if rows is None else rows}, {'d' if columns is None else columns})"
        fail(function, name, f"have shape {shape}{reason}", result.shape)
    return result


def vector_or_matrix(
    function: str, name: str, value: Any, *, rows: int | None = None, per: str | None = None
) -> np.ndarray:
    """Read a vector or a matrix with `rows` rows: one output, or several side by side."""
    result = array(function, name, value)
    if result.ndim not in (1, 2) or rows not in (None, result.shape[0]):
        n = "n" if rows is None else rows
        reason = f", one per {per}" if per else ""
        # Whoever passes one axis meant one output; a mention of (n, k) would only distract.
        shape = f"({n},)" if result.ndim == 1 else f"({n},) or ({n}, k)"
        fail(function, name, f"have shape {shape}{reason}", result.shape)
    return result


def same_shape(function: str, name: str, value: Any, *, as_name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Read an array that has to have the shape of another argument, so that nothing is broadcast."""
    result = array(function, name, value)
    if result.shape != shape:
        fail(function, name, f"have shape {shape}, the shape of {as_name}", result.shape)
    return result


def number(
    function: str,
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
) -> float:
    """Read one finite real number in a range."""
    bounds = [("above", above), ("at least", at_least), ("below", below), ("at most", at_most)]
    limits = " and ".join(f"{word} {bound:g}" for word, bound in bounds if bound is not None)
    rule = "be " + (limits or "a finite number")
    result = readers.as_real(value)
    if result is None:
        fail(function, name, f"be a number {limits}".rstrip(), readers.described(value))
    inside = (
        np.isfinite(result)
        and (above is None or result > above)
        and (at_least is None or result >= at_least)
        and (below is None or result < below)
        and (at_most is None or result <= at_most)
    )
    if not inside:
        fail(function, name, rule if np.isfinite(result) else f"be a finite number {limits}".rstrip(), value)
    return result


def integer(
    function: str, name: str, value: Any, *, at_least: int | None = None, at_most: int | None = None
) -> int:
    """Read one whole number in a range; 3.0 is refused, because a count is never a float."""
    bounds = [("at least", at_least), ("at most", at_most)]
    limits = " and ".join(f"{word} {bound}" for word, bound in bounds if bound is not None)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        fail(function, name, f"be a whole number {limits}".rstrip(), readers.described(value))
    result = int(value)
    if (at_least is not None and result < at_least) or (at_most is not None and result > at_most):
        fail(function, name, f"be {limits}", result)
    return result


def generator(function: str, name: str, value: Any) -> np.random.Generator:
    """Insist on an explicit `numpy.random.Generator`."""
    if not isinstance(value, np.random.Generator):
        fail(function, name, "be a numpy.random.Generator, as from default_rng(0)", readers.described(value))
    return value
