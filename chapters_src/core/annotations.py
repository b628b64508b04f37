"""From an annotation to the reader of an argument: `Float[ndarray, "n d"]`, `int`, `bool | None`."""

from __future__ import annotations

import ast
import collections.abc
import inspect
import typing
from collections.abc import Callable
from typing import Any

from chapters_src.core import readers
from chapters_src.core.array_shapes import Shape
from chapters_src.core.readers import Ask, Limits, Reader, Refusal
from chapters_src.core.sequence_readers import iterable, sequence

__all__ = ["reader_of"]

ARRAYS = {"Float", "Int", "Bool", "Num"}
PLAIN: dict[str, Reader] = {
    "bool": readers.flag,
    "str": readers.text,
    "np.random.Generator": readers.numpy_generator,
    "torch.Generator": lambda ask, value: _torch_reader("torch_generator")(ask, value),
    "Device": lambda ask, value: _torch_reader("placed")(ask, value),
    "Dtype": lambda ask, value: _torch_reader("float_type")(ask, value),
}
UNREAD = {"Any", "object", "None"}


def reader_of(annotation: str | None, rule: Any, function: Callable[..., Any]) -> Reader | None:
    """The reader for an annotation, narrowed by the rule if that is limits."""
    limits = rule if isinstance(rule, Limits) else readers.ANY
    if not isinstance(rule, Limits) and not callable(rule):
        raise TypeError(f"checked: a rule must be limits or a reader; got {rule!r}")
    if not isinstance(annotation, str):
        return None
    return _of(ast.parse(annotation, mode="eval").body, limits, function)


def _torch_reader(name: str) -> Reader:
    """A reader that needs torch, imported when it is called: most of the book does without."""
    from chapters_src.core import device

    return getattr(device, name)


def _of(node: ast.expr, limits: Limits, function: Callable[..., Any]) -> Reader | None:
    text = ast.unparse(node)
    if text in UNREAD:
        return None
    if text == "int":
        return lambda ask, value: readers.whole(ask, value, limits)
    if text == "float":
        return lambda ask, value: readers.real(ask, value, limits)
    if text in PLAIN:
        return PLAIN[text]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found = _either([_of(one, limits, function) for one in _members(node)])
        return found if found is None or "None" not in text.split(" | ") else _or_none(found)
    if isinstance(node, ast.Subscript):
        head = ast.unparse(node.value)
        if head in ARRAYS and isinstance(node.slice, ast.Tuple):
            kind, shape = node.slice.elts
            return Shape(head, ast.unparse(kind), ast.literal_eval(shape), limits).read
        if head == "Sequence":
            return sequence(_of(node.slice, limits, function), ast.unparse(node.slice))
        return {"Callable": readers.function, "Iterable": iterable}.get(head)
    return _instance(text, function) if isinstance(node, (ast.Name, ast.Attribute)) else None


def _members(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [*_members(node.left), *_members(node.right)]
    return [] if ast.unparse(node) == "None" else [node]


def _either(options: list[Reader | None]) -> Reader | None:
    """The first reader that takes the value; if none does, what the one says that it was meant for."""
    known = [option for option in options if option is not None]
    if len(known) < len(options) or not known:
        return None
    if len(known) == 1:
        return known[0]

    def either(ask: Ask, value: Any) -> Any:
        refusals = []
        for option in known:
            try:
                return option(ask, value)
            except Refusal as refusal:
                refusals.append(refusal)
        raise refusals[0 if readers.as_real(value) is not None else -1]

    return either


def _or_none(reader: Reader) -> Reader:
    return lambda ask, value: None if value is None else reader(ask, value)


def _instance(text: str, function: Callable[..., Any]) -> Reader:
    """An instance of a class, looked up when it is needed, because a class may be named before it is made."""

    def instance(ask: Ask, value: Any) -> Any:
        kind: Any = inspect.unwrap(function).__globals__
        for part in text.split("."):
            kind = kind.get(part) if isinstance(kind, dict) else getattr(kind, part, None)
        if typing.get_origin(kind) is collections.abc.Callable:
            return readers.function(ask, value)
        if (
            isinstance(kind, type)
            and not getattr(kind, "_is_protocol", False)
            and not isinstance(value, kind)
        ):
            name = text.rpartition(".")[2]
            ask.fail(f"be {'an' if name[0] in 'AEIO' else 'a'} {name}", readers.described(value))
        return value

    return instance
