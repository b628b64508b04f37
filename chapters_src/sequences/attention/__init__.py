"""Attention: each query takes a mean of values, weighted by how well their keys fit."""

from chapters_src.sequences.attention.weighted_mean import attention, attention_weights

__all__ = ["attention", "attention_weights"]
