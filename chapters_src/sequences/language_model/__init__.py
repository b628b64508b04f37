"""What other chapters may import from here."""

from chapters_src.sequences.language_model.counts import (
    cache_numbers,
    forward_operations,
    parameters,
    training_operations,
)
from chapters_src.sequences.language_model.gpt import GPT, Config, next_token_loss
from chapters_src.sequences.language_model.ngrams import WittenBell, bits_by_context, counting_bits
from chapters_src.sequences.language_model.plans import (
    PLANS,
    Characters,
    Plan,
    Prepared,
    halves,
    measured,
    prepared,
    started,
)
from chapters_src.sequences.language_model.saving import resume, save
from chapters_src.sequences.language_model.training import (
    Evaluation,
    Recipe,
    Run,
    bits_per_character,
    one_pass,
    total_nats,
    windows,
)

__all__ = [
    "GPT",
    "PLANS",
    "Characters",
    "Config",
    "Evaluation",
    "Plan",
    "Prepared",
    "Recipe",
    "Run",
    "WittenBell",
    "bits_by_context",
    "bits_per_character",
    "cache_numbers",
    "counting_bits",
    "forward_operations",
    "halves",
    "measured",
    "next_token_loss",
    "one_pass",
    "parameters",
    "prepared",
    "resume",
    "save",
    "started",
    "total_nats",
    "training_operations",
    "windows",
]
