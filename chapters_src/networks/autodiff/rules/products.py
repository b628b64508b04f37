"""Products of arrays: matrix products, Einstein's sums, and the functions of numpy that are one of them."""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from chapters_src.core.readers import Refusal
from chapters_src.networks.autodiff.forms import OfEach, unbroadcast
from chapters_src.networks.autodiff.rules.shapes import moved
from chapters_src.networks.autodiff.tracing import (
    DERIVATIVES,
    REWRITES,
    Rule,
    Tensor,
    primitive,
    shape_of,
)

__all__: list[str] = []


def axes_of(x: Any) -> int:
    """How many axes an array has."""
    return len(shape_of(x))


# ---------------------------------------------------------------- matrix products


def _pull_left(y: Any, a: Any, b: Any) -> Any:
    shape = shape_of(a)
    if axes_of(b) == 1:  # (…, n, k) @ (k,) -> (…, n), or (k,) @ (k,) -> ()
        return lambda g: np.expand_dims(g, -1) * b
    if len(shape) == 1:  # (k,) @ (…, k, m) -> (…, m)
        return lambda g: unbroadcast(np.reshape(b @ np.expand_dims(g, -1), shape_of(b)[:-1]), shape)
    return lambda g: unbroadcast(g @ np.swapaxes(b, -1, -2), shape)


def _pull_right(y: Any, a: Any, b: Any) -> Any:
    shape, vector = shape_of(b), axes_of(b) == 1
    if axes_of(a) == 1:  # (k,) @ (k,) -> (), or (k,) @ (…, k, m) -> (…, m)
        return lambda g: g * a if vector else np.expand_dims(a, -1) * np.expand_dims(g, -2)
    rows = (-1, shape_of(a)[-1])
    if vector:  # (…, n, k) @ (k,) -> (…, n)
        return lambda g: np.reshape(g, -1) @ np.reshape(a, rows)
    if len(shape) == 2:  # one matrix for the whole batch: one product for the whole batch
        return lambda g: np.swapaxes(np.reshape(a, rows), 0, 1) @ np.reshape(g, (-1, shape[-1]))
    return lambda g: unbroadcast(np.swapaxes(a, -1, -2) @ g, shape)


DERIVATIVES[np.matmul] = Rule(
    np.matmul, [lambda y, a, b: lambda t: t @ b, lambda y, a, b: lambda t: a @ t], [_pull_left, _pull_right]
)


# ---------------------------------------------------------------- Einstein's sums


@primitive
def einsum(spec: tuple[str, ...], *operands: Any) -> Any:
    """Σ over the letters that the last part of ``spec`` lacks; no letter stands twice in one part."""
    *inputs, output = spec
    return np.einsum(f"{','.join(inputs)}->{output}", *operands, optimize=len(operands) > 1)


def _push_einsum(i: int, y: Any, spec: tuple[str, ...], *operands: Any) -> Any:
    before, after = operands[: i - 1], operands[i:]
    return lambda t: einsum(spec, *before, t, *after)


def _pull_einsum(i: int, y: Any, spec: tuple[str, ...], *operands: Any) -> Any:
    """The adjoint takes the operand's place, and the operand the result's; a letter of its own repeats it."""
    *inputs, output = spec
    own, shape = inputs.pop(i - 1), shape_of(operands[i - 1])
    others = operands[: i - 1] + operands[i:]
    met = "".join(letter for letter in own if letter in output or any(letter in part for part in inputs))
    alone = tuple(j for j, letter in enumerate(own) if letter not in met)

    def pull(g: Any) -> Any:
        found = np.expand_dims(einsum((output, *inputs, met), g, *others), alone)
        full = np.broadcast_shapes(shape_of(found), shape)
        return unbroadcast(np.broadcast_to(found, full), shape)

    return pull


DERIVATIVES[einsum] = OfEach(einsum, [_push_einsum], [_pull_einsum], "einsum")


def in_letters(operands: tuple) -> tuple[str, list]:
    """The subscripts of ``einsum(a, [0, 1], b, [1, 2], [0, 2])`` as a string, and its operands."""

    def part(labels: Any) -> str:
        return "".join("..." if label is ... else string.ascii_letters[label] for label in labels)

    pairs, output = divmod(len(operands), 2)
    text = ",".join(part(operands[2 * i + 1]) for i in range(pairs))
    return text + (f"->{part(operands[-1])}" if output else ""), [operands[2 * i] for i in range(pairs)]


