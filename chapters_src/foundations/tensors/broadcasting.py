"""Which shape comes out when arrays of different shapes meet entry by entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import Ask, at_least, whole
from chapters_src.core.sequence_readers import sequence

__all__ = ["broadcast_shape"]


@checked
def broadcast_shape(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape of an entry-by-entry result: align at the right, and let a length of 1 stretch.

    (3, 1) and (4,)  →  (3, 1) and (1, 4)  →  (3, 4)    {eq}`eq-tensors-broadcast`
    """
    from_the_right = [shape[::-1] for shape in _read(shapes)]
    result = []
    for axis, sides in enumerate(zip_longest(*from_the_right, fillvalue=1), start=1):
        wanted = set(sides) - {1}
        if len(wanted) > 1:
            rule = f"agree or have length 1 on axis {axis} from the right"
            refuse("shapes", rule, " and ".join(map(str, sorted(wanted))))
        result.append(wanted.pop() if wanted else 1)
    return tuple(result[::-1])


def _read(shapes: Iterable[Sequence[int]]) -> list[Sequence[int]]:
    """The shapes, once each is a sequence of whole numbers of which none is negative."""
    lengths = sequence(lambda ask, side: whole(ask, side, at_least(0)), "int")
    return [lengths(Ask(f"shape {i}"), shape) for i, shape in enumerate(shapes, start=1)]
