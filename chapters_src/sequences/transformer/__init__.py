"""Positions, norms, and the block: attention and a small network in turn."""

from chapters_src.sequences.transformer.blocks import (
    ACTIVATIONS,
    NORMS,
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    GatedFeedForward,
)
from chapters_src.sequences.transformer.positions import (
    LearnedPositions,
    LinearBias,
    RelativeBias,
    RelativeVectors,
    frequencies,
    rotate,
    sinusoidal,
    wavelengths,
)
from chapters_src.sequences.transformer.self_attention import (
    POSITIONS,
    Cache,
    SelfAttention,
)

__all__ = [
    "ACTIVATIONS",
    "NORMS",
    "POSITIONS",
    "Cache",
    "DecoderBlock",
    "EncoderBlock",
    "FeedForward",
    "GatedFeedForward",
    "LearnedPositions",
    "LinearBias",
    "RelativeBias",
    "RelativeVectors",
    "SelfAttention",
    "frequencies",
    "rotate",
    "sinusoidal",
    "wavelengths",
]
