"""What other chapters may import from here."""

from chapters_src.sequences.attention.weighted_mean import attention, attention_weights

__all__ = ["attention", "attention_weights"]
