"""Recurrent networks: one step over and over, back-propagation through time, and a model of characters."""

from chapters_src.sequences.recurrent.characters import (
    Characters,
    parallel_windows,
    recall_task,
    ten_characters,
    train_held_out,
)
from chapters_src.sequences.recurrent.counting import (
    WittenBell,
    bits_by_context,
    counting_bits,
    some_text,
    symbols,
)
from chapters_src.sequences.recurrent.model import (
    CharacterModel,
    bits_per_place,
    character_model,
    next_character_loss,
    write,
)
from chapters_src.sequences.recurrent.through_time import (
    Gradients,
    backward_through_time,
    chain_terms,
    clip_by_norm,
    reach,
)
from chapters_src.sequences.recurrent.truncation import hard_truncation, random_keep, soft_truncation
from chapters_src.sequences.recurrent.unrolling import States, recurrent_step, unroll

__all__ = [
    "CharacterModel",
    "Characters",
    "Gradients",
    "States",
    "WittenBell",
    "backward_through_time",
    "bits_by_context",
    "bits_per_place",
    "chain_terms",
    "character_model",
    "clip_by_norm",
    "counting_bits",
    "hard_truncation",
    "next_character_loss",
    "parallel_windows",
    "random_keep",
    "reach",
    "recall_task",
    "recurrent_step",
    "soft_truncation",
    "some_text",
    "symbols",
    "ten_characters",
    "train_held_out",
    "unroll",
    "write",
]
