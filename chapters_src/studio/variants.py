"""Other versions of a derivation's line: checked as the line itself was, and deliberately wrong ones."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chapters_src.studio.derivation_view import latex_name

if TYPE_CHECKING:
    from chapters_src.studio.derivation import Derivation, Line

__all__ = ["Broken", "Variant", "first_lines", "follow", "wrong_variant"]

METHODS = {
    "=": "equals",
    "≤": "at_most",
    "≥": "at_least",
    "∝": "proportional_to",
    "argmin": "same_minimiser",
}
DECLARED = {"by_definition": True, "never_tight": "it is a variant"}
PER_LINE = {"lines", "steps", "values", "problems"}  # what a derivation keeps for each of its lines
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


def follow(derivation: Derivation, upto: int, line: Line, variant: Variant | None = None) -> None:
    """Check ``line``, or a variant of it, after the first ``upto`` lines, as the derivation checks its own.

    Raises the derivation's own error if the line does not follow. The derivation is left as it is.
    """
    twin = first_lines(derivation, upto)
    method = getattr(twin, METHODS[line.relation])
    latex, fn = (variant.latex, variant.fn) if variant else (line.latex, _own_function(line))
    known = inspect.signature(method).parameters
    options: dict[str, Any] = {"because": (variant.because if variant else "") or line.because}
    options |= {name: line.variable for name in ("of", "over") if name in known}
    # what a line must declare for its own sake: here only what it says is looked at
    options |= {name: told for name, told in DECLARED.items() if name in known}
    method(latex, **({} if fn is None else {"fn": fn}), **options)


def first_lines(derivation: Derivation, upto: int) -> Derivation:
    """A derivation with the first lines of this one, to which others can be added."""
    twin = copy.copy(derivation)
    for name, value in vars(derivation).items():
        if isinstance(value, list) and name in PER_LINE:
            setattr(twin, name, value[:upto])
    return twin


def wrong_variant(derivation: Derivation, at: int) -> Broken | None:
    """A wrong version of line ``at`` (from 2 on) that the check refuses; None if it refuses none of them."""
    from chapters_src.studio.derivation import DerivationError

    line = derivation.lines[at - 1]
    recorded = getattr(line, "broken", None)
    if recorded is not None:
        return Broken(recorded.latex, recorded.says)
    for variant in _candidates(derivation, line):
        try:
            follow(derivation, at - 1, line, variant)
        except DerivationError as error:
            return Broken(variant.latex, str(error))
    return None


def _candidates(derivation: Derivation, line: Line) -> Iterator[Variant]:
    """Breaks of the line's formula, if it is run, then simple ones of the whole line."""
    mutations = getattr(getattr(line, "formula", None), "mutations", None)
    if mutations is not None:
        yield from (Variant(formula.latex) for _, formula in mutations(derivation.draws[0]))
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
