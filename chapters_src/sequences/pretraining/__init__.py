"""Encoder and decoder, masked models, fine-tuning, and low-rank adaptation."""

from chapters_src.sequences.gates import examples, fit_with_adam
from chapters_src.sequences.pretraining.classifiers import TextClassifier, TokenClassifier
from chapters_src.sequences.pretraining.lora import LowRank, adapt, merge
from chapters_src.sequences.pretraining.masked import MaskedModel, hide, masked_loss
from chapters_src.sequences.pretraining.seq2seq import (
    START,
    EncoderDecoder,
    exact_match,
    fit_seq2seq,
    greedy,
    reversed_digits,
    seq2seq_loss,
    sorted_digits,
)
from chapters_src.sequences.pretraining.small_language import (
    LIKES,
    MASK,
    PAD,
    TAGS,
    WORDS,
    Sentences,
    as_text,
    sentences,
)

__all__ = [
    "LIKES",
    "MASK",
    "PAD",
    "START",
    "TAGS",
    "WORDS",
    "EncoderDecoder",
    "LowRank",
    "MaskedModel",
    "Sentences",
    "TextClassifier",
    "TokenClassifier",
    "adapt",
    "as_text",
    "exact_match",
    "examples",
    "fit_seq2seq",
    "fit_with_adam",
    "greedy",
    "hide",
    "masked_loss",
    "merge",
    "reversed_digits",
    "sentences",
    "seq2seq_loss",
    "sorted_digits",
]
