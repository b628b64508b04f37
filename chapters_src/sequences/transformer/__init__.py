"""What other chapters may import from here."""

from chapters_src.sequences.transformer.blocks import (
    ACTIVATIONS,
    NORMS,
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    dropped,
    layer_norm,
)
from chapters_src.sequences.transformer.positions import (
    LearnedPositions,
    RelativeBias,
    frequencies,
    rotate,
    sinusoidal,
    wavelengths,
)
from chapters_src.sequences.transformer.self_attention import (
    POSITIONS,
    Cache,
    CrossAttention,
    SelfAttention,
    linear,
)

__all__ = [
    "ACTIVATIONS",
    "NORMS",
    "POSITIONS",
    "Cache",
    "CrossAttention",
    "DecoderBlock",
    "EncoderBlock",
    "FeedForward",
    "LearnedPositions",
    "RelativeBias",
    "SelfAttention",
    "dropped",
    "frequencies",
    "layer_norm",
    "linear",
    "rotate",
    "sinusoidal",
    "wavelengths",
]
