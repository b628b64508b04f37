"""Normalised networks, ghost batches and jolts: against torch's own layers put together by hand."""

import pytest
import torch
from torch import nn

from chapters_src.core.modules import linear
from chapters_src.networks.normalisation import GhostBatchNorm, Jolts, normalised_mlp

X = torch.randn(24, 5, generator=torch.Generator().manual_seed(0))


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_normalised_mlp_by_hand():
    model = normalised_mlp((5, 7, 6, 3), nn.BatchNorm1d, seeded())
    generator, h = seeded(), X
    for inputs, outputs in ((5, 7), (7, 6)):
        a = linear(inputs, outputs, generator, 2**0.5)(h)
        h = ((a - a.mean(0)) / (a.var(0, correction=0) + 1e-5).sqrt()).relu()
    expected = linear(6, 3, generator, 2**0.5)(h)
    assert torch.allclose(model(X), expected, atol=1e-5)


def test_normalised_mlp_ignores_the_scale_of_its_weights():
    small, large = (normalised_mlp((5, 8, 8, 3), nn.BatchNorm1d, seeded(), scale=s) for s in (1.0, 50.0))
    large[-1].load_state_dict(small[-1].state_dict())
    assert torch.allclose(small(X), large(X), atol=1e-3)


def test_normalised_mlp_on_meta():
    model = normalised_mlp((5, 8, 3), nn.LayerNorm, seeded(), device="meta")
    assert {p.device.type for p in model.parameters()} == {"meta"}


@pytest.mark.parametrize("size", [2, 3, 8, 24])
def test_ghost_parts_are_batch_norms_of_their_own(size):
    ghost = GhostBatchNorm(5, size)
    parts = [nn.BatchNorm1d(5) for _ in range(24 // size)]
    expected = torch.cat([norm(part) for norm, part in zip(parts, X.split(size), strict=True)])
    assert torch.allclose(ghost(X), expected, atol=1e-5)
    means = torch.stack([norm.running_mean for norm in parts]).mean(0)
    variances = torch.stack([norm.running_var for norm in parts]).mean(0)
    assert torch.allclose(ghost.running_mean, means, atol=1e-6)
    assert torch.allclose(ghost.running_var, variances, atol=1e-6)


def test_one_ghost_is_batch_norm_in_use_too():
    ghost, norm = GhostBatchNorm(5, 24), nn.BatchNorm1d(5)
    for _ in range(4):
        ghost(X), norm(X)
    assert torch.allclose(ghost.eval()(X[:3]), norm.eval()(X[:3]), atol=1e-6)


def test_a_ghost_does_not_look_beyond_its_part():
    moved = X.clone()
    moved[8:] += 1.0
    assert torch.equal(GhostBatchNorm(5, 8)(X)[:8], GhostBatchNorm(5, 8)(moved)[:8])


def test_jolts_stretch_and_move_whole_units():
    out = Jolts(5, seeded(), 0.5)(X)
    u, v = 0.5 * torch.randn(2, 5, generator=seeded())
    assert torch.allclose(out, X + X * u + v, atol=1e-6)


def test_jolts_are_new_at_every_step_and_absent_in_use():
    jolts = Jolts(5, seeded(), 0.3)
    assert not torch.equal(jolts(X), jolts(X))
    assert torch.equal(jolts.eval()(X), X)
    assert torch.equal(Jolts(5, seeded(), 0.0)(X), X)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: normalised_mlp((5,), nn.Identity, seeded()), "normalised_mlp: widths must be two numbers"),
        (lambda: normalised_mlp((5, 0), nn.Identity, seeded()), "normalised_mlp: widths"),
        (lambda: GhostBatchNorm(5, 1), "GhostBatchNorm: size must be at least 2; got 1"),
        (lambda: GhostBatchNorm(5, 7)(X), "GhostBatchNorm: x must have a multiple of 7 rows; got 24"),
        (lambda: GhostBatchNorm(4, 2)(X), "GhostBatchNorm: x must have shape"),
        (lambda: Jolts(5, seeded(), -1.0), "Jolts: strength must be at least 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
