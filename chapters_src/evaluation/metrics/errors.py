"""How far off predicted numbers are, in the unit of what is predicted."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.shapes import Float, ndarray

__all__ = ["mean_absolute_error", "root_mean_squared_error"]


@checked
def root_mean_squared_error(y: Float[ndarray, "n"], y_hat: Float[ndarray, "n"]) -> float:
    """The size of a typical miss, large ones counting more.

    RMSE = √((1/n) Σᵢ (yᵢ − ŷᵢ)²)                     {eq}`eq-metrics-rmse`
    """
    return float(np.sqrt(np.mean((y - y_hat) ** 2)))


@checked
def mean_absolute_error(y: Float[ndarray, "n"], y_hat: Float[ndarray, "n"]) -> float:
    """The mean size of a miss.

    MAE = (1/n) Σᵢ |yᵢ − ŷᵢ|                          {eq}`eq-metrics-rmse`
    """
    return float(np.mean(np.abs(y - y_hat)))
