"""Residual networks against torch's autograd and a loop in numpy."""

import math

import numpy as np
import pytest
import torch
from torch.func import jacrev

from chapters_src.networks.residual import ResidualNetwork


def seeded(n=0):
    return torch.Generator().manual_seed(n)


def made(blocks=4, seed=0, **options):
    return ResidualNetwork(3, 6, 2, blocks, seeded(seed), dtype=torch.float64, **options)


@pytest.mark.parametrize(("skip", "branch"), [(1.0, 1.0), (0.0, 1.0), (1.0, 0.3), (0.8, 0.6)])
def test_against_a_loop_in_numpy(skip, branch):
    network, x = made(skip=skip, branch=branch), torch.randn(5, 3, generator=seeded(1), dtype=torch.float64)
    for block in network.blocks:
        block.bias.data.normal_(generator=seeded(2))
    arrays = {name: value.numpy() for name, value in network.state_dict().items()}
    h = x.numpy() @ arrays["first.weight"].T + arrays["first.bias"]
    for k in range(4):
        f = np.maximum(h, 0) @ arrays[f"blocks.{k}.weight"].T + arrays[f"blocks.{k}.bias"]
        h = skip * h + branch * f
    expected = np.maximum(h, 0) @ arrays["last.weight"].T + arrays["last.bias"]
    np.testing.assert_allclose(network(x).detach().numpy(), expected, atol=1e-12)


def test_weights_of_a_seed_and_their_size():
    a, b = (ResidualNetwork(10, 200, 2, 2, seeded(3)) for _ in range(2))
    assert all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters(), strict=True))
    assert a.blocks[0].weight.std().item() == pytest.approx(math.sqrt(2 / 200), rel=0.02)


@pytest.mark.parametrize("skip", [1.0, 0.0])
def test_a_block_left_out_is_not_there(skip):
    network, shorter = made(skip=skip), made(skip=skip)
    x = torch.randn(5, 3, generator=seeded(1), dtype=torch.float64)
    del shorter.blocks[2]
    assert torch.equal(network(x, left_out={2}), shorter(x))
    assert torch.equal(network(x, left_out=[0, 1, 2, 3]), network.last(torch.relu(network.first(x))))


@pytest.mark.parametrize("branch", [1.0, 0.5])
def test_branch_jacobians_against_autograd(branch):
    network = made(branch=branch)
    x = torch.randn(3, generator=seeded(5), dtype=torch.float64)
    h = network.first(x).detach()
    for f, ours in zip(network.blocks, network.branch_jacobians(x), strict=True):
        theirs = jacrev(lambda u, f=f: branch * f(torch.relu(u)))(h)
        torch.testing.assert_close(ours, theirs.detach())
        h = (h + branch * f(torch.relu(h))).detach()


def test_on_meta():
    network = ResidualNetwork(3, 4, 2, 2, seeded(), device="meta")
    assert network(torch.empty(7, 3, device="meta")).shape == (7, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ResidualNetwork(0, 4, 2, 2, seeded()), "ResidualNetwork: inputs must be at least 1; got 0"),
        (lambda: made(blocks=-1), "ResidualNetwork: blocks must be at least 0; got -1"),
        (lambda: made()(torch.zeros(2, 4, dtype=torch.float64)), "x must have shape"),
        (
            lambda: made(blocks=0).branch_jacobians(torch.zeros(3, dtype=torch.float64)),
            "blocks must be at least 1",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
