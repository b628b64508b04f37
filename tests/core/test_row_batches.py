"""Every row once per epoch, in the order that torch draws."""

from __future__ import annotations

from itertools import islice

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.core.row_batches import row_batches


def seeded(n=0):
    return torch.Generator().manual_seed(n)


@given(st.integers(1, 30), st.integers(1, 35), st.booleans(), st.integers(0, 99))
def test_epochs_are_permutations_cut_into_pieces(n, size, full, seed):
    size = min(size, n) if full else size
    generator, expected = seeded(seed), []
    for _ in range(3):
        order = torch.randperm(n, generator=generator)
        expected += [rows for rows in order.split(size) if not full or len(rows) == size]
    found = list(islice(row_batches(n, size, seeded(seed), full), len(expected)))
    assert all(map(torch.equal, found, expected))


def test_batches_come_where_they_are_asked_for():
    assert next(row_batches(5, 2, seeded(), device="meta")).device.type == "meta"


def test_a_batch_that_no_epoch_can_fill_is_refused():
    with pytest.raises(ValueError, match=r"^row_batches: size must be at most 3, or no batch is full; got 4"):
        row_batches(3, 4, seeded(), full=True)
    with pytest.raises(ValueError, match=r"^row_batches: size must be at least 1; got 0"):
        row_batches(3, 0, seeded())