def named(subscripts: str, operands: list) -> list[str]:
    """The parts of the subscripts: one for each operand and one for the result, with letters for the dots."""
    text, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = text.split(",")
    if len(inputs) != len(operands):
        raise Refusal("subscripts", f"name {len(operands)} operands", subscripts, np.einsum.__name__)
    free = [letter for letter in string.ascii_letters if letter not in subscripts]
    dots = [axes_of(x) - len(part) + 3 for part, x in zip(inputs, operands, strict=True) if "..." in part]
    most = max(dots, default=0)
    batch = "".join(free[:most])
    for i, part in enumerate(inputs):
        if "..." in part:
            inputs[i] = part.replace("...", batch[most - (axes_of(operands[i]) - len(part) + 3) :])
    if most and arrow and "..." not in output:
        raise Refusal("subscripts", "keep the dots in the result", subscripts, np.einsum.__name__)
    if not arrow:
        letters = sorted(set(text) - set(".,"))
        output = ("..." if dots else "") + "".join(one for one in letters if text.count(one) == 1)
    return [*inputs, output.replace("...", batch)]


def einsum_of_numpy(*operands: Any, optimize: Any = False) -> Any:
    first, *rest = operands
    subscripts, arrays = (first, rest) if isinstance(first, str) else in_letters(operands)
    *inputs, output = named(subscripts, arrays)
    for i, part in enumerate(inputs):
        once = "".join(dict.fromkeys(part))
        if once != part:  # a letter that stands twice takes a diagonal
            x = arrays[i]
            diagonal = moved(lambda x, part=part, once=once: np.einsum(f"{part}->{once}", x))
            arrays[i] = diagonal(x) if isinstance(x, Tensor) else np.einsum(f"{part}->{once}", x)
            inputs[i] = once
    return einsum((*inputs, output), *arrays)


REWRITES[np.einsum] = einsum_of_numpy


# ---------------------------------------------------------------- what is one of the two


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    shapes = shape_of(a), shape_of(b)
    if np.ndim(axes) == 0:
        left, right = list(range(len(shapes[0]) - int(axes), len(shapes[0]))), list(range(int(axes)))
    else:
        left, right = (np.atleast_1d(along).tolist() for along in axes)
    if [shapes[0][i] for i in left] != [shapes[1][j] for j in right]:
        raise Refusal("axes", "have the same lengths in a and b", f"{shapes[0]} and {shapes[1]}", "tensordot")
    first = list(string.ascii_lowercase[: len(shapes[0])])
    second = list(string.ascii_uppercase[: len(shapes[1])])
    for i, j in zip(left, right, strict=True):
        second[j] = first[i]
    shared = {first[i] for i in left}
    output = "".join(letter for letter in first + second if letter not in shared)
    return einsum(("".join(first), "".join(second), output), a, b)


def dot(a: Any, b: Any) -> Any:
    if 0 in (axes_of(a), axes_of(b)):
        return np.multiply(a, b)
    several = axes_of(b) > 1 and max(axes_of(a), axes_of(b)) > 2  # np.dot pairs all of the other axes
    return np.tensordot(a, b, (-1, -2)) if several else np.matmul(a, b)


def inner(a: Any, b: Any) -> Any:
    return np.multiply(a, b) if 0 in (axes_of(a), axes_of(b)) else np.tensordot(a, b, (-1, -1))


def kron(a: Any, b: Any) -> Any:
    most = max(axes_of(a), axes_of(b))
    left, right = ([1] * (most - axes_of(x)) + list(shape_of(x)) for x in (a, b))
    wide = np.reshape(a, np.stack([left, np.ones(most, int)], 1).reshape(-1).tolist())
    tall = np.reshape(b, np.stack([np.ones(most, int), right], 1).reshape(-1).tolist())
    return np.reshape(wide * tall, [m * n for m, n in zip(left, right, strict=True)])


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    first, second, third = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    a, b = np.moveaxis(a, first, -1), np.moveaxis(b, second, -1)
    if (shape_of(a)[-1], shape_of(b)[-1]) != (3, 3):
        raise Refusal("arguments", "have three components", f"{shape_of(a)}, {shape_of(b)}", "cross")
    after, before = [1, 2, 0], [2, 0, 1]
    return np.moveaxis(a[..., after] * b[..., before] - a[..., before] * b[..., after], -1, third)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    return np.sum(np.diagonal(a, offset, axis1, axis2), -1, dtype)


REWRITES[np.tensordot], REWRITES[np.dot], REWRITES[np.inner] = tensordot, dot, inner
REWRITES[np.kron], REWRITES[np.cross], REWRITES[np.trace] = kron, cross, trace
REWRITES[np.vdot] = lambda a, b: np.matmul(np.ravel(a), np.ravel(b))
REWRITES[np.outer] = lambda a, b: np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1))
