"""Search that stops early: many candidates with a small budget, few with a large one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least
from chapters_src.optimisation.search.searches import Configuration, Trial, trial

__all__ = ["Rung", "hyperband_brackets", "successive_halving"]


class Rung(NamedTuple):
    """One round of successive halving: what each candidate could spend, and how they did, the best first."""

    budget: int
    trials: list[Trial]


@checked(budget=at_least(1), factor=at_least(2), most=at_least(1))
def successive_halving(
    loss: Callable[..., float],
    configurations: Sequence[Configuration],
    budget: int = 1,
    factor: int = 3,
    most: int | None = None,
) -> list[Rung]:
    """Give every candidate a small budget, keep the best 1/``factor``, multiply the budget by it, and repeat.

    nᵢ = ⌈n₀/fⁱ⌉ candidates with budget b·fⁱ each, until fewer than f are left     {eq}`eq-search-halving`

    ``loss(budget, **configuration)`` starts afresh each time, and no budget exceeds ``most``. Every round
    costs about the same. It relies on early leaders staying ahead.
    """
    require(len(configurations) != 0, "configurations", "be one or more", "none")
    rungs: list[Rung] = []
    alive = list(configurations)
    while True:
        trials = [trial(loss, one, budget) for one in alive]
        rungs.append(Rung(budget, sorted(trials, key=lambda one: one.loss)))
        if len(alive) < factor or (most is not None and budget * factor > most):
            return rungs
        keep = -(-len(alive) // factor)
        alive = [one.configuration for one in rungs[-1].trials[:keep]]
        budget *= factor


@checked(most=at_least(1), factor=at_least(2))
def hyperband_brackets(most: int, factor: int = 3) -> list[tuple[int, int]]:
    """Hyperband's halvings, from the boldest to none: how many candidates, and the first budget of each.

    (⌈(m + 1)fˢ/(s + 1)⌉, ⌊R/fˢ⌋) for s = m, …, 0,  m = ⌊log_f R⌋     {eq}`eq-search-hyperband`
    """
    m = 0
    while factor ** (m + 1) <= most:
        m += 1
    return [(-(-(m + 1) * factor**s // (s + 1)), most // factor**s) for s in range(m, -1, -1)]
