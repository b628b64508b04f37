"""Algebra by shape: a vector is a column, a row is a 1 × n matrix, and what does not fit is refused.

The same code runs on numpy arrays and, where a derivative is wanted, on torch tensors.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.special

Array = Any  # a float64 ndarray or tensor

SIDE_BY_SIDE = "puts two vectors side by side: x^\\top y, xy^\\top or x\\odot y?"


class Misfit(ValueError):
    """Values that do not fit together; the message says why."""


@dataclass(frozen=True)
class Library:
    """Where the functions on arrays come from."""

    xp: Any
    array: Callable[[Any], Array]
    logistic: Callable[[Array], Array]


NUMPY = Library(np, lambda value: np.asarray(value, dtype=float), scipy.special.expit)


@cache
def torch_library() -> Library:
    """The library whose results can be differentiated."""
    import torch

    def array(value: Any) -> Array:
        return value if isinstance(value, torch.Tensor) else torch.tensor(np.asarray(value, dtype=float))

    return Library(torch, array, torch.sigmoid)


@dataclass(frozen=True)
class Flexible:
    """An identity or a vector of ones whose sizes are not known yet (None in ``sides``)."""

    sides: tuple[int | None, ...]
    make: Callable[[tuple[int, ...]], Array]
    square: bool = False

    @property
    def ndim(self) -> int:
        return len(self.sides)

    def sized(self, shape: tuple[int, ...]) -> Array:
        """The array of that shape, or Misfit."""
        fits = len(shape) == self.ndim and all(s in (None, n) for s, n in zip(self.sides, shape, strict=True))
        if not fits or (self.square and shape[0] != shape[1]):
            raise Misfit(f"has a part that would have to be of shape {shape}")
        return self.make(shape)

    def changed(self, change: Callable[[Array], Array]) -> Flexible:
        """The same sizes, with every entry changed."""
        return Flexible(self.sides, lambda shape: change(self.make(shape)), self.square)


def shape(value: Any) -> tuple[int, ...]:
    if isinstance(value, Flexible):
        raise Misfit("has an identity or ones of a size that nothing tells")
    return tuple(value.shape)


def add(a: Any, b: Any, op: Callable[[Any, Any], Any] = operator.add) -> Any:
    """a + b. A number is added to every entry of a vector, a vector or row to every row of a matrix."""
    if isinstance(a, Flexible) or isinstance(b, Flexible):
        return _add_flexible(a, b, op)
    if a.shape == b.shape:
        return op(a, b)
    small, large = (a, b) if a.ndim < b.ndim or a.shape[:1] == (1,) else (b, a)
    number = small.ndim == 0 and (large.ndim == 1 or (large.ndim == 2 and large.shape[0] != large.shape[1]))
    row = (
        large.ndim == 2
        and small.ndim > 0
        and small.shape[-1] == large.shape[1]
        and small.shape[:-1] in ((), (1,))
    )
    if number or row:
        return op(a, b)
    if small.ndim == 0 and large.ndim == 2:
        raise Misfit("adds a number to a square matrix: to every entry, or times I?")
    raise Misfit(f"adds shapes {tuple(a.shape)} and {tuple(b.shape)}")


def _add_flexible(a: Any, b: Any, op: Callable[[Any, Any], Any]) -> Any:
    if isinstance(a, Flexible) and isinstance(b, Flexible):
        if a.ndim != b.ndim:
            raise Misfit("adds things of different kinds")
        sides = tuple(x or y for x, y in zip(a.sides, b.sides, strict=True))
        return Flexible(sides, lambda s: op(a.sized(s), b.sized(s)), a.square or b.square)
    flexible, other = (a, b) if isinstance(a, Flexible) else (b, a)
    if other.ndim == 0 and flexible.ndim == 1:
        return flexible.changed(lambda made: op(made, b) if flexible is a else op(a, made))
    if other.ndim != flexible.ndim:
        raise Misfit("adds an identity or ones to something of another kind")
    made = flexible.sized(shape(other))
    return op(made, b) if flexible is a else op(a, made)


def multiply(a: Any, b: Any) -> Any:
    """a b: scalar, matrix, inner or outer product, whichever the shapes allow."""
    if a.ndim == 0 or b.ndim == 0:
        if isinstance(a, Flexible):
            return a.changed(lambda made: made * b)
        return b.changed(lambda made: a * made) if isinstance(b, Flexible) else a * b
    if isinstance(a, Flexible) or isinstance(b, Flexible):
        return _multiply_flexible(a, b)
    if a.ndim == 1 and b.ndim == 1:
        raise Misfit(SIDE_BY_SIDE)
    if a.ndim > 2 or b.ndim > 2:
        raise Misfit("multiplies arrays with more than two axes")
    if a.ndim == 1:
        if b.shape[0] != 1:
            raise Misfit(
                f"multiplies a column of {a.shape[0]} by a matrix {tuple(b.shape)}: is a ^\\top missing?"
            )
        return a[:, None] * b
    if a.shape[1] != b.shape[0]:
        raise Misfit(f"multiplies shapes {tuple(a.shape)} and {tuple(b.shape)}")
    product = a @ b
    return product[0] if b.ndim == 1 and a.shape[0] == 1 else product


def _multiply_flexible(a: Any, b: Any) -> Any:
    rows = a.sides if isinstance(a, Flexible) else tuple(a.shape)
    columns = b.sides if isinstance(b, Flexible) else tuple(b.shape)
    if len(rows) == 1:
        if len(columns) == 1:
            raise Misfit(SIDE_BY_SIDE)
        if columns[0] != 1:
            raise Misfit("multiplies a column by a matrix: is a ^\\top missing?")
        return _resolve((rows[0], columns[1]), lambda s: multiply(_made(a, (s[0],)), _made(b, (1, s[1]))))
    inner = (
        rows[1]
        or columns[0]
        or (rows[0] if _is_square(a) else None)
        or (columns[-1] if _is_square(b) else None)
    )
    if isinstance(a, Flexible) and a.square and isinstance(b, Flexible) and b.square:
        return Flexible((None, None), lambda s: multiply(a.sized(s), b.sized(s)), True)
    if inner is None:
        raise Misfit("has an identity or ones of a size that nothing tells")
    first = inner if _is_square(a) else rows[0]
    if len(columns) == 1:
        return _resolve((first,), lambda s: multiply(_made(a, (s[0], inner)), _made(b, (inner,))))
    last = inner if _is_square(b) else columns[1]
    return _resolve((first, last), lambda s: multiply(_made(a, (s[0], inner)), _made(b, (inner, s[1]))))


def _is_square(value: Any) -> bool:
    return isinstance(value, Flexible) and value.square


def _made(value: Any, wanted: tuple[int, ...]) -> Array:
    return value.sized(wanted) if isinstance(value, Flexible) else value


def _resolve(sides: tuple[int | None, ...], make: Callable[[tuple[int, ...]], Array]) -> Any:
    known = tuple(side for side in sides if side is not None)
    return make(known) if len(known) == len(sides) else Flexible(sides, make)


def divide(a: Any, b: Any) -> Any:
    """a / b: by a number, or entry by entry where the denominator is a vector."""
    if isinstance(b, Flexible):
        raise Misfit("divides by something of unknown size")
    if b.ndim == 0:
        return a.changed(lambda made: made / b) if isinstance(a, Flexible) else a / b
    if b.ndim == 1 and not isinstance(a, Flexible) and a.shape in ((), b.shape):
        return a / b
    raise Misfit("divides by a matrix or by a vector of another shape: an inverse, or \\oslash?")


def entrywise(op: str, a: Any, b: Any, library: Library) -> Any:
    """⊙ or ⊘ of equal shapes, or ⊗."""
    if op == "otimes":
        return library.xp.kron(*(x[:, None] if len(shape(x)) == 1 else x for x in (a, b)))
    a, b = _made(a, shape(b)) if isinstance(a, Flexible) else a, b
    b = _made(b, shape(a))
    if a.shape != b.shape:
        raise Misfit(f"takes entry by entry shapes {tuple(a.shape)} and {tuple(b.shape)}")
    return a * b if op == "odot" else a / b


def transpose(a: Any) -> Any:
    """A column becomes a row and a row a column."""
    if isinstance(a, Flexible):
        if a.ndim == 1:
            return Flexible((1, a.sides[0]), lambda s: a.make((s[1],))[None, :])
        return Flexible(a.sides[::-1], lambda s: a.make(s[::-1]).T, a.square)
    if a.ndim == 0:
        return a
    if a.ndim == 1:
        return a[None, :]
    if a.ndim > 2:
        raise Misfit("transposes an array with more than two axes")
    return a[0] if a.shape[0] == 1 else a.T


def power(base: Any, exponent: Any, library: Library) -> Any:
    """A number to a power, an inverse, a whole power of a square matrix, or its symmetric root."""
    if isinstance(base, Flexible):
        return base.changed(lambda made: power(made, exponent, library))
    if base.ndim == 0:
        return base**exponent
    if base.ndim != 2 or base.shape[0] != base.shape[1] or exponent.ndim:
        raise Misfit(f"is a power of shape {tuple(base.shape)}: entry by entry is written ^{{\\odot2}}")
    by = float(exponent)
    if by.is_integer():
        return library.xp.linalg.matrix_power(base, int(by))
    if float(library.xp.max(library.xp.abs(base - base.T))) > 1e-12 * float(
        library.xp.max(library.xp.abs(base))
    ):
        raise Misfit("is a root of a matrix that is not symmetric")
    values, vectors = library.xp.linalg.eigh(base)
    return (vectors * values**by) @ vectors.T


def norm(a: Any, kind: str, library: Library, squared: bool = False) -> Any:
    """The 1-, 2- or ∞-norm of a vector, the Frobenius or spectral norm of a matrix, or its square."""
    xp, row = library.xp, len(shape(a)) == 2 and a.shape[0] == 1
    if a.ndim == 2 and not row and kind not in ("F", "2"):
        raise Misfit("is the norm of a matrix: which one? _F or _2")
    if a.ndim > 2 or (a.ndim < 2 and kind == "F"):
        raise Misfit(f"has a norm of shape {tuple(a.shape)}")
    if a.ndim == 2 and kind == "2" and not row:
        length = xp.linalg.matrix_norm(a, ord=2)
    elif kind in ("1", "inf"):
        length = xp.sum(xp.abs(a)) if kind == "1" else xp.max(xp.abs(a))
    else:
        total = xp.sum(a * a)
        return total if squared else xp.sqrt(total)
    return length**2 if squared else length
