"""Search for hyper-parameters: on a grid, at random, and by halving a crowd of candidates."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Callable, Mapping, Sequence, Sized
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask, at_least

__all__ = ["Rung", "Trial", "grid_search", "random_configurations", "random_search", "successive_halving"]

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


def _trial(loss: Callable[..., float], configuration: Configuration, *budget: int) -> Trial:
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
    return sorted((_trial(loss, one) for one in grid), key=lambda trial: trial.loss)


@checked(space=nonempty, count=at_least(1))
def random_configurations(
    space: Mapping[str, tuple[float, float]], count: int, rng: np.random.Generator
) -> list[Configuration]:
    """Draw ``count`` configurations, each name evenly on a logarithmic scale between its two positive ends.

    log₁₀ η ~ U(log₁₀ a, log₁₀ b)                             {eq}`eq-stochastic-log-uniform`

    Even on a log scale, because a learning rate matters by its ratio: 0.001 to 0.01 is as far as 0.1 to 1.
    """
    for key, ends in space.items():
        pair = np.ndim(ends) == 1 and len(ends) == 2 and all(isinstance(end, numbers.Real) for end in ends)
        require(
            pair and 0 < ends[0] < ends[1] < np.inf,
            "space",
            f"give {key} two positive ends, the lower first",
            repr(ends)[:40],
        )
    logs = {key: (np.log(low), np.log(high)) for key, (low, high) in space.items()}
    return [{key: float(np.exp(rng.uniform(*ends))) for key, ends in logs.items()} for _ in range(count)]


@checked(space=nonempty, count=at_least(1))
def random_search(
    loss: Callable[..., float],
    space: Mapping[str, tuple[float, float]],
    count: int,
    rng: np.random.Generator,
) -> list[Trial]:
    """Try `random_configurations`; the trials with the best first."""
    drawn = random_configurations(space, count, rng)
    return sorted((_trial(loss, one) for one in drawn), key=lambda trial: trial.loss)


class Rung(NamedTuple):
    """One round of successive halving: what each candidate could spend, and how they did, the best first."""

    budget: int
    trials: list[Trial]


@checked(budget=at_least(1), factor=at_least(2))
def successive_halving(
    loss: Callable[..., float], configurations: Sequence[Configuration], budget: int = 1, factor: int = 3
) -> list[Rung]:
    """Give every candidate a small budget, keep the best 1/``factor``, multiply the budget by it, and repeat.

    nᵢ = ⌈n₀/fⁱ⌉ candidates with budget b·fⁱ each, until fewer than f are left     {eq}`eq-stochastic-halving`

    ``loss(budget, **configuration)`` starts afresh each time. Every round costs about the same. It bets that
    who leads early leads late.
    """
    require(len(configurations) != 0, "configurations", "be one or more", "none")
    rungs: list[Rung] = []
    alive = list(configurations)
    while True:
        trials = [_trial(loss, one, budget) for one in alive]
        rungs.append(Rung(budget, sorted(trials, key=lambda trial: trial.loss)))
        if len(alive) < factor:
            return rungs
        keep = -(-len(alive) // factor)
        alive = [trial.configuration for trial in rungs[-1].trials[:keep]]
        budget *= factor
