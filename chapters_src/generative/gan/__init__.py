"""Adversarial networks: one network draws, another tells drawn from true; and how close the drawn come."""

from chapters_src.generative.gan.energy import energy_distance, expected_energy_distance, mean_distance

__all__ = ["energy_distance", "expected_energy_distance", "mean_distance"]
