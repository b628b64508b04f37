"""Search for hyper-parameters without looking back: on a grid, and at random."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Callable, Mapping, Sequence, Sized
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, at_least

__all__ = [
    "Configuration",
    "Trial",
    "grid_search",
    "log_ranges",
    "nonempty",
    "random_configurations",
    "trial",
]

Configuration = dict[str, Any]


class Trial(NamedTuple):
    """A configuration and the loss it came to."""

    configuration: Configuration
    loss: float


def nonempty(ask: Ask, value: Any) -> dict[str, Any]:
    """Read what may be tried for one name or more."""
    ask.require(
        isinstance(value, Mapping)
        and value
        and all(isinstance(one, Sized) and len(one) for one in value.values()),
        "map one name or more to what may be tried",
        repr(value)[:40],
    )
    return dict(value)


def log_ranges(ask: Ask, value: Any) -> dict[str, tuple[float, float]]:
    """Read two positive ends for each name, the lower first."""
    space = nonempty(ask, value)
    for key, ends in space.items():
        pair = np.ndim(ends) == 1 and len(ends) == 2 and all(isinstance(end, numbers.Real) for end in ends)
        ask.require(
            pair and 0 < ends[0] < ends[1] < np.inf,
            f"give {key} two positive ends, the lower first",
            repr(ends)[:40],
        )
    return space


def trial(loss: Callable[..., float], configuration: Configuration, *budget: int) -> Trial:
    """Run one training and note how it ended."""
    value = float(loss(*budget, **configuration))
    # What diverges ranks last; NaN would rank anywhere.
    return Trial(configuration, value if np.isfinite(value) else np.inf)


@checked(choices=nonempty)
def grid_search(loss: Callable[..., float], choices: Mapping[str, Sequence[Any]]) -> list[Trial]:
    """Try every combination of the choices; the trials with the best first.

    ``loss`` is called with one value of each name as keyword arguments: k choices for d names are k^d trials.
    """
    names = list(choices)
    grid = (dict(zip(names, values, strict=True)) for values in itertools.product(*choices.values()))
    return sorted((trial(loss, one) for one in grid), key=lambda one: one.loss)


@checked(space=log_ranges, count=at_least(1))
def random_configurations(
    space: Mapping[str, tuple[float, float]], count: int, rng: np.random.Generator
) -> list[Configuration]:
    """Draw ``count`` configurations, each name evenly on a logarithmic scale between its two positive ends.

    log₁₀ η ~ U(log₁₀ a, log₁₀ b)                             {eq}`eq-search-log-uniform`

    Even on a log scale, because a learning rate matters by its ratio: 0.001 to 0.01 is as far as 0.1 to 1.
    """
    logs = {key: (np.log(low), np.log(high)) for key, (low, high) in space.items()}
    return [{key: float(np.exp(rng.uniform(*ends))) for key, ends in logs.items()} for _ in range(count)]
