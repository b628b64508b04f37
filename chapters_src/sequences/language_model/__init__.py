"""A GPT and its training on one long text, what it costs, and rivals that only count."""

from chapters_src.sequences.language_model.counts import (
    forward_operations,
    parameters,
)
from chapters_src.sequences.language_model.evaluation import bits_per_character, total_nats
from chapters_src.sequences.language_model.gpt import GPT, Config, next_token_loss
from chapters_src.sequences.language_model.ladder import (
    PARTS,
    PARTS_RECIPE,
    RUNGS,
    SIZES_RECIPE,
    PastMean,
    PowerLaw,
    power_law,
    run_without,
    rung,
    trained_bits,
    without,
)
from chapters_src.sequences.language_model.plans import (
    PLANS,
    Plan,
    TokenisedText,
    held_out_bits,
    new_run,
    tokenised,
)
from chapters_src.sequences.language_model.rivals import compressed_bits, kneser_ney_bits
from chapters_src.sequences.language_model.saving import from_gpt2, resume, save
from chapters_src.sequences.language_model.training import Evaluation, Recipe, Run, one_pass, windows
from chapters_src.sequences.recurrent import (
    Characters,
    WittenBell,
    bits_by_context,
    counting_bits,
    train_held_out,
)

__all__ = [
    "GPT",
    "PARTS",
    "PARTS_RECIPE",
    "PLANS",
    "RUNGS",
    "SIZES_RECIPE",
    "Characters",
    "Config",
    "Evaluation",
    "PastMean",
    "Plan",
    "PowerLaw",
    "Recipe",
    "Run",
    "TokenisedText",
    "WittenBell",
    "bits_by_context",
    "bits_per_character",
    "compressed_bits",
    "counting_bits",
    "forward_operations",
    "from_gpt2",
    "held_out_bits",
    "kneser_ney_bits",
    "new_run",
    "next_token_loss",
    "one_pass",
    "parameters",
    "power_law",
    "resume",
    "run_without",
    "rung",
    "save",
    "tokenised",
    "total_nats",
    "train_held_out",
    "trained_bits",
    "windows",
    "without",
]
