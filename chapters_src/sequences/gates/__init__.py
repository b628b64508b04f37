"""Gated cells, what they are good for, and an encoder and decoder made of them."""

from chapters_src.sequences.gates.cells import GRUStep, LSTMStep, gru_step, lstm_step
from chapters_src.sequences.gates.fast import gru_states, lstm_states
from chapters_src.sequences.gates.fitting import Pairs, examples, fit_with_adam
from chapters_src.sequences.gates.layers import GRU, LSTM
from chapters_src.sequences.gates.patterns import (
    FORECAST_WORDS,
    FORECASTS,
    MONTHS,
    REVIEW_WORDS,
    TAGGED_WORDS,
    TAGS,
    Forecaster,
    ReviewReader,
    Tagger,
    forecasts,
    reviews,
    tagged_sentences,
)
from chapters_src.sequences.gates.scan import linear_recurrence, parallel_scan
from chapters_src.sequences.gates.seq2seq import (
    Translator,
    accuracy_by_phrases,
    fit_translator,
    translation_loss,
    translations,
)
from chapters_src.sequences.gates.translation import (
    BOS,
    ENGLISH,
    EOS,
    PAD,
    SPANISH,
    SentencePairs,
    sentence_pairs,
    translated,
    words_of,
)

__all__ = [
    "BOS",
    "ENGLISH",
    "EOS",
    "FORECASTS",
    "FORECAST_WORDS",
    "GRU",
    "LSTM",
    "MONTHS",
    "PAD",
    "REVIEW_WORDS",
    "SPANISH",
    "TAGGED_WORDS",
    "TAGS",
    "Forecaster",
    "GRUStep",
    "LSTMStep",
    "Pairs",
    "ReviewReader",
    "SentencePairs",
    "Tagger",
    "Translator",
    "accuracy_by_phrases",
    "examples",
    "fit_translator",
    "fit_with_adam",
    "forecasts",
    "gru_states",
    "gru_step",
    "linear_recurrence",
    "lstm_states",
    "lstm_step",
    "parallel_scan",
    "reviews",
    "sentence_pairs",
    "tagged_sentences",
    "translated",
    "translation_loss",
    "translations",
    "words_of",
]
