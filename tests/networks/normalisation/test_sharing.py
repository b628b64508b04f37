"""Which entries share a mean: against torch's four norms, and each mask against the norm itself."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from chapters_src.networks.normalisation import block_norm, sharing_entries
from chapters_src.networks.normalisation.sharing import AXES

SHAPE = (3, 4, 2, 5)
x = np.random.default_rng(0).normal(2.0, 3.0, SHAPE)

TORCHS = {
    "batch": lambda t: F.batch_norm(t, None, None, training=True),
    "layer": lambda t: F.layer_norm(t, SHAPE[1:]),
    "layer, each position": lambda t: F.layer_norm(t.movedim(1, -1), SHAPE[1:2]).movedim(-1, 1),
    "instance": F.instance_norm,
    "group": lambda t: F.group_norm(t, 2),
}


@pytest.mark.parametrize("norm", AXES)
def test_against_torch(norm):
    np.testing.assert_allclose(block_norm(x, norm, groups=2), TORCHS[norm](torch.tensor(x)), atol=1e-12)


def test_group_norm_lies_between_layer_and_instance():
    np.testing.assert_allclose(block_norm(x, "group", groups=1), block_norm(x, "layer"))
    np.testing.assert_allclose(block_norm(x, "group", groups=4), block_norm(x, "instance"))


@pytest.mark.parametrize("norm", AXES)
@pytest.mark.parametrize("entry", [(0, 0, 0, 0), (2, 3, 1, 4), (1, 2, 0, 3)])
def test_an_entry_depends_on_its_companions_alone(norm, entry):
    """Nudge each number of the block: the chosen output moves if and only if the mask names it."""
    shared = sharing_entries(SHAPE, entry, norm, groups=2)
    before = block_norm(x, norm, groups=2)[entry]
    for k in np.ndindex(*SHAPE):
        nudged = x.copy()
        nudged[k] += 0.5
        assert (block_norm(nudged, norm, groups=2)[entry] != before) == shared[k]


@pytest.mark.parametrize(
    ("norm", "count"),
    [("batch", 30), ("layer", 40), ("layer, each position", 4), ("instance", 10), ("group", 20)],
)
def test_how_many_share(norm, count):
    assert sharing_entries(SHAPE, (1, 1, 1, 1), norm, groups=2).sum() == count


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: block_norm(x, "weight"), "block_norm: norm must be"),
        (lambda: block_norm(x, "group", groups=3), "block_norm: groups must divide the 4 channels; got 3"),
        (lambda: block_norm(x[0], "batch"), "block_norm: x must"),
        (lambda: sharing_entries(SHAPE, (0, 0, 0, 0), "weight"), "sharing_entries: norm must be"),
        (lambda: sharing_entries(SHAPE, (0, 4, 0, 0), "batch"), "sharing_entries: entry must"),
        (lambda: sharing_entries(SHAPE, (0, 0, 0, 0), "group", 3), "sharing_entries: groups must divide"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
