"""How one argument is read: arrays, numbers, counts, names, flags, generators."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from chapters_src.core.finite import sum_of_squares
from chapters_src.core.limits import ANY, Limits, above, at_least, at_most, between
from chapters_src.core.refusals import Ask, Refusal, refuse, require

__all__ = [
    "ANY",
    "Ask",
    "Limits",
    "Reader",
    "Refusal",
    "above",
    "at_least",
    "at_most",
    "between",
    "beyond",
    "counts",
    "one_of",
    "own_precision",
    "refuse",
    "require",
    "squares_that_fit",
    "squares_that_last",
]

MOST = 10**9  # a larger count is a slip, and would run for ever


Reader = Callable[[Ask, Any], Any]


def one_of(options: Iterable[str]) -> Reader:
    """One of the names that are known."""
    known = list(options)

    def name(ask: Ask, value: Any) -> str:
        if not isinstance(value, str) or value not in known:
            ask.fail(f"be one of {', '.join(map(repr, known))}", described(value))
        return value

    name.options = known  # type: ignore[attr-defined]
    return name


def counts(rule: str, least: int = 1, most: float = np.inf, limits: Limits | None = None) -> Reader:
    """A tuple of whole numbers, such as the widths of layers; the rule says in words how many and of what."""

    def several(ask: Ask, value: Any) -> tuple[int, ...]:
        ask.require(
            isinstance(value, (list, tuple, np.ndarray)) and least <= len(value) <= most,
            rule,
            described(value),
        )
        return tuple(whole(ask, one, limits or Limits(at_least=1)) for one in value)

    return several


def own_precision(ask: Ask, value: Any) -> Any:
    """A rule for arrays of which float32 stays float32, where it would become float64 otherwise."""
    return value  # `numeric_array` has kept it: the contract told it of this rule


def beyond(other: str) -> Reader:
    """A number above another argument, where both are given."""

    def number(ask: Ask, value: Any) -> Any:
        low = ask.arguments.get(other)
        ask.require(low is None or value is None or value > low, f"be above {low:g}", value)
        return value

    return number


def squares_that_fit(ask: Ask, value: Any) -> Any:
    """A rule for numbers whose squares are added up: a little above 1e154 they become infinite."""
    largest = float(np.abs(value).max(initial=0.0))
    ask.require(largest < 1e150, "be below 1e150 in size, so that its squares stay finite", f"{largest:.3g}")
    return value


def squares_that_last(ask: Ask, value: Any) -> Any:
    """A rule for columns whose squares are added up: below 1e-162 they become 0, as if nothing were there."""
    largest = np.abs(value).max(axis=0)
    vanishing = (largest > 0) & (largest < 1e-150)
    rule = "have columns that reach 1e-150, or are zero, so that squares do not vanish"
    ask.require(not vanishing.any(), rule, f"{largest.max(where=vanishing, initial=0):.3g}")
    return value


def described(value: object) -> str:
    """A value in a few words: its text if that is short, otherwise its type."""
    text = repr(value)
    return text if len(text) <= 40 and "\n" not in text else f"a {type(value).__name__}"


def as_real(value: Any) -> float | None:
    """The value as a float, or None where it is no single real number."""
    if isinstance(value, (bool, np.bool_)):
        return None
    if not isinstance(value, numbers.Real):
        try:
            value = np.asarray(value)
        except (TypeError, ValueError, RuntimeError):
            return None
        if value.ndim or value.dtype.kind not in "iuf":
            return None
    try:
        return float(value)
    except OverflowError:
        return None


def real(ask: Ask, value: Any, limits: Limits = ANY) -> float:
    """One finite real number in a range."""
    result = as_real(value)
    if result is None:
        ask.fail(f"be a number {limits}".rstrip(), described(value))
    if not np.isfinite(result):
        ask.fail(f"be a finite number {limits}".rstrip(), value)
    ask.require(limits.hold(result), f"be {limits}", value)
    return result


def whole(ask: Ask, value: Any, limits: Limits = ANY) -> int:
    """One whole number in a range; 3.0 is refused, because a count is never a float."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        ask.fail(f"be a whole number {limits}".rstrip(), described(value))
    result = int(value)
    ask.require(limits.hold(result), f"be {limits}", result)
    ask.require(
        limits.at_most is not None or limits.below is not None or result <= MOST, f"be at most {MOST}", result
    )
    ask.require(
        limits.at_least is not None or limits.above is not None or result >= -MOST,
        f"be at least {-MOST}",
        result,
    )
    return result


def flag(ask: Ask, value: Any) -> bool:
    """True or False, and nothing that merely counts as one."""
    ask.require(isinstance(value, (bool, np.bool_)), "be True or False", described(value))
    return bool(value)


def text(ask: Ask, value: Any) -> str:
    """A text."""
    ask.require(isinstance(value, str), "be a text", described(value))
    return value


def numpy_generator(ask: Ask, value: Any) -> np.random.Generator:
    """An explicit `numpy.random.Generator`."""
    ask.require(
        isinstance(value, np.random.Generator),
        "be a numpy.random.Generator, as from default_rng(0)",
        described(value),
    )
    return value


def function(ask: Ask, value: Any) -> Callable[..., Any]:
    """Something that can be called."""
    ask.require(callable(value), "be a function", described(value))
    return value


def numeric_array(ask: Ask, value: Any) -> np.ndarray:
    """Read anything numpy can as a float64 array of finite numbers, copying only if it has to."""
    plain = type(value) is np.ndarray and value.dtype == np.float64 and 0 < value.size < 1000
    if plain and np.isfinite(value).all():  # by far the commonest case, and loops ask often
        return value
    ask.require(
        not isinstance(value, np.ma.MaskedArray) or not np.ma.is_masked(value),
        "not be masked, because numpy would read what the mask hides",
        "a masked array",
    )
    try:
        raw = np.asarray(value)
    except (
        TypeError,
        ValueError,
        RuntimeError,
    ) as error:  # ragged lists, tensors that need a gradient or live on a GPU, and so on
        reason = str(error).splitlines()[0]
        ask.fail("be a rectangular array of numbers", f"{described(value)} ({reason})")
    if raw.dtype.kind not in "biuf":
        kind = "complex numbers" if raw.dtype.kind == "c" else described(value)
        ask.fail("hold real numbers", kind)
    ask.require(raw.size != 0, "not be empty", f"shape {raw.shape}")
    kept = raw.dtype == np.float32 and ask.name in ask.in_own_precision
    with np.errstate(over="ignore", invalid="ignore"):
        result = raw.astype(np.float32 if kept else np.float64, copy=False)
        finite = bool(np.isfinite(sum_of_squares(result))) or bool(np.isfinite(result).all())
    if not finite:
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(result))[0])
        at = f" at [{', '.join(map(str, where))}]" if where else ""
        ask.fail("be finite", f"{result[where]}{at}")
    return result
