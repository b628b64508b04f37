"""Text as numbers: byte pairs, Unigram, embeddings, and vectors from the company that words keep."""

from chapters_src.sequences.tokens.byte_pairs import (
    BytePairs,
    count_pairs,
    fit_byte_pairs,
    join_pair,
)
from chapters_src.sequences.tokens.co_occurrence import (
    analogy,
    co_occurrences,
    nearest,
    pointwise_mutual_information,
    word_vectors,
)
from chapters_src.sequences.tokens.fast import fit_byte_pairs_incremental
from chapters_src.sequences.tokens.splitting import character_kinds, split_words
from chapters_src.sequences.tokens.unigram import best_segmentation, em_step, expected_counts, fit_unigram
from chapters_src.sequences.tokens.vectors import bits_per_byte, look_up, look_up_gradient

__all__ = [
    "BytePairs",
    "analogy",
    "best_segmentation",
    "bits_per_byte",
    "character_kinds",
    "co_occurrences",
    "count_pairs",
    "em_step",
    "expected_counts",
    "fit_byte_pairs",
    "fit_byte_pairs_incremental",
    "fit_unigram",
    "join_pair",
    "look_up",
    "look_up_gradient",
    "nearest",
    "pointwise_mutual_information",
    "split_words",
    "word_vectors",
]
