"""Mean and variance of numbers that pass by once, and of two streams put together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.shapes import Float, ndarray

__all__ = ["RunningMoments", "naive_variance", "running_moments"]


class RunningMoments(NamedTuple):
    """What has to be remembered of a stream: how many, their mean, and the sum of squares around it."""

    n: int
    mean: ndarray
    sum_squares: ndarray

    @property
    def variance(self) -> ndarray:
        """σ² = S / n"""
        return self.sum_squares / self.n

    @checked
    def after(self, x: Float[ndarray, "*d"]) -> RunningMoments:
        """The moments when one more value, or row of values, has passed.

        μₙ = μₙ₋₁ + (xₙ − μₙ₋₁) / n,  Sₙ = Sₙ₋₁ + (xₙ − μₙ)(xₙ − μₙ₋₁)      {eq}`eq-tensors-welford`
        """
        require(x.shape == self.mean.shape, "x", f"have shape {self.mean.shape}, as all before it", x.shape)
        n = self.n + 1
        mean = self.mean + (x - self.mean) / n
        return RunningMoments(n, mean, self.sum_squares + (x - mean) * (x - self.mean))

    @checked
    def merge(self, other: RunningMoments) -> RunningMoments:
        """The moments of two streams together, from their moments alone.

        S = S_g + S_h + (μ_h − μ_g)² n_g n_h / (n_g + n_h)                  {eq}`eq-tensors-merge`
        """
        if np.shape(other.mean) != np.shape(self.mean):
            refuse("other", f"have means of shape {np.shape(self.mean)}", np.shape(other.mean))
        if not self.n or not other.n:
            return self if self.n else other
        n = self.n + other.n
        gap = other.mean - self.mean
        mean = self.mean + gap * (other.n / n)
        between = gap**2 * (self.n * other.n / n)
        return RunningMoments(n, mean, self.sum_squares + other.sum_squares + between)


@checked
def running_moments(X: Float[ndarray, "n *d"]) -> RunningMoments:
    """Count, mean and sum of squares of the rows of X, each looked at once and forgotten.

    {eq}`eq-tensors-welford`
    """
    moments = RunningMoments(0, np.zeros(X.shape[1:]), np.zeros(X.shape[1:]))
    for x in X:
        moments = moments.after(x)
    return moments


@checked
def naive_variance(x: Float[ndarray, "n *d"]) -> Float[ndarray, "*d"] | float:
    """The mean of the squares minus the square of the mean: right on paper.

    σ² = (1/n) Σᵢxᵢ² − μ²                             {eq}`eq-tensors-naive`

    Two large numbers that nearly agree are subtracted, so values far from zero lose every digit. Kept to show
    that; use `running_moments`.
    """
    return np.mean(x**2, axis=0) - np.mean(x, axis=0) ** 2
