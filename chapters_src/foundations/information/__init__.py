"""Surprise, entropy and the distance of one distribution from another."""

from chapters_src.foundations.information.divergences import (
    LOG_2PI,
    discrete_kl,
    gaussian_entropy,
    gaussian_kl,
    multivariate_gaussian_kl,
)
from chapters_src.foundations.information.entropies import entropy, sums_to_one

__all__ = [
    "LOG_2PI",
    "discrete_kl",
    "entropy",
    "gaussian_entropy",
    "gaussian_kl",
    "multivariate_gaussian_kl",
    "sums_to_one",
]
