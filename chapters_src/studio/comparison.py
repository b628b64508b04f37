"""Two values side by side: how far apart they are, and how to write them in a sentence."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["as_numbers", "largest", "relative_disagreement", "shown"]

TINY = 1e-300  # below it float64 loses digits, and a ratio says nothing


def as_numbers(value: Any) -> np.ndarray:
    """The value as a float64 (or complex) array; TypeError if it is not made of numbers."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O" and all(isinstance(entry, numbers.Real) for entry in array.flat):
            array = array.astype(float)  # fractions
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"{shown(value)} is not made of numbers") from None
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{shown(value)} is not made of numbers")
    return array if array.dtype.kind == "c" else array.astype(float)


def largest(value: np.ndarray) -> float:
    """max |vᵢ|."""
    return float(np.abs(value).max())


def relative_disagreement(a: np.ndarray, b: np.ndarray) -> float:
    """max|a − b| / max(max|a|, max|b|), and 0 for zero against zero."""
    return largest(a - b) / max(largest(a), largest(b), TINY)


def shown(value: Any, limit: int = 160) -> str:
    """The value as short text: numbers to 6 digits, big arrays by shape, never a memory address."""
    text = _shown(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _shown(value: Any) -> str:
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if value is None or value is ... or value is NotImplemented or isinstance(value, (str, np.str_)):
        return repr(value)
    if isinstance(value, (Fraction, numbers.Integral)):
        return str(value)
    if isinstance(value, numbers.Real):
        return repr(float(f"{float(value):.6g}"))
    if isinstance(value, numbers.Complex):
        return f"{complex(value):.6g}"
    if isinstance(value, np.ndarray):
        if value.size > 12:
            first = ", ".join(_shown(entry) for entry in value.ravel()[:3].tolist())
            return f"an array of shape {value.shape} that begins {first}"
        return _shown(value.tolist()) if value.ndim and value.size else _empty_or_scalar(value)
    if isinstance(value, (list, tuple)):
        left, right = "[]" if isinstance(value, list) else "()"
        return left + ", ".join(_shown(entry) for entry in value) + right
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_shown(key)}: {_shown(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, type) or callable(value):
        return (
            f"the {'class' if isinstance(value, type) else 'function'} {getattr(value, '__name__', 'given')}"
        )
    return f"a {type(value).__name__}"


def _empty_or_scalar(value: np.ndarray) -> str:
    return _shown(value.item()) if value.size else f"an empty array of shape {value.shape}"
