"""Refusals of the machinery: who refused, which argument, the rule, and what came."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from chapters_src.core import readers
from chapters_src.core.readers import Ask, Limits, Refusal

__all__ = ["fail", "integer", "number"]


def fail(function: str, name: str, rule: str, got: object) -> NoReturn:
    """Refuse an argument."""
    raise Refusal(name, rule, got, function)


def number(function: str, name: str, value: Any, **limits: float | None) -> float:
    """One finite real number in a range: above, at_least, below, at_most."""
    return _read(function, name, value, readers.real, limits)


def integer(function: str, name: str, value: Any, **limits: int | None) -> int:
    """One whole number in a range; 3.0 is refused, because a count is never a float."""
    return _read(function, name, value, readers.whole, limits)


def _read(function: str, name: str, value: Any, reader: Callable[..., Any], limits: dict[str, Any]) -> Any:
    try:
        return reader(Ask(name), value, Limits(**limits))
    except Refusal as refusal:
        raise Refusal(name, refusal.rule, refusal.got, function) from None
