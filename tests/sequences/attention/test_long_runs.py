"""The runs with and without attention: the same seed, the same run, and the stored record."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.data.records import record
from chapters_src.sequences.attention.long_runs import SCORES, SEEDS, accuracies, trained_translator

torch.set_num_threads(1)


def test_the_same_seed_gives_the_same_run():
    one, two = (trained_translator("dot", 3, 4, 8) for _ in range(2))
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))
    assert accuracies(one, 3, 5, 2) == accuracies(two, 3, 5, 2)


def test_the_record_is_what_the_code_finds():
    """One stored run again. Runs differ from machine to machine in their last digits, so with room."""
    stored = next(run for run in record("attention")["runs"] if run["score"] == "dot")
    again = accuracies(trained_translator("dot", SEEDS[0]), SEEDS[0])
    np.testing.assert_allclose(again[:3], stored["right"][0][:3], atol=0.05)
    assert again[3] == pytest.approx(stored["right"][0][3], abs=0.15)


def test_the_record_holds_every_score_and_seed():
    runs = record("attention")["runs"]
    assert [run["score"] for run in runs[:3]] == [*SCORES]
    assert all(np.shape(run["right"]) == (len(SEEDS), 6) for run in runs[:3])
    assert all(0 <= share <= 1 for run in runs for one in run["right"] for share in one)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"trained_translator: steps must be at least 2; got 1"):
        trained_translator("dot", 0, 1)
    with pytest.raises(ValueError, match=r"trained_translator: score must be one of .*; got 'cosine'"):
        trained_translator("cosine", 0)
