"""Norms between layers: numbers brought to mean 0 and variance 1, then stretched and moved as learned."""

from chapters_src.networks.normalisation.layers import layer_norm

__all__ = ["layer_norm"]
