"""A number the prose states, asserted where it is stated."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from chapters_src.studio.checks import fail, number
from chapters_src.studio.comparison import as_numbers, shown
from chapters_src.studio.reading import decimals_of, read_number
from chapters_src.studio.typeset import bundle

__all__ = ["Claim", "ClaimError", "claim"]

MOST_DIGITS = 6  # significant ones; a sentence needs no more, and says so with ``written`` if it does


class ClaimError(AssertionError):
    """A stated number that is not so."""


@dataclass(frozen=True)
class Claim:
    """A claim that held; the value is rounded to the claim's precision and prints the same everywhere."""

    what: str
    value: str
    stated: str
    prose: str = ""  # JSON for the build of the site: what to look for in the sentence
    relation: str = "="

    def __str__(self) -> str:
        end = f"✓ claimed {self.stated}" if self.stated else "not compared, because the data are others"
        return f"{self.what} {self.relation} {self.value}  {end}"

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        if not self.stated:
            return bundle(str(self), f"<p>{html.escape(str(self))}</p>")
        site = (
            f'<p class="studio-claim" data-prose="{html.escape(self.prose)}">'
            f'<span class="studio-what">{html.escape(self.what)}</span> {html.escape(self.relation)} '
            f'<span class="studio-value">{html.escape(self.value)}</span> '
            f'<span class="studio-stated"><span aria-hidden="true">✓</span> claimed '
            f"{html.escape(self.stated)}</span></p>"
        )
        return bundle(str(self), site)


def claim(
    what: str,
    value: Any,
    *,
    equals: Any = None,
    within: float | None = None,
    at_most: float | None = None,
    at_least: float | None = None,
    unit: str = "",
    written: str | Sequence[str] = (),
    shown: int | None = None,
    given: bool = True,
) -> Claim:
    """Raise ClaimError unless the value is what is claimed.

    ``equals`` may be a number, a Fraction, an array, a bool or a string; wherever floats are compared,
    ``within`` says how closely. ``at_most`` and ``at_least`` may be given together. ``written`` is how the
    sentence puts it where that is not the number itself: "1.6 × 10¹⁰", "ten times", "never". ``shown``
    decimals are printed where the margin would leave fewer. ``given`` says whether the data are those that
    the sentence is about (some come with Python); if not, the value is shown and nothing is compared.
    """
    phrases = [written] if isinstance(written, str) else list(written)
    bounds = {"at most": at_most, "at least": at_least}
    limits = {word: number("claim", word, bound) for word, bound in bounds.items() if bound is not None}
    if (equals is None) == (not limits):
        fail(
            "claim", "the claim", "be either equals, or at_most and at_least", "both" if limits else "neither"
        )
    if limits and within is not None:
        fail("claim", "within", "go with equals", within)
    suffix = f" {unit}" if unit else ""
    if not given:
        return Claim(what, f"{_full(value)}{suffix}", "")
    if limits:
        stated = " and ".join(f"{word} {_exactly(bound)}{suffix}" for word, bound in limits.items())
        holds = _within_bounds(value, at_most, at_least)
        decimals: int | None = max(_decimals_of_bound(bound, value) for bound in limits.values())
        decimals = _few(decimals, value) if holds else decimals
    else:
        decimals = _check_within(value, equals, within)
        holds = _equal(value, equals, within)
        decimals = _few(decimals, equals) if holds else decimals
        margin = f" ± {_exactly(within)}" if within is not None else ""
        stated = f"{_as_stated(equals, decimals)}{margin}{suffix}"
    if not holds:
        raise ClaimError(f"{what} = {_full(value)}{suffix}, but claimed {stated}")
    targets = _targets(value if limits else equals, within, decimals if limits else None)
    if len(phrases) == 1 and len(targets) == 1:
        decimals = _as_written(what, phrases[0], unit, targets[0], decimals, list(limits.values()))
    if shown is not None:
        if decimals is None or shown < decimals:
            fail("claim", "shown", "be more decimals than the margin leaves", shown)
        decimals = shown
    prose = {"targets": targets, "otherwise": [float(bound) for bound in limits.values()]}
    prose["written"] = phrases or ([equals] if isinstance(equals, str) else [])
    told = json.dumps(prose, ensure_ascii=False)
    if any(limits.values()) and decimals is not None and _rounds_to_zero(value, decimals):
        return Claim(what, f"{10.0**-decimals:g}{suffix}", stated, told, "<")  # "= 0" would claim too much
    return Claim(what, f"{_rounded(value, decimals)}{suffix}", stated, told)


def _rounds_to_zero(value: Any, decimals: int) -> bool:
    """Whether floats are all too small for their digits. A count is what it is."""
    return _has_floats(value) and round(float(np.abs(as_numbers(value)).max()), decimals) == 0


def _few(decimals: int | None, stated: Any) -> int | None:
    """At most ``MOST_DIGITS`` significant digits of the largest entry."""
    if decimals is None or isinstance(stated, (bool, np.bool_, str)):
        return decimals
    size = float(np.abs(as_numbers(stated)).max(initial=0)) * (1 + 1e-9)  # 9.999… is 10 on another machine
    return decimals if size == 0 else min(decimals, MOST_DIGITS - 1 - math.floor(math.log10(size)))


