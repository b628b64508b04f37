"""Surprise, entropy, codes, and the divergence of one distribution from another."""

from chapters_src.foundations.information.codes import huffman_code, kraft_sum
from chapters_src.foundations.information.divergences import (
    LOG_2PI,
    discrete_kl,
    gaussian_entropy,
    gaussian_kl,
    multivariate_gaussian_kl,
    mutual_information,
)
from chapters_src.foundations.information.entropies import (
    discrete_cross_entropy,
    entropy,
    surprise,
)

__all__ = [
    "LOG_2PI",
    "discrete_cross_entropy",
    "discrete_kl",
    "entropy",
    "gaussian_entropy",
    "gaussian_kl",
    "huffman_code",
    "kraft_sum",
    "multivariate_gaussian_kl",
    "mutual_information",
    "surprise",
]
