"""Text as numbers: byte pairs, embeddings, and vectors from the company that words keep."""

from chapters_src.sequences.tokens.byte_pairs import (
    BytePairs,
    count_pairs,
    fit_byte_pairs,
    join_pair,
    split_words,
)
from chapters_src.sequences.tokens.co_occurrence import (
    analogy,
    co_occurrences,
    nearest,
    pointwise_mutual_information,
    word_vectors,
)
from chapters_src.sequences.tokens.fast import fit_byte_pairs_incremental
from chapters_src.sequences.tokens.vectors import (
    bits_per_byte,
    look_up,
    look_up_gradient,
    one_hot,
    unigram_entropy,
)

__all__ = [
    "BytePairs",
    "analogy",
    "bits_per_byte",
    "co_occurrences",
    "count_pairs",
    "fit_byte_pairs",
    "fit_byte_pairs_incremental",
    "join_pair",
    "look_up",
    "look_up_gradient",
    "nearest",
    "one_hot",
    "pointwise_mutual_information",
    "split_words",
    "unigram_entropy",
    "word_vectors",
]
