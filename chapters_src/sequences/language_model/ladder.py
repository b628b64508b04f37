"""A GPT with parts exchanged or left out: the way up to it, what each part is worth, and what size is worth.

``python -m chapters_src.sequences.language_model.ladder`` trains the models of its record.
"""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from torch import nn

from chapters_src import data
from chapters_src.core.contract import checked
from chapters_src.core.device import seed
from chapters_src.core.modules import linear
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.core.tensor_readers import like_weights
from chapters_src.data.records import write_record
from chapters_src.sequences.language_model.gpt import GPT, Config
from chapters_src.sequences.language_model.plans import TokenisedText, held_out_bits, tokenised
from chapters_src.sequences.language_model.training import Recipe, Run

__all__ = [
    "PARTS",
    "PARTS_RECIPE",
    "RUNGS",
    "SIZES_RECIPE",
    "PastMean",
    "PowerLaw",
    "power_law",
    "run_without",
    "rung",
    "trained_bits",
    "without",
]

RUNGS = ("pairs", "average", "one head", "one block", "blocks")
PARTS = (
    "nothing",
    "positions",
    "several heads",
    "norms in the blocks",
    "network",
    "shared table",
    "shared table, network",
    "small last gain",
)
MERGES = 512
WIDTHS = (16, 24, 32, 48, 64, 96)
PARTS_RECIPE = Recipe(300, 16, 64, 1e-2, 50)
SLOWER_RECIPE = Recipe(300, 16, 64, 4e-3, 50)
SIZES_RECIPE = Recipe(600, 16, 64, 1e-2, 50)


class PastMean(nn.Module):
    """In the place of attention: every position reads the plain mean of itself and all before it.

    output_t = (1/t) Σ_{s≤t} x_s W + b                          {eq}`eq-language-model-average`
    """

    @checked(d=at_least(1))
    def __init__(self, d: int, generator: torch.Generator) -> None:
        super().__init__()
        self.out = linear(d, d, generator)

    @checked(x=like_weights)
    def forward(
        self, x: Float[Tensor, "B t {self.out.in_features}"], *ignored: Any
    ) -> Float[Tensor, "B t d"]:
        """The mean of the past; what the mask and the cache of attention say is not needed."""
        counts = torch.arange(1, x.shape[1] + 1, device=x.device, dtype=x.dtype)
        return self.out(x.cumsum(1) / counts[:, None])


