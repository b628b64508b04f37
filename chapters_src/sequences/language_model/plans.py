"""The settings the chapter trains with, short and long, and the record a long run writes about itself.

``FULL=1 python -m chapters_src.sequences.language_model.plans`` trains the long ones and writes their record.
It can be stopped and started again: there is a checkpoint in ``_build`` after every measurement.
"""

from __future__ import annotations

import datetime
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch

from chapters_src import data
from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device
from chapters_src.core.device import seed as seeded
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Int, Tensor
from chapters_src.data.records import write_record
from chapters_src.sequences.language_model.counts import parameters
from chapters_src.sequences.language_model.evaluation import bits_per_character
from chapters_src.sequences.language_model.gpt import GPT, Config
from chapters_src.sequences.language_model.saving import resume, save
from chapters_src.sequences.language_model.training import Recipe, Run
from chapters_src.sequences.recurrent import Characters, ten_characters, train_held_out
from chapters_src.sequences.tokens import BytePairs, fit_byte_pairs_incremental

__all__ = [
    "PLANS",
    "Plan",
    "TokenisedText",
    "held_out_bits",
    "new_run",
    "tokenised",
]


@checked(merges=at_least(0), every=at_least(1))
@dataclass(frozen=True)
class Plan:
    """What to train: byte pairs with so many merges (characters if 0), the model's shape, and the recipe."""

    merges: int
    shape: dict[str, Any]
    recipe: Recipe
    every: int


SMALL = {"context": 64, "d": 128, "heads": 4, "layers": 4}
# The long runs started with a last gain of 1, as their record says.
WIDER = {"context": 128, "d": 160, "heads": 5, "layers": 4, "dropout": 0.15, "last_gain": 1.0}
LONGER = {"context": 128, "d": 128, "heads": 4, "layers": 4, "dropout": 0.05, "last_gain": 1.0}
PLANS = {
    "short": Plan(512, SMALL, Recipe(1200, 8, 64, 5e-3, 50, weight_decay=0.3), 300),
    "long": Plan(512, WIDER, Recipe(1800, 8, 128, 4e-3, 100, weight_decay=0.3), 100),
    "characters": Plan(0, LONGER, Recipe(3000, 8, 128, 4e-3, 100, weight_decay=0.3), 100),
}


class TokenisedText(NamedTuple):
    """Both parts of the text as tokens, and how many characters the held-out part has."""

    tokeniser: BytePairs | Characters
    train: Int[Tensor, "n"]
    held_out: Int[Tensor, "m"]
    characters: int


@checked(text=ten_characters, merges=at_least(0))
def tokenised(text: str, merges: int, device: Device = None) -> TokenisedText:
    """Tokens of both parts, cut apart first: merges are learned from the training part alone.

    With 0 merges a token is a character. Their alphabet is that of the whole text, as it is for counting.
    """
    train, held_out = train_held_out(text)
    tokeniser: BytePairs | Characters = Characters("".join(sorted(set(text))))
    if merges:
        tokeniser = fit_byte_pairs_incremental(train, merges, split="words")
    seen, unseen = (torch.tensor(tokeniser.encode(part), device=device) for part in (train, held_out))
    return TokenisedText(tokeniser, seen, unseen, len(held_out))


@checked(seed=at_least(0))
def new_run(plan: Plan, text: TokenisedText, seed: int = 0, device: Device = None) -> Run:
    """A run of this plan at step 0, its weights and its batches drawn from one seed."""
    generator = seeded(seed, device)
    return Run(GPT(_config(plan, text), generator, device), plan.recipe, generator)


def _config(plan: Plan, text: TokenisedText) -> Config:
    return Config(len(text.tokeniser), **plan.shape)


@checked
def held_out_bits(text: TokenisedText) -> Callable[[GPT], float]:
    """A function that gives a model's bits per character on the held-out part."""
    return lambda model: bits_per_character(model, text.train, text.held_out, text.characters)


def _trained(name: str, folder: Path) -> dict[str, Any]:
    """Train a plan to its end, from its checkpoint if there is one; return its part of the record."""
    plan = PLANS[name]
    text = tokenised(data.language_reference(), plan.merges)
    path, notes = folder / f"{name}.pt", folder / f"{name}.txt"
    run = resume(path) if path.is_file() else new_run(plan, text)
    require(
        run.recipe == plan.recipe and run.model.config == _config(plan, text),
        "checkpoint",
        f"be of the plan {name!r}, or not be there",
        str(path),
    )
    bits = held_out_bits(text)
    while run.step < plan.recipe.steps:
        before = time.process_time()
        run.train(text.train, min(run.step + plan.every, plan.recipe.steps))
        spent = time.process_time() - before
        done = run.evaluations[-1][1] if run.evaluations else 0.0
        run.evaluations.append((run.step, done + spent, bits(run.model)))
        save(path, run)
        notes.write_text(f"{run.evaluations}\n", encoding="utf-8")
    return {
        "merges": plan.merges,
        "vocabulary": len(text.tokeniser),
        "config": asdict(run.model.config),
        "recipe": asdict(plan.recipe),
        "parameters": parameters(run.model.config)["total"],
        "training tokens": len(text.train),
        "curve": [(step, round(seconds, 1), round(value, 4)) for step, seconds, value in run.evaluations],
    }


def _main(names: Sequence[str]) -> None:
    torch.set_num_threads(1)
    root = Path(__file__).parents[3]
    folder = root / "_build" / "long_run"
    folder.mkdir(parents=True, exist_ok=True)
    runs = {name: _trained(name, folder) for name in names}
    record = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, one thread, no GPU",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "seconds": "of CPU time, training alone",
        "runs": runs,
    }
    write_record("language_model", record)


if __name__ == "__main__" and os.environ.get("FULL") == "1":
    _main([name for name in PLANS if name != "short"])
