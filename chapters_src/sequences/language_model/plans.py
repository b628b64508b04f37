"""The settings the chapter trains with, short and long, and the record a long run writes about itself.

``FULL=1 python -m chapters_src.sequences.language_model.plans`` trains the long ones and writes their record.
It can be stopped and started again: there is a checkpoint in ``_build`` after every measurement.
"""

from __future__ import annotations

import datetime
import os
import platform
import pprint
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch

from chapters_src import data
from chapters_src.core import checks, tensors
from chapters_src.core import device as devices
from chapters_src.core.shapes import Int, Tensor
from chapters_src.sequences.language_model.counts import parameters
from chapters_src.sequences.language_model.gpt import GPT, Config
from chapters_src.sequences.language_model.saving import resume, save
from chapters_src.sequences.language_model.training import Recipe, Run, bits_per_character
from chapters_src.sequences.tokens.byte_pairs import BytePairs
from chapters_src.sequences.tokens.fast import fit_byte_pairs_incremental

__all__ = ["PLANS", "Characters", "Plan", "Prepared", "halves", "measured", "prepared", "started"]


@dataclass(frozen=True)
class Plan:
    """What to train: byte pairs with so many merges (characters if 0), the model's shape, and the recipe."""

    merges: int
    shape: dict[str, Any]
    recipe: Recipe
    every: int


SMALL = {"context": 64, "d": 128, "heads": 4, "layers": 4}
WIDER = {"context": 128, "d": 160, "heads": 5, "layers": 4, "dropout": 0.15}
LONGER = {"context": 128, "d": 128, "heads": 4, "layers": 4, "dropout": 0.05}
PLANS = {
    "short": Plan(512, SMALL, Recipe(1200, 8, 64, 5e-3, 50, weight_decay=0.3), 300),
    "long": Plan(512, WIDER, Recipe(1800, 8, 128, 4e-3, 100, weight_decay=0.3), 100),
    "characters": Plan(0, LONGER, Recipe(3000, 8, 128, 4e-3, 100, weight_decay=0.3), 100),
}


@dataclass(frozen=True)
class Characters:
    """A token for every character of an alphabet; for comparison with byte pairs."""

    alphabet: str

    def __len__(self) -> int:
        return len(self.alphabet)

    def encode(self, text: str) -> list[int]:
        if not isinstance(text, str):
            checks.fail("Characters.encode", "text", "be a string", tensors.outline(text))
        number = {c: i for i, c in enumerate(self.alphabet)}
        unknown = set(text) - set(number)
        if unknown:
            checks.fail(
                "Characters.encode", "text", "hold characters of the alphabet", f"{len(unknown)} others"
            )
        return [number[c] for c in text]

    def decode(self, tokens: Sequence[int]) -> str:
        last = len(self) - 1
        if any(not 0 <= i <= last for i in tokens):
            checks.fail("Characters.decode", "tokens", f"be from 0 to {last}", "others")
        return "".join(self.alphabet[i] for i in tokens)


class Prepared(NamedTuple):
    """Both parts of the text as tokens, and how many characters the held-out part has."""

    tokeniser: BytePairs | Characters
    train: Int[Tensor, "n"]
    held_out: Int[Tensor, "m"]
    characters: int


def halves(text: str) -> tuple[str, str]:
    """What is trained on, and the last tenth, which is held out."""
    if not isinstance(text, str) or len(text) < 10:
        checks.fail("halves", "text", "be a text of ten characters or more", tensors.outline(text))
    cut = len(text) - len(text) // 10
    return text[:cut], text[cut:]


def prepared(text: str, merges: int, device: Any = None) -> Prepared:
    """Tokens of both parts, cut apart first: merges are learned from the training part alone.

    With 0 merges a token is a character. Their alphabet is that of the whole text, as it is for counting.
    """
    train, held_out = halves(text)
    merges = checks.integer("prepared", "merges", merges, at_least=0)
    tokeniser: BytePairs | Characters = Characters("".join(sorted(set(text))))
    if merges:
        tokeniser = fit_byte_pairs_incremental(train, merges, words=True)
    seen, unseen = (torch.tensor(tokeniser.encode(part), device=device) for part in (train, held_out))
    return Prepared(tokeniser, seen, unseen, len(held_out))


def started(plan: Plan, ready: Prepared, seed: int = 0, device: Any = None) -> Run:
    """A run of this plan at step 0, its weights and its batches drawn from one seed."""
    if not isinstance(plan, Plan):
        checks.fail("started", "plan", "be a Plan", tensors.outline(plan))
    generator = devices.seed(seed, device)
    return Run(GPT(_config(plan, ready), generator, device), plan.recipe, generator)


def _config(plan: Plan, ready: Prepared) -> Config:
    return Config(len(ready.tokeniser), **plan.shape)


def measured(ready: Prepared) -> Callable[[GPT], float]:
    """A function that gives a model's bits per character on the held-out part."""
    return lambda model: bits_per_character(model, ready.train, ready.held_out, ready.characters)


def _trained(name: str, folder: Path) -> dict[str, Any]:
    """Train a plan to its end, from its checkpoint if there is one; return its part of the record."""
    plan = PLANS[name]
    ready = prepared(data.language_reference(), plan.merges)
    path, notes = folder / f"{name}.pt", folder / f"{name}.txt"
    run = resume(path) if path.is_file() else started(plan, ready)
    if run.recipe != plan.recipe or run.model.config != _config(plan, ready):
        checks.fail("recipe", "checkpoint", f"be of the plan {name!r}, or not be there", str(path))
    bits = measured(ready)
    while run.step < plan.recipe.steps:
        before = time.process_time()
        run.train(ready.train, min(run.step + plan.every, plan.recipe.steps))
        spent = time.process_time() - before
        done = run.evaluations[-1][1] if run.evaluations else 0.0
        run.evaluations.append((run.step, done + spent, bits(run.model)))
        save(path, run)
        notes.write_text(f"{run.evaluations}\n", encoding="utf-8")
    return {
        "merges": plan.merges,
        "vocabulary": len(ready.tokeniser),
        "config": asdict(run.model.config),
        "recipe": asdict(plan.recipe),
        "parameters": parameters(run.model.config)["total"],
        "training tokens": len(ready.train),
        "curve": [(step, round(seconds, 1), round(value, 4)) for step, seconds, value in run.evaluations],
    }


def _write(record: dict[str, Any], target: Path) -> None:
    text = pprint.pformat(record, width=100, sort_dicts=False, compact=True)
    head = '"""What the long runs found, written by `recipe.py` itself: see there. Do not edit."""'
    target.write_text(f"{head}\n\n# fmt: off\nRECORD = {text}\n", encoding="utf-8")


def _main(names: Sequence[str]) -> None:
    torch.set_num_threads(1)
    root = Path(__file__).parents[2]
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
    _write(record, Path(__file__).with_name("long_run.py"))


if __name__ == "__main__" and os.environ.get("FULL") == "1":
    _main([name for name in PLANS if name != "short"])