class _Nothing(nn.Module):
    """A part that adds nothing."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


@checked(name=one_of(RUNGS))
def rung(name: str, config: Config, generator: torch.Generator) -> GPT:
    """A step on the way to a GPT of this shape.

    "pairs" has no blocks: the next token from the current one alone. "average" adds the mean of the past,
    "one head" attention in its place, "one block" all heads and the network, "blocks" all layers.
    """
    layers = config.layers if name == "blocks" else 1
    heads = 1 if name == "one head" else config.heads
    model = GPT(replace(config, layers=layers, heads=heads), generator)
    block = cast(Any, model.blocks[0])
    if name == "pairs":
        model.blocks = nn.ModuleList()
    if name == "average":
        block.attention = PastMean(config.d, generator)
    if name in ("average", "one head"):
        block.feed_forward = _Nothing()
    return model


@checked(part=one_of(PARTS))
def without(part: str, config: Config, generator: torch.Generator) -> GPT:
    """A GPT of this shape that lacks a part.

    Without norms in the blocks the last norm stays; without the shared table there is one of its own for
    the outputs; without the small last gain the last norm starts with a gain of 1.
    """
    if part == "positions":
        config = replace(config, position="none")
    if part == "several heads":
        config = replace(config, heads=1)
    if part == "small last gain":
        config = replace(config, last_gain=1.0)
    if "shared table" in part:
        config = replace(config, tied=False)
    model = GPT(config, generator)
    for block in cast(Any, model.blocks):
        if "network" in part:
            block.feed_forward = _Nothing()
        if part == "norms in the blocks":
            block.attention_norm, block.network_norm = nn.Identity(), nn.Identity()
    return model


class PowerLaw(NamedTuple):
    """B = e^intercept · S^(−exponent), and the standard error of the exponent."""

    exponent: float
    error: float
    intercept: float


@checked
def power_law(S: Float[ndarray, "n"], B: Float[ndarray, "n"]) -> PowerLaw:
    """A straight line through log B against log S, by least squares.

    log B ≈ log c − α log S                                     {eq}`eq-language-model-power-law`

    se(α)² = Σ residuals²/(n − 2) / Σ (log S − mean)²
    """
    x, y = np.log(S), np.log(B)
    away = x - x.mean()
    slope = away @ y / (away @ away)
    left = y - y.mean() - slope * away
    error = np.sqrt(left @ left / (len(x) - 2) / (away @ away))
    return PowerLaw(float(-slope), float(error), float(y.mean() - slope * x.mean()))


@checked
def trained_bits(model: GPT, recipe: Recipe, text: TokenisedText, generator: torch.Generator) -> float:
    """Train a model in place by this recipe; return its held-out bits per character."""
    Run(model, recipe, generator).train(text.train, progress=False)
    return held_out_bits(text)(model)


@checked(part=one_of(PARTS), number=at_least(0))
def run_without(part: str, number: int, text: TokenisedText, recipe: Recipe = PARTS_RECIPE) -> float:
    """Held-out bits of a GPT of two layers that lacks a part; ``number`` seeds weights and batches."""
    generator = seed(number)
    model = without(part, _shape(64, text), generator)
    return trained_bits(model, recipe, text, generator)


def _shape(d: int, text: TokenisedText) -> Config:
    return Config(len(text.tokeniser), 64, d, 4, 2)


def _rungs(numbers: Sequence[int], text: TokenisedText) -> dict[str, list[float]]:
    config = Config(len(text.tokeniser), 64, 64, 4, 3, tied=False)
    found: dict[str, list[float]] = {}
    for name in (*RUNGS, "one head, no positions"):
        shape = replace(config, position="none") if "no positions" in name else config
        for number in numbers:
            generator = seed(number)
            model = rung(name.split(",")[0], shape, generator)
            bits = trained_bits(model, PARTS_RECIPE, text, generator)
            found.setdefault(name, []).append(round(bits, 4))
    return found


def _sizes(numbers: Sequence[int], text: TokenisedText) -> list[dict[str, Any]]:
    rows = []
    for d in WIDTHS:
        config, bits = _shape(d, text), []
        for number in numbers:
            generator = seed(number)
            bits.append(trained_bits(GPT(config, generator), SIZES_RECIPE, text, generator))
        rows.append({"d": d, "in blocks": 12 * config.layers * d**2, "bits": [round(b, 4) for b in bits]})
    return rows


def _main() -> None:
    torch.set_num_threads(1)
    text = tokenised(data.language_reference(), MERGES)
    bits = lambda part, recipe: [round(run_without(part, n, text, recipe), 4) for n in range(3)]  # noqa: E731
    parts = {part: bits(part, PARTS_RECIPE) for part in PARTS}
    slower = {part: bits(part, SLOWER_RECIPE) for part in ("nothing", "small last gain")}
    rungs, sizes = _rungs(range(3), text), _sizes(range(2), text)
    record = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, one thread, no GPU",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "training tokens": len(text.train),
        "tokens per character": round(len(text.held_out) / text.characters, 4),
        "runs": {
            "rungs": {"recipe": asdict(PARTS_RECIPE), "bits": rungs},
            "parts": {"recipe": asdict(PARTS_RECIPE), "bits": parts},
            "slower": {"recipe": asdict(SLOWER_RECIPE), "bits": slower},
            "sizes": {"recipe": asdict(SIZES_RECIPE), "runs": sizes},
        },
    }
    write_record("scaling", record)


if __name__ == "__main__":
    _main()
