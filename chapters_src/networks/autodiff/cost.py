"""What a computation costs: tensors that count."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, refuse, unread
from chapters_src.networks.autodiff.leaves import leaf
from chapters_src.networks.autodiff.tracing import Rule, Tensor, level_of_its_own, plain, shape_of

__all__ = ["Counted", "count_operations"]

FREE = {"reshape", "transpose", "swapaxes", "broadcast_to", "getitem", "cast", "join", "scatter"}
REDUCTIONS = {"sum", "max", "min", "cumsum", "logsumexp"}  # an operation for each entry that goes in
ELEMENTWISE = {"where", "relu", "sigmoid", "softplus"}  # and numpy's ufuncs: one for each that comes out


class _Uncounted(Exception):
    """A function that we cannot count; no refusal, which a derivative on the way would take for its own."""


class Counted(Tensor):
    """An array that adds to a tally whatever is computed with it."""

    __slots__ = ("tally",)

    @unread
    def __init__(self, value: Any, level: int, tally: dict[str, int]) -> None:
        self.value, self.level, self.tally = value, level, tally

    def lift(self, rule: Rule, y: Any, below: list, above: list, where: list[int], options: dict) -> Counted:
        if rule.name not in FREE:
            self.tally[rule.name] = self.tally.get(rule.name, 0) + _operations(rule.name, y, below)
        return Counted(y, self.level, self.tally)


def _operations(name: str, y: Any, args: list) -> int:
    """The scalar operations of one step with the result y."""
    if name == "matmul":
        return np.size(plain(y)) * shape_of(args[0])[-1]
    if name == "einsum":
        return _of_einsum(args[0], args[1:])
    if name in REDUCTIONS:
        return np.size(plain(args[0]))
    if name in ELEMENTWISE or isinstance(getattr(np, name, None), np.ufunc):
        return np.size(plain(y))
    raise _Uncounted(name)


def _of_einsum(spec: Sequence[str], operands: list) -> int:
    """Two operands at a time, in numpy's order: a product for each setting of the letters of both."""
    *parts, output = spec
    arrays = [plain(x) for x in operands]
    length = dict[str, int]()
    for part, x in zip(parts, arrays, strict=True):
        for letter, n in zip(part, x.shape, strict=True):
            length[letter] = max(n, length.get(letter, 1))
    work = 0
    for step in np.einsum_path(f"{','.join(parts)}->{output}", *arrays, optimize="greedy")[0][1:]:
        met = set().union(*(parts.pop(i) for i in sorted(step, reverse=True)))
        work += math.prod(length[letter] for letter in met)
        parts.append("".join(met & set(output).union(*parts)))
    return work


@checked
def count_operations(f: Callable[..., Any], *args: Any) -> dict[str, int]:
    """How many scalar operations f(*args) takes, by function; f may itself differentiate.

    A multiply-add in a product of arrays is one operation; elsewhere every entry is one. Moving numbers about
    is free, and so is what involves no argument: weights have to be given as arguments to be counted. Linear
    equations, determinants and spectra are refused. The count is the same on every machine, which no
    stopwatch is.
    """
    tally = dict[str, int]()
    arguments = [leaf("an argument", a) for a in args]
    try:
        with level_of_its_own() as level:
            f(*(Counted(a, level, tally) for a in arguments))
    except _Uncounted as name:
        refuse("f", "be made of functions whose operations we can count", name)
    return tally
