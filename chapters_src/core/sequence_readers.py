"""How an argument is read that holds several things: a sequence, or something to loop over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chapters_src.core.readers import Ask, Reader, described

__all__ = ["iterable", "sequence"]


def iterable(ask: Ask, value: Any) -> Any:
    """Something to loop over."""
    ask.require(isinstance(value, Iterable), "be something to loop over", described(value))
    return value


def sequence(entry: Reader | None, kind: str) -> Reader:
    """A list of what is in a list, a tuple, an array or a tensor, each entry read by its own reader."""
    what = {"int": " of whole numbers", "float": " of numbers", "str": " of texts"}.get(kind, "")

    def entries(ask: Ask, value: Any) -> list[Any]:
        try:
            # A text is a sequence of texts to Python, and never what was meant.
            listed = None if isinstance(value, (str, bytes)) else _listed(value)
        except (TypeError, RuntimeError):  # a tensor without values
            listed = None
        if listed is None:
            ask.fail(f"be a sequence{what}", described(value))
        if kind == "int" and entry is not None and len(listed) > 2 and set(map(type, listed)) == {int}:
            # A long list is judged by its ends, because asking every number takes longer than counting them.
            for end in (min(listed), max(listed)):
                entry(ask, end)
            return listed
        return listed if entry is None else [entry(ask, one) for one in listed]

    return entries


def _listed(value: Any) -> list[Any] | None:
    if isinstance(value, (set, dict)):
        return None  # these have no order
    listed = value.tolist() if hasattr(value, "tolist") else list(value)
    return listed if isinstance(listed, list) else None
