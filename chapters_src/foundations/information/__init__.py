"""Surprise, entropy and the distance of one distribution from another."""

from chapters_src.foundations.information.entropies import entropy, sums_to_one

__all__ = ["entropy", "sums_to_one"]
