"""What a public function accepts, declared once: its signature says the shapes, `checked` the rest.

    @checked(ridge=at_least(0))
    def least_squares(X: Float[ndarray, "n d"], y: Float[ndarray, "n *k"], ridge: float = 0.0): ...

Each argument is read by what its annotation says before the body sees it: arrays become float64 and must be
finite, and a letter stands for the same length wherever it occurs. What is wrong is said as
`function: argument must <rule>; got <what came>`. The body and its helpers `refuse` what only it can find.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, overload

import numpy as np

from chapters_src.core.annotations import reader_of
from chapters_src.core.finite import sum_of_squares
from chapters_src.core.readers import (
    ANY,
    Ask,
    Limits,
    Reader,
    Refusal,
    own_precision,
    refuse,
    require,
)

__all__ = ["Contract", "bare", "checked", "contract_of", "refuse", "require", "unread"]

Function = TypeVar("Function", bound=Callable[..., Any])


class Contract:
    """The readers of a function's arguments, and the name it has in messages."""

    def __init__(self, function: Callable[..., Any], rules: dict[str, Any]) -> None:
        self.function = function
        owner, _, own = function.__qualname__.rpartition(".")
        self.is_constructor = own == "__init__"
        self.name = owner.rpartition(".")[2] if owner and own in ("__init__", "__call__", "forward") else own
        self.parameters = inspect.signature(function).parameters
        unknown = set(rules) - set(self.parameters)
        if unknown:
            raise TypeError(f"checked: {self.name} has no argument {', '.join(sorted(unknown))}")
        self.limits = {name: rule for name, rule in rules.items() if isinstance(rule, Limits)}
        self.rules = {name: rule for name, rule in rules.items() if not isinstance(rule, Limits)}
        self.in_own_precision = [name for name, rule in self.rules.items() if rule is own_precision]
        self.annotations = annotations = inspect.get_annotations(function)
        self.readers: dict[str, Reader] = {}
        for name, parameter in self.parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            reader = reader_of(annotations.get(name), rules.get(name, ANY), function)
            if reader is not None:
                self.readers[name] = reader
        self._positional = [
            name
            for name, one in self.parameters.items()
            if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        ]
        self._needed = {
            name
            for name, one in self.parameters.items()
            if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        }

    def read(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as the body gets them; raises a `Refusal` for the first that cannot be read."""
        positional = self._positional[: len(args)]
        given = {**keywords, **dict(zip(positional, args, strict=False))}
        if not self._needed <= given.keys():
            return args, keywords  # Python says what is missing
        ask = Ask(arguments=dict(given), given=given, in_own_precision=self.in_own_precision)
        # First what each argument is beside those before it, then the rules, which may look at all of them.
        for readers in (self.readers, self.rules):
            for name in readers:
                if name in ask.arguments and not self._is_left_out(name, ask.arguments[name]):
                    ask.name = name
                    ask.arguments[name] = readers[name](ask, ask.arguments[name])
        read = tuple(ask.arguments[name] for name in positional) + args[len(positional) :]
        # What is only given by position may share its name with a keyword that the function collects.
        shared = set(keywords).intersection(positional)
        return read, {name: keywords[name] if name in shared else ask.arguments[name] for name in keywords}

    def arguments(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name."""
        return {**dict(zip(self.parameters, args, strict=False)), **keywords}

    def _is_left_out(self, name: str, value: Any) -> bool:
        """Whether an argument is None because that is its default, which no reader would take."""
        return value is None and self.parameters[name].default is None


def contract_of(function: Callable[..., Any]) -> Contract | None:
    """The contract of a function that was declared with `checked`."""
    return getattr(function, "__contract__", None)


def bare(function: Function) -> Function:
    """The function without its contract, for callers that have read the arguments already."""
    return inspect.unwrap(function) if contract_of(function) else function


def unread(function: Function) -> Function:
    """Declare that a function takes anything as it is: it belongs to machinery that has read it before."""
    function.__contract__ = Contract(lambda: None, {})  # type: ignore[attr-defined]
    return function


@overload
def checked(function: Function, /) -> Function: ...
@overload
def checked(**rules: Any) -> Callable[[Function], Function]: ...
def checked(function: Any = None, /, **rules: Any) -> Any:
    """Have a function read its arguments by its annotations, and by one rule per argument that needs more.

    A result that is not a number (NaN) is refused too: finite input that overflows on the way must not come
    out as nonsense.
    """
    if function is None:
        return lambda one: checked_with(one, rules)
    return checked_with(function, rules)


def checked_with(function: Callable[..., Any], rules: dict[str, Any]) -> Callable[..., Any]:
    """The function behind its contract."""
    if isinstance(function, type):  # a dataclass, whose signature is that of its fields
        function.__init__ = checked_with(function.__init__, rules)  # type: ignore[misc]
        return function
    contract = Contract(function, rules)

    @functools.wraps(function)
    def behind_contract(*args: Any, **keywords: Any) -> Any:
        try:
            read, named = contract.read(args, keywords)
            try:
                result = function(*read, **named)
            except (Refusal, FloatingPointError):  # what a function says of its own result
                raise
            except OverflowError:  # what Python's floats do where numpy's become infinite
                result = np.nan
            except (ArithmeticError, ValueError, RuntimeError) as error:
                # Of what has overflowed or vanished on the way libraries say "singular", "not converged", …
                name, number = _furthest(contract.arguments(read, named))
                if _reach(number) > 1e100:
                    _refuse_size(name, number, f"ends in {type(error).__name__}")
                raise
            if _has_nan(result):
                _refuse_size(*_furthest(contract.arguments(read, named)), "gives NaN")
            return _answering(contract.name, result)
        except Refusal as refusal:
            if refusal.function:
                raise
            name = type(args[0]).__name__ if contract.is_constructor else contract.name
            raise Refusal(refusal.name, refusal.rule, refusal.got, name) from None

    behind_contract.__contract__ = contract  # type: ignore[attr-defined]
    return behind_contract


def _answering(name: str, result: Any) -> Any:
    """A function that comes out, alone or in a pair, refuses what it is given in the name of its maker."""
    if type(result) is tuple and any(isinstance(one, FunctionType) for one in result):
        return tuple(_answering(name, one) for one in result)
    if not isinstance(result, FunctionType) or contract_of(result):
        return result

    @functools.wraps(result)
    def made(*args: Any, **keywords: Any) -> Any:
        try:
            return result(*args, **keywords)
        except Refusal as refusal:
            if refusal.function:
                raise
            raise Refusal(refusal.name, refusal.rule, refusal.got, name) from None

    return made


def _has_nan(result: Any) -> bool:
    if isinstance(result, float):
        return result != result
    if isinstance(result, np.ndarray):
        with np.errstate(over="ignore", invalid="ignore"):
            return result.dtype.kind == "f" and bool(np.isnan(sum_of_squares(result)))
    if isinstance(result, tuple):
        return any(map(_has_nan, result))
    return False


def _furthest(arguments: dict[str, Any]) -> tuple[str, float]:
    """The argument whose numbers reach furthest from 1, up or down, and the size of that number."""
    ends: list[tuple[str, float]] = []
    for name, value in arguments.items():
        if isinstance(value, (int, float, np.ndarray)) and not isinstance(value, bool):
            numbers = np.asarray(value)
            if numbers.size and numbers.dtype.kind in "iuf":
                size = np.abs(numbers)
                ends += [(name, float(size.max())), (name, float(np.min(size[size > 0], initial=size.max())))]
    return max(ends, key=lambda one: _reach(one[1]), default=("the input", np.nan))


def _reach(number: float) -> float:
    """By what factor a positive number is away from 1."""
    return max(number, 1 / number) if number else 0.0


def _refuse_size(name: str, number: float, end: str) -> None:
    refuse(name, "be of a size that the computation can bear", f"{number:.3g}, which {end}")
