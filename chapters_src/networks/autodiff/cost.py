"""What a computation costs: tensors that count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, unread
from chapters_src.networks.autodiff.leaves import leaf
from chapters_src.networks.autodiff.tracing import Rule, Tensor, level_of_its_own, plain, shape_of

__all__ = ["Counted", "count_operations"]

FREE = {"reshape", "transpose", "swapaxes", "broadcast_to", "getitem", "cast", "join", "scatter"}


class Counted(Tensor):
    """An array that adds to a tally whatever is computed with it."""

    __slots__ = ("tally",)

    @unread
    def __init__(self, value: Any, level: int, tally: dict[str, int]) -> None:
        self.value, self.level, self.tally = value, level, tally

    def lift(self, rule: Rule, y: Any, below: list, above: list, where: list[int], options: dict) -> Counted:
        if rule.name not in FREE:
            inputs = max(np.size(plain(a)) for a in below if not isinstance(a, (tuple, type(None))))
            work = np.size(plain(y)) * shape_of(below[0])[-1] if rule.name == "matmul" else inputs
            work = work if rule.name in ("matmul", "sum") else max(work, np.size(plain(y)))
            self.tally[rule.name] = self.tally.get(rule.name, 0) + int(work)
        return Counted(y, self.level, self.tally)


@checked
def count_operations(f: Callable[..., Any], *args: Any) -> dict[str, int]:
    """How many scalar operations f(*args) takes, by function; f may itself differentiate.

    A multiply-add in a matrix product is one operation, and so is every entry of anything else. Moving
    numbers about is free, and so is what involves no argument: weights have to be given as arguments to be
    counted. The count is exact and the same on every machine, which no stopwatch is.
    """
    tally = dict[str, int]()
    arguments = [leaf("an argument", a) for a in args]
    with level_of_its_own() as level:
        f(*(Counted(a, level, tally) for a in arguments))
    return tally
