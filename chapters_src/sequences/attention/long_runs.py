"""What attention is worth: translators with and without it, from several seeds, and the record of all runs.

``python -m chapters_src.sequences.attention.long_runs`` trains them all and writes the record.
"""

from __future__ import annotations

import datetime
import os
import platform

import torch

from chapters_src.core.contract import checked
from chapters_src.core.device import seed
from chapters_src.core.readers import at_least, one_of
from chapters_src.data.records import write_record
from chapters_src.sequences.attention.looking_back import AttentiveTranslator
from chapters_src.sequences.gates import Translator, accuracy_by_phrases, fit_translator

__all__ = ["SCORES", "SEEDS", "accuracies", "trained_translator"]

SCORES = ("none", "dot", "additive")
SEEDS = (10, 11, 12, 13, 14)
NOUNS = 4  # the longest sentences in training
RATE = 0.02  # the best of 0.005, 0.01, 0.02 and 0.04 for the model without attention, on other seeds


@checked(score=one_of(SCORES), number=at_least(0), steps=at_least(2), m=at_least(1))
def trained_translator(score: str, number: int, steps: int = 300, m: int = 48) -> Translator:
    """A translator trained on fresh sentences of one to four nouns; ``number`` seeds weights and words."""
    weights = seed(number)
    model = Translator(m, weights) if score == "none" else AttentiveTranslator(m, weights, score)
    fit_translator(model, seed(1000 + number), NOUNS, steps, 32, RATE, progress=False)
    return model


@checked(number=at_least(0), count=at_least(1), nouns=at_least(1))
def accuracies(model: Translator, number: int, count: int = 200, nouns: int = 6) -> list[float]:
    """The share of fresh sentences translated without a mistake, by their number of nouns."""
    return accuracy_by_phrases(model, count, nouns, seed(5000 + number))


def _main() -> None:
    torch.set_num_threads(1)
    plans: list[tuple[str, int, int, tuple[int, ...]]] = [(score, 300, 48, SEEDS) for score in SCORES]
    plans += [("none", 3000, 48, SEEDS[:3]), ("none", 300, 192, SEEDS[:3])]
    runs = [
        {
            "score": score,
            "steps": steps,
            "width": m,
            "right": [accuracies(trained_translator(score, one, steps, m), one) for one in numbers],
        }
        for score, steps, m, numbers in plans
    ]
    record = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, one thread, no GPU",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "runs": runs,
    }
    write_record("attention", record)


if __name__ == "__main__":
    _main()
