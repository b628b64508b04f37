"""What to do, once there are probabilities and costs."""

from __future__ import annotations

from chapters_src.core.contract import checked
from chapters_src.core.readers import between
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["cheapest_decision"]


@checked(p=between(0, 1))
def cheapest_decision(costs: Float[ndarray, "d K"], p: Float[ndarray, "n K"]) -> Int[ndarray, "n"]:
    """The decision with the least expected cost, for each row of probabilities.

    arg minᵢ Σⱼ Cᵢⱼpⱼ,  i what is decided, j what is true      {eq}`eq-calibration-cost`
    """
    return (p @ costs.T).argmin(axis=1)
