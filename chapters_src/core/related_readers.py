"""Readers of numbers that the arguments before them decide about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chapters_src.core.readers import Ask, Reader, at_least, between, whole

__all__ = ["divides", "within"]


def within(low: int, high: Callable[[dict[str, Any]], int]) -> Reader:
    """A whole number from one bound to another that the arguments before it decide."""

    def number(ask: Ask, value: Any) -> int:
        return whole(ask, value, between(low, high(ask.arguments)))

    return number


def divides(other: str) -> Reader:
    """A whole number that divides another argument."""

    def divisor(ask: Ask, value: Any) -> int:
        if ask.arguments[other] % whole(ask, value, at_least(1)):
            ask.fail(f"divide {other} = {ask.arguments[other]}", value)
        return value

    return divisor
