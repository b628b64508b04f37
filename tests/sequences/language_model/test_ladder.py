"""The ladder: each rung by hand, parts that are really gone, a power law that is known, and the record."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy import stats

from chapters_src import data
from chapters_src.data.records import record
from chapters_src.sequences.language_model import (
    PARTS,
    RUNGS,
    Config,
    PastMean,
    Recipe,
    next_token_loss,
    parameters,
    power_law,
    run_without,
    rung,
    tokenised,
    trained_bits,
    without,
)

torch.set_num_threads(1)
SHAPE = Config(vocabulary=11, context=8, d=8, heads=2, layers=2)
TEXT = "the cat sat on the mat and the dog sat on the log; " * 20


def seeded(n=0):
    return torch.Generator().manual_seed(n)


def text(*shape, seed=1):
    return torch.randint(11, shape, generator=seeded(seed))


def count(model):
    return sum(p.numel() for p in model.parameters())


def test_the_mean_of_the_past_by_a_loop():
    layer, x = PastMean(4, seeded()), torch.randn(2, 5, 4, generator=seeded(1))
    for b in range(2):
        for t in range(5):
            expected = x[b, : t + 1].mean(0) @ layer.out.weight.T + layer.out.bias
            assert torch.allclose(layer(x)[b, t], expected, atol=1e-6)


def test_pairs_see_the_current_token_alone():
    model, tokens = rung("pairs", SHAPE, seeded()), text(2, 6)
    other = text(2, 6, seed=5)
    other[:, -1] = tokens[:, -1]
    assert torch.equal(model(tokens)[:, -1], model(other)[:, -1])
    assert count(model) == 11 * 8 + 2 * 8


def test_an_average_forgets_the_order_and_a_head_with_positions_does_not():
    tokens, mixed = torch.tensor([[1, 2, 3, 4, 5]]), torch.tensor([[3, 1, 4, 2, 5]])
    average, head = (rung(name, SHAPE, seeded()) for name in ("average", "one head"))
    assert torch.allclose(average(tokens)[:, -1], average(mixed)[:, -1], atol=1e-6)
    assert not torch.allclose(average(tokens)[:, -1], average(tokens[:, -1:])[:, -1], atol=1e-3)
    assert (head(tokens)[:, -1] - head(mixed)[:, -1]).abs().max() > 1e-4


def test_the_last_rungs_are_gpts():
    assert count(rung("blocks", SHAPE, seeded())) == parameters(SHAPE)["total"]
    assert len(rung("one block", SHAPE, seeded()).blocks) == 1
    head = rung("one head", SHAPE, seeded())
    assert head.config.heads == 1 and not list(head.blocks[0].feed_forward.parameters())


@pytest.mark.parametrize("name", RUNGS)
def test_every_rung_is_causal_and_starts_at_log_v(name):
    model, tokens = rung(name, SHAPE, seeded()), text(3, 8)
    changed = tokens.clone()
    changed[:, 5:] = text(3, 3, seed=9)
    assert torch.equal(model(tokens)[:, :5], model(changed)[:, :5])
    assert next_token_loss(model, tokens).item() == pytest.approx(math.log(11), abs=0.3)


def test_parts_are_gone():
    whole = count(without("nothing", SHAPE, seeded()))
    assert whole == parameters(SHAPE)["total"]
    assert whole - count(without("network", SHAPE, seeded())) == parameters(SHAPE)["feed-forward"]
    norms = 2 * 4 * 8  # two blocks, two norms, gain and bias of width 8
    assert whole - count(without("norms in the blocks", SHAPE, seeded())) == norms
    assert without("several heads", SHAPE, seeded()).config.heads == 1
    assert without("positions", SHAPE, seeded()).config.position == "none"
    assert without("small last gain", SHAPE, seeded()).last.weight.eq(1).all()
    own = count(without("shared table", SHAPE, seeded()))
    assert own - whole == SHAPE.vocabulary * SHAPE.d
    assert own - count(without("shared table, network", SHAPE, seeded())) == parameters(SHAPE)["feed-forward"]


def test_a_power_law_is_found_and_its_error_is_that_of_scipy():
    S = np.array([10.0, 20, 50, 100, 300])
    exact = power_law(S, 3 * S**-0.2)
    assert exact.exponent == pytest.approx(0.2) and exact.error == pytest.approx(0, abs=1e-9)
    assert exact.intercept == pytest.approx(math.log(3))
    B = 3 * S**-0.2 * np.exp(np.random.default_rng(0).normal(0, 0.05, 5))
    line = stats.linregress(np.log(S), np.log(B))
    law = power_law(S, B)
    assert (law.exponent, law.error) == pytest.approx((-line.slope, line.stderr))


def test_the_same_seed_gives_the_same_run():
    ready = tokenised(TEXT, 3)
    quick = Recipe(4, 2, 8, 1e-2, 1)
    one, two, other = (run_without("network", n, ready, quick) for n in (3, 3, 4))
    assert one == two != other


def test_the_record_holds_every_part_and_size_and_can_be_made_again():
    """One stored run again, the narrowest; runs differ from machine to machine in their last digits."""
    stored = record("scaling")["runs"]
    assert tuple(stored["parts"]["bits"]) == PARTS
    assert all(len(bits) == 3 and min(bits) > 1 for bits in stored["parts"]["bits"].values())
    assert tuple(stored["rungs"]["bits"]) == (*RUNGS, "one head, no positions")
    assert set(stored["slower"]["bits"]) == {"nothing", "small last gain"}
    sizes = stored["sizes"]["runs"]
    assert [one["in blocks"] for one in sizes] == [24 * one["d"] ** 2 for one in sizes]
    ready, generator = tokenised(data.language_reference(), 512), seeded()
    model = without("nothing", Config(len(ready.tokeniser), 64, sizes[0]["d"], 4, 2), generator)
    again = trained_bits(model, Recipe(**stored["sizes"]["recipe"]), ready, generator)
    assert again == pytest.approx(sizes[0]["bits"][0], abs=0.02)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"rung: name must be one of .*; got 'two heads'"):
        rung("two heads", SHAPE, seeded())
    with pytest.raises(ValueError, match=r"without: part must be one of .*; got 'luck'"):
        without("luck", SHAPE, seeded())
    with pytest.raises(ValueError, match="PastMean: d must be at least 1; got 0"):
        PastMean(0, seeded())
