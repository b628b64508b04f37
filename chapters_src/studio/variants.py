"""Other versions of a derivation's line: checked as the line itself was, and deliberately wrong ones."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chapters_src.studio.derivation_view import latex_name

if TYPE_CHECKING:
    from chapters_src.studio.derivation import Derivation, Line

__all__ = ["Broken", "Variant", "follow", "wrong_variant"]

METHODS = {
    "=": "equals",
    "≤": "at_most",
    "≥": "at_least",
    "∝": "proportional_to",
    "argmin": "same_minimiser",
}
# What is done to a line that brings no break of its own; a proportionality forgives a sign or a factor.
SIMPLE = (
    (r"-\left({}\right)", lambda value: -value),
    (r"2\left({}\right)", lambda value: 2 * value),
    (r"\left({}\right)^2", lambda value: value**2),
)


@dataclass(frozen=True)
class Variant:
    """Another formula for a line, with its function where the formula does not run by itself."""

    latex: str
    fn: Callable[..., Any] | None = None
    because: str = ""


class Broken(NamedTuple):
    """A wrong version of a line, and what the check says to it."""

    latex: str
    message: str


def follow(derivation: Derivation, lines: Sequence[Line], line: Line, variant: Variant | None = None) -> None:
    """Check ``line``, or a variant of it, after ``lines``, as the derivation checks its own lines.

    Raises the derivation's own error if the line does not follow. The derivation is left as it is.
    """
    twin = copy.copy(derivation)
    twin.lines = list(lines)
    method = getattr(twin, METHODS[line.relation])
    latex, fn = (variant.latex, variant.fn) if variant else (line.latex, _own_function(line))
    known = inspect.signature(method).parameters
    options: dict[str, Any] = {"because": (variant.because if variant else "") or line.because}
    options |= {name: line.variable for name in ("of", "over") if name in known}
    # what else a line may be declared with: where a bound is tight, that it is a definition, …
    declared = set(known) - {"latex", "fn", *options}
    options |= {name: getattr(line, name) for name in declared if hasattr(line, name)}
    method(latex, **({} if fn is None else {"fn": fn}), **options)


def wrong_variant(derivation: Derivation, at: int) -> Broken | None:
    """A wrong version of line ``at`` (from 2 on) that the check refuses; None if it refuses none of them."""
    from chapters_src.studio.derivation import DerivationError

    line = derivation.lines[at - 1]
    for variant in _candidates(line):
        try:
            follow(derivation, derivation.lines[: at - 1], line, variant)
        except DerivationError as error:
            return Broken(variant.latex, str(error))
        except ValueError:  # a formula that the derivation cannot read, or refuses for another reason
            continue
    return None


def _candidates(line: Line) -> Iterator[Variant]:
    """The line's own breaks first, then those of its formula, then simple ones."""
    for given in getattr(line, "breaks", None) or ():
        if isinstance(given, Variant):
            yield given
        elif isinstance(given, str):
            yield Variant(given)
        elif callable(given):
            yield Variant(line.latex, given)
        else:
            yield Variant(*given)
    mutations = getattr(getattr(line, "formula", None), "mutations", None)
    if mutations is not None:
        yield from (Variant(str(mutation)) for mutation in mutations())
    own = _own_function(line)
    if line.relation == "argmin":
        yield _pulled_to_zero(line, own)
    else:
        for latex, change in SIMPLE:
            yield Variant(latex.replace("{}", line.latex), _changed(own, change) if own else None)


def _pulled_to_zero(line: Line, own: Callable[..., Any] | None) -> Variant:
    """The line plus ‖x‖², whose least place is another but still exists: the search for it stays short."""
    latex = rf"{line.latex}+\lVert {latex_name(line.variable)}\rVert^2"
    if own is None:
        return Variant(latex)

    @functools.wraps(own)
    def wrong(*args: Any, **inputs: Any) -> Any:
        return own(*args, **inputs) + np.sum(np.square(inputs[line.variable]))

    return Variant(latex, wrong)


def _own_function(line: Line) -> Callable[..., Any] | None:
    return None if getattr(line, "origin", "code") == "formula" else line.fn


def _changed(fn: Callable[..., Any], change: Callable[[Any], Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def wrong(*args: Any, **inputs: Any) -> Any:
        value = fn(*args, **inputs)
        return (
            type(value)(change(entry) for entry in value)
            if isinstance(value, (list, tuple))
            else change(value)
        )

    return wrong
