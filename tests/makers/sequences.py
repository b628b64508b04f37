"""Small valid arguments for the functions of this part, by annotation or as `function.argument`."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn

from chapters_src.core.modules import linear
from chapters_src.core.training import TrainingRun
from chapters_src.sequences.attention import AttentiveTranslator
from chapters_src.sequences.gates import Translator
from chapters_src.sequences.heads import Running
from chapters_src.sequences.language_model import GPT, Config, Plan, Recipe, Run, save, tokenised
from chapters_src.sequences.pretraining import (
    EncoderDecoder,
    InContext,
    MaskedModel,
    random_lines,
    sorted_lists,
)
from chapters_src.sequences.recurrent import character_model, unroll
from chapters_src.sequences.tokens import BytePairs
from chapters_src.sequences.transformer import Cache

torch.set_num_threads(1)
TEXT = "the cat sat on the mat and the dog sat on the log; " * 4


def seeded(n: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(n)


def config() -> Config:
    return Config(vocabulary=7, context=6, d=8, heads=2, layers=1)


def gpt() -> GPT:
    return GPT(config(), seeded())


def masked_model() -> MaskedModel:
    return MaskedModel(9, 6, 8, 2, 1, seeded())


def sorter() -> EncoderDecoder:
    return EncoderDecoder(11, 8, 2, 1, seeded())


def recipe() -> Recipe:
    return Recipe(steps=4, batch_size=2, length=4, warm_up=1)


def run() -> Run:
    return Run(gpt(), recipe(), seeded())


def plan() -> Plan:
    return Plan(3, {"context": 8, "d": 8, "heads": 2, "layers": 1}, Recipe(4, 2, 8, 1e-2, 1), 2)


def gpt2_state() -> dict[str, torch.Tensor]:
    d, sizes = 4, {"attn.c_attn": (4, 12), "attn.c_proj": (4, 4), "mlp.c_fc": (4, 8), "mlp.c_proj": (8, 4)}
    state = {"wte.weight": torch.ones(7, d), "wpe.weight": torch.ones(6, d)}
    for name in ("ln_f", "h.0.ln_1", "h.0.ln_2"):
        state |= {f"{name}.weight": torch.ones(d), f"{name}.bias": torch.zeros(d)}
    for name, size in sizes.items():
        state |= {f"h.0.{name}.weight": torch.ones(size), f"h.0.{name}.bias": torch.zeros(size[1])}
    return state


def checkpoint() -> Path:
    return save(Path(tempfile.mkdtemp()) / "run.pt", run())


def squared(model: nn.Module, batch: torch.Tensor) -> torch.Tensor:
    return model(batch).square().mean()


def flat_step(words: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.full((len(words), 3), 1 / 3).log(), state


MAKERS = {
    "torch.Generator": seeded,
    "nn.Module": lambda: linear(3, 2, seeded()),
    "nn.Linear": lambda: linear(3, 2, seeded()),
    "torch.optim.Optimizer": lambda: torch.optim.Adam(linear(3, 2, seeded()).parameters()),
    "TrainingRun": lambda: TrainingRun(torch.optim.Adam(linear(3, 2, seeded()).parameters())),
    "Running": lambda: Running(torch.zeros(2, 1), torch.ones(2, 1), torch.zeros(2, 3)),
    "Cache": lambda: Cache(1, 2, 6, 4, torch.zeros(1)),
    "Config": config,
    "GPT": gpt,
    "Recipe": recipe,
    "Run": run,
    "Plan": plan,
    "TokenisedText": lambda: tokenised(TEXT, 3),
    "MaskedModel": masked_model,
    "EncoderDecoder": sorter,
    "InContext": lambda: InContext(8, 2, 1, seeded()),
    "Tasks": lambda: random_lines(2, 3, seeded()),
    "Translator": lambda: Translator(6, seeded()),
    "AttentiveTranslator": lambda: AttentiveTranslator(6, seeded()),
    "trained_translator.score": lambda: "dot",
    "trained_translator.steps": lambda: 2,
    "trained_translator.m": lambda: 4,
    "translated.english": lambda: "the red dog sees the house",
    "words_of.language": lambda: "Spanish",
    "BytePairs": lambda: BytePairs([(97, 98)]),
    "next_token_loss.model": gpt,
    "Run.model": gpt,
    "save.path": lambda: Path(tempfile.mkdtemp()) / "run.pt",
    "resume.path": checkpoint,
    "save.run": run,
    "train.loss": lambda: squared,
    "train.batches": lambda: itertools.repeat(torch.ones(2, 3)),
    "train.model": lambda: linear(3, 2, seeded()),
    "fit_with_adam.loss": lambda: squared,
    "fit_with_adam.batches": lambda: itertools.repeat(torch.ones(2, 3)),
    "fit_seq2seq.task": lambda: sorted_lists,
    "examples.task": lambda: sorted_lists,
    "adapt.model": masked_model,
    "LowRank.rank": lambda: 1,
    "join_pair.pair": lambda: (1, 2),
    "BytePairs.merges": lambda: [(97, 98)],
    "BytePairs.specials": lambda: ("<end>",),
    "BytePairs.special.name": lambda: "<end>",
    "co_occurrences.V": lambda: 100,
    "counting_bits.train": lambda: TEXT,
    "counting_bits.held_out": lambda: "the cat",
    "counting_bits.vocabulary": lambda: 40,
    "kneser_ney_bits.train": lambda: TEXT,
    "kneser_ney_bits.held_out": lambda: "the cat",
    "kneser_ney_bits.vocabulary": lambda: 40,
    "compressed_bits.train": lambda: TEXT,
    "compressed_bits.held_out": lambda: "the cat",
    "from_gpt2.state": gpt2_state,
    "run_without.part": lambda: "network",
    "run_without.recipe": recipe,
    "trained_bits.model": lambda: GPT(Config(259, 6, 8, 2, 1), seeded()),
    "rung.name": lambda: "average",
    "without.part": lambda: "network",
    "trained_bits.recipe": recipe,
    "power_law.S": lambda: np.array([1.0, 2.0, 4.0]),
    "power_law.B": lambda: np.array([3.0, 2.0, 1.5]),
    "WittenBell.alphabet": lambda: "".join(sorted(set(TEXT))),
    "WittenBell.text": lambda: TEXT,
    "tokenised.text": lambda: TEXT,
    "train_held_out.text": lambda: TEXT,
    "record.name": lambda: "language_model",
    "write_record.folder": lambda: Path(tempfile.mkdtemp()),
    "Characters.alphabet": lambda: "abc",
    "States": lambda: unroll(np.zeros((2, 3, 2)), np.ones((2, 2)), np.ones((2, 2)), np.zeros(2)),
    "CharacterModel": lambda: character_model(5, 2, np.random.default_rng(0)),
    "Plan.shape": lambda: {"context": 8, "d": 8, "heads": 2, "layers": 1},
    "Plan.recipe": recipe,
    "bits_by_context.train": lambda: TEXT,
    "bits_by_context.held_out": lambda: "the cat",
    "padding.lengths": lambda: [1, 2],
    "masked_loss.chosen": lambda: torch.ones(2, 3, dtype=torch.bool),
    "count_pairs.tokens": lambda: [1, 2, 1, 2],
    "join_pair.tokens": lambda: [1, 2, 1, 2],
    "split_words.text": lambda: TEXT,
    "character_kinds.text": lambda: TEXT,
    "best_segmentation.text": lambda: TEXT,
    "best_segmentation.p": lambda: {b"a": 0.5, b"th": 0.5},
    "expected_counts.words": lambda: {"ab": 2},
    "expected_counts.p": lambda: {b"a": 0.5, b"b": 0.5},
    "em_step.words": lambda: {"ab": 2},
    "em_step.p": lambda: {b"a": 0.5, b"b": 0.5},
    "fit_unigram.text": lambda: TEXT,
    "fit_byte_pairs.text": lambda: TEXT,
    "fit_byte_pairs_incremental.text": lambda: TEXT,
    "look_up.tokens": lambda: torch.tensor([0, 1]),
    "look_up_gradient.tokens": lambda: torch.tensor([0, 1]),
    "look_up_gradient.G": lambda: torch.ones(2, 3),
    "Cache.like": lambda: torch.zeros(1),
    "beam_search.step": lambda: flat_step,
    "beam_search.state": lambda: torch.zeros(1, 1),
    "exhaustive_search.step": lambda: flat_step,
    "exhaustive_search.state": lambda: torch.zeros(1, 1),
    "translator_steps.source": lambda: torch.tensor([[3, 5, 2]]),
    "speculate.tokens": lambda: torch.tensor([1, 2]),
    "token_rules.grammar": lambda: {0: {"a": 1}, 1: {}},
    "token_rules.pieces": lambda: ["a", "b"],
    "constrained.tokens": lambda: torch.tensor([1, 2]),
    "constrained.rules": lambda: torch.zeros(1, 7, dtype=torch.long),
    "constrained.count": lambda: 2,
    "draw.chances": lambda: torch.ones(2, 3),
    "verified.p": lambda: torch.full((3, 4), 0.25),
    "verified.q": lambda: torch.full((2, 4), 0.25),
    "verified.drafts": lambda: torch.tensor([0, 1]),
    "fit_translator.steps": lambda: 2,
    "fit_seq2seq.steps": lambda: 2,
    "clip_by_norm.g": lambda: np.ones((2, 3)),
    "share_heads.heads": lambda: 4,
    "Recipe.steps": lambda: 60,
    "from_gpt2.heads": lambda: 2,
    "one_pass.length": lambda: 1,
    "EncoderDecoder.d": lambda: 4,
    "EncoderDecoder.heads": lambda: 2,
    "hide.mask_token": lambda: 2,
    "backward_through_time.G": lambda: np.ones((2, 3, 2)),
    "backward_through_time.X": lambda: np.zeros((2, 3, 2)),
    "backward_through_time.W1": lambda: np.ones((2, 2)),
    "next_character_loss.h": lambda: np.zeros((30, 2)),
    "absorb.scores": lambda: torch.zeros(2, 4),
    "absorb.V": lambda: torch.ones(4, 3),
    "analogy.E": lambda: np.eye(5, 3) + 0.1,
    "nearest.E": lambda: np.eye(5, 3) + 0.1,
    "nearest.v": lambda: np.ones(3),
    "word_vectors.M": lambda: np.eye(4),
    **{f"{name}.d": lambda: 4 for name in ("frequencies", "sinusoidal", "wavelengths")},
    "rotate.x": lambda: torch.ones(2, 4),
    "rotate.positions": lambda: torch.arange(2),
}
