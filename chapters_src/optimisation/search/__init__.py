"""What other chapters may import from here."""

from chapters_src.optimisation.search.schedules import (
    cosine_rate,
    one_cycle_rate,
    step_rate,
    warm_up_cosine_rate,
    warm_up_rate,
)
from chapters_src.optimisation.search.searches import (
    Rung,
    Trial,
    grid_search,
    random_configurations,
    random_search,
    successive_halving,
)

__all__ = [
    "Rung",
    "Trial",
    "cosine_rate",
    "grid_search",
    "one_cycle_rate",
    "random_configurations",
    "random_search",
    "step_rate",
    "successive_halving",
    "warm_up_cosine_rate",
    "warm_up_rate",
]
