"""The type checker that the test suite hands to jaxtyping: it looks at shapes, and at nothing else.

jaxtyping asks twice, before the call about the arguments and after it about arguments and result. We answer
only the second time. A function that is given a wrong shape can therefore raise its own `ValueError`, and
tests can look at it; one that takes the wrong shape without a word fails the test that did it.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import AbstractArray, Float


def check(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate one of the stand-ins that jaxtyping makes of a function."""
    signature = inspect.signature(function)
    result = next((name for name in reversed(signature.parameters) if name.startswith("ret")), None)
    if result is None or signature.parameters[result].kind is not inspect.Parameter.KEYWORD_ONLY:
        return function  # the question before the call

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            parameter = signature.parameters[name]
            several = {inspect.Parameter.VAR_POSITIONAL: tuple, inspect.Parameter.VAR_KEYWORD: dict.values}
            for item in several.get(parameter.kind, lambda one: (one,))(value):
                if not fits(item, parameter.annotation, as_argument=True):
                    raise TypeError(f"argument {name} is {outline(item)}, not {parameter.annotation}")
        value = bound.arguments[result]
        if not fits(value, signature.return_annotation, as_argument=False):
            raise TypeError(f"the result is {outline(value)}, not {signature.return_annotation}")
        return value

    return checked


def fits(value: Any, hint: Any, as_argument: bool) -> bool:
    """Whether a value satisfies the array shapes inside an annotation."""
    if inspect.isclass(hint) and issubclass(hint, AbstractArray):
        return isinstance(as_array(value, hint) if as_argument else value, hint)
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if not any(map(mentions_array, inner)):
            return True
        return any(
            fits(value, one, as_argument) if mentions_array(one) else is_instance(value, one) for one in inner
        )
    if origin is tuple and isinstance(value, tuple):
        if len(inner) == 2 and inner[1] is Ellipsis:
            return all(fits(item, inner[0], as_argument) for item in value)
        return len(inner) == len(value) and all(
            fits(item, one, as_argument) for item, one in zip(value, inner, strict=True)
        )
    if inspect.isclass(origin) and issubclass(origin, Sequence) and isinstance(value, Sequence):
        if inner[0] is int:  # a long list of tokens has no shape to look at
            return True
        return all(fits(item, inner[0], as_argument) for item in value)
    if inspect.isclass(hint) and issubclass(hint, tuple) and isinstance(value, hint):  # a NamedTuple
        fields = typing.get_type_hints(hint, include_extras=True)
        return all(fits(getattr(value, name), one, as_argument) for name, one in fields.items())
    return True


def mentions_array(hint: Any) -> bool:
    """Whether an annotation says anything about an array."""
    if inspect.isclass(hint) and issubclass(hint, AbstractArray):
        return True
    return any(map(mentions_array, typing.get_args(hint)))


def is_instance(value: Any, hint: Any) -> bool:
    """`isinstance` for the members of a union that are no arrays."""
    if hint is float and not isinstance(value, bool):
        return isinstance(value, (int, float, np.number))
    target = typing.get_origin(hint) or hint
    return isinstance(value, target) if inspect.isclass(target) else True


def as_array(value: Any, hint: Any) -> Any:
    """What the function will see: our functions read anything numpy reads, and integers as floats."""
    if hint.array_type is not np.ndarray:
        return value
    try:
        value = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):  # nothing numpy reads, so nothing that fits
        return value
    whole = value.dtype.kind in "biu"
    return value.astype(np.float64) if whole and set(hint.dtypes) == set(Float.dtypes) else value


def outline(value: Any) -> str:
    """Type and shape of a value, for a message."""
    return f"{type(value).__name__} of shape {tuple(value.shape)}" if hasattr(value, "shape") else repr(value)
