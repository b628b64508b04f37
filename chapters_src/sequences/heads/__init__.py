"""Several heads of attention, masks that say who may look where, attention by blocks and backwards."""

from chapters_src.sequences.heads.blockwise import (
    Blockwise,
    Running,
    absorb,
    blockwise_attention,
    blockwise_backward,
    blockwise_forward,
)
from chapters_src.sequences.heads.gradients import Gradients, attention_backward, softmax_backward
from chapters_src.sequences.heads.masks import causal, padding, window
from chapters_src.sequences.heads.multi_head import (
    MultiHeadAttention,
    merge_heads,
    share_heads,
    split_heads,
)

__all__ = [
    "Blockwise",
    "Gradients",
    "MultiHeadAttention",
    "Running",
    "absorb",
    "attention_backward",
    "blockwise_attention",
    "blockwise_backward",
    "blockwise_forward",
    "causal",
    "merge_heads",
    "padding",
    "share_heads",
    "softmax_backward",
    "split_heads",
    "window",
]
