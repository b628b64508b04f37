"""Encoder and decoder, masked models, fine-tuning, and low-rank adaptation."""

from chapters_src.sequences.gates import examples, fit_with_adam
from chapters_src.sequences.pretraining.classifiers import TextClassifier, TokenClassifier
from chapters_src.sequences.pretraining.in_context import (
    InContext,
    Tasks,
    best_guess,
    few_shot_mask,
    in_context_loss,
    random_lines,
)
from chapters_src.sequences.pretraining.lora import LowRank, adapt, merge
from chapters_src.sequences.pretraining.masked import MaskedModel, hide, masked_loss
from chapters_src.sequences.pretraining.seq2seq import (
    START,
    EncoderDecoder,
    exact_match,
    fit_seq2seq,
    greedy,
    real_tokens,
    seq2seq_loss,
    sorted_lists,
)
from chapters_src.sequences.pretraining.small_language import (
    LIKES,
    MASK,
    PAD,
    TAGS,
    WORDS,
    Passages,
    Sentences,
    as_text,
    passages,
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
    "InContext",
    "LowRank",
    "MaskedModel",
    "Passages",
    "Sentences",
    "Tasks",
    "TextClassifier",
    "TokenClassifier",
    "adapt",
    "as_text",
    "best_guess",
    "exact_match",
    "examples",
    "few_shot_mask",
    "fit_seq2seq",
    "fit_with_adam",
    "greedy",
    "hide",
    "in_context_loss",
    "masked_loss",
    "merge",
    "passages",
    "random_lines",
    "real_tokens",
    "sentences",
    "seq2seq_loss",
    "sorted_lists",
]