def _targets(stated: Any, within: float | None, decimals: int | None) -> list[list[float]]:
    """For each number of the claim: itself, and how far a number in the prose may be from it."""
    if isinstance(stated, (bool, np.bool_, str)):
        return []
    numbers = as_numbers(stated)
    if np.iscomplexobj(numbers):
        return []
    slack = within if within is not None else 0.0 if decimals is None else 0.5 * 10.0**-decimals
    return [[one, slack] for one in dict.fromkeys(numbers.ravel().tolist())]


def _as_written(
    what: str, phrase: str, unit: str, target: list[float], decimals: int | None, bounds: list[float]
) -> int | None:
    """Hold a written number to the claim; return how many decimals it shows."""
    told = read_number(phrase, unit)
    if told is None:
        return decimals
    shown_decimals = decimals_of(phrase)
    near = max(target[1], 0.5 * 10.0**-shown_decimals) * (1 + 1e-9)
    if abs(told - target[0]) > near and told not in bounds:
        raise ClaimError(f"{what} = {_exactly(target[0])}, but written {phrase}")
    return decimals if decimals is None else min(decimals, shown_decimals)


def _check_within(value: Any, equals: Any, within: float | None) -> int | None:
    """Refuse a comparison of floats without a margin; return how many decimals the margin leaves."""
    if within is not None:
        if isinstance(equals, (bool, np.bool_, str)):
            fail("claim", "within", "go with a number", within)
        margin = number("claim", "within", within, above=0)
        if not np.isfinite(as_numbers(equals)).all():
            fail("claim", "equals", "be finite", _full(equals))
        return math.ceil(-math.log10(2 * margin) - 1e-9)
    if _has_floats(equals) or (_has_floats(value) and not isinstance(equals, (bool, np.bool_, str))):
        fail("claim", "within", "say how closely, because floats are compared", "none")
    return None


def _has_floats(value: Any) -> bool:
    if isinstance(value, (str, Fraction)):
        return False
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    kind = np.asarray(value).dtype.kind
    return kind in "fc"


def _equal(value: Any, equals: Any, within: float | None) -> bool:
    if isinstance(equals, (bool, np.bool_, str)):
        kind = str if isinstance(equals, str) else (bool, np.bool_)
        return isinstance(value, kind) and bool(value == equals)
    if isinstance(value, (bool, np.bool_, str)):
        return False
    if isinstance(value, Fraction) and isinstance(equals, (Fraction, int)) and within is None:
        return value == equals
    try:
        a, b = as_numbers(value), as_numbers(equals)
    except TypeError:
        return False
    # the last bits of the subtraction must not decide about a value on the margin
    slack = 0.0 if within is None else within + 1e-12 * max(within, float(np.abs(b).max(initial=0)) * 1e-3)
    return a.shape == b.shape and bool((np.abs(a - b) <= slack).all())


def _within_bounds(value: Any, at_most: float | None, at_least: float | None) -> bool:
    try:
        numbers = as_numbers(value)
    except TypeError:
        return False
    if numbers.size == 0 or np.iscomplexobj(numbers) or not np.isfinite(numbers).all():
        return False
    return bool(
        (at_most is None or numbers.max() <= at_most) and (at_least is None or numbers.min() >= at_least)
    )


def _decimals_of_bound(bound: float, value: Any) -> int:
    """One digit finer than the bound's first; what is far below a bound is not worth printing."""
    size = abs(bound)
    if size == 0:
        try:
            size = float(np.abs(as_numbers(value)).max())
        except (TypeError, ValueError):
            size = 0.0
    return 1 - math.floor(math.log10(size)) if 0 < size < math.inf else 1


def _rounded(value: Any, decimals: int | None) -> str:
    if isinstance(value, (bool, np.bool_, str, Fraction)) or decimals is None:
        return str(value) if isinstance(value, (str, Fraction)) else shown(value)
    numbers = as_numbers(value)
    if numbers.ndim:
        return "[" + ", ".join(_rounded(entry, decimals) for entry in numbers) + "]"
    if np.iscomplexobj(numbers):
        return str(np.round(numbers.item(), decimals))
    number_ = round(float(numbers), decimals)
    if number_ == 0:
        return "0"
    size = math.floor(math.log10(abs(number_)))
    return f"{number_:.{max(decimals, 0)}f}" if -5 < size < 9 else f"{number_:.{max(size + decimals, 0)}e}"


def _as_stated(equals: Any, decimals: int | None) -> str:
    """The claim as its author wrote it, if it is a number of few digits; otherwise rounded like the value."""
    short = f"{equals:.8g}" if isinstance(equals, float) else ""
    return short if short and float(short) == equals else _rounded(equals, decimals)


def _exactly(bound: Any) -> str:
    return f"{float(bound):.12g}"


def _full(value: Any) -> str:
    try:
        numbers = as_numbers(value)
    except TypeError:
        return shown(value)
    return f"{numbers.item():.12g}" if numbers.ndim == 0 and not isinstance(value, bool) else shown(value)
