"""Attention: each query takes a mean of values, weighted by how well their keys fit."""

from chapters_src.sequences.attention.long_runs import accuracies, trained_translator
from chapters_src.sequences.attention.looking_back import AttentiveTranslator, additive_weights, looks
from chapters_src.sequences.attention.weighted_mean import attention, attention_weights

__all__ = [
    "AttentiveTranslator",
    "accuracies",
    "additive_weights",
    "attention",
    "attention_weights",
    "looks",
    "trained_translator",
]
