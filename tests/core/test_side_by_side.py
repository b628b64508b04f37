"""Networks side by side: each is the network it would be alone, before training and after."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from torch.nn import functional

from chapters_src.core.side_by_side import SideBySide

torch.set_num_threads(1)
WIDTHS = [2, 5, 4, 3]


def seeded(n):
    return torch.Generator().manual_seed(n)


def stack(runs=3, seed=0):
    draw = seeded(seed)
    return [
        (torch.randn(runs, m, n, generator=draw), torch.randn(runs, 1, n, generator=draw))
        for m, n in pairwise(WIDTHS)
    ]


def alone(layers, run, phi=torch.nn.ReLU):
    """One network of the stack as torch's own modules."""
    parts = []
    for W, b in layers:
        linear = torch.nn.Linear(*W.shape[1:])
        linear.weight.data, linear.bias.data = W[run].T.clone(), b[run, 0].clone()
        parts += [linear, phi()]
    return torch.nn.Sequential(*parts[:-1])


@pytest.mark.parametrize(("phi", "module"), [(torch.relu, torch.nn.ReLU), (torch.tanh, torch.nn.Tanh)])
def test_each_network_is_torchs_own(phi, module):
    layers, X = stack(), torch.randn(3, 6, 2, generator=seeded(1))
    model = SideBySide(layers, phi)
    for run in range(3):
        theirs = alone(layers, run, module)
        torch.testing.assert_close(model(X)[run], theirs(X[run]))
        torch.testing.assert_close(model(X[0])[run], theirs(X[0]))


def test_each_network_learns_what_it_would_learn_alone():
    layers, X, Y = stack(), torch.randn(20, 2, generator=seeded(2)), torch.randn(20, 3, generator=seeded(3))
    together = SideBySide(layers)
    networks = [together, *(alone(layers, run) for run in range(3))]
    for network in networks:
        optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
        for _ in range(30):
            optimiser.zero_grad()
            ((network(X) - Y) ** 2).mean(dim=(-1, -2)).sum().backward()
            optimiser.step()
    expected = torch.stack([network(X) for network in networks[1:]])
    torch.testing.assert_close(together(X), expected, rtol=1e-3, atol=1e-4)


def test_what_is_put_between_stands_behind_every_hidden_layer():
    layers, X = stack(), torch.randn(6, 2, generator=seeded(1))
    (W1, b1), (W2, b2), (W3, b3) = layers
    hidden = functional.relu(3 * functional.relu(X @ W1 + b1) @ W2 + b2)
    torch.testing.assert_close(SideBySide(layers)(X, lambda H: 3 * H), 3 * hidden @ W3 + b3)


def test_the_start_is_copied():
    layers = stack()
    model = SideBySide(layers)
    with torch.no_grad():
        model.W[0].zero_()
    assert layers[0][0].any()


def test_bad_input_is_named():
    for bad in ([], [torch.ones(2, 3)], [(torch.ones(2, 3, 4), torch.ones(2, 4))], None):
        with pytest.raises(ValueError, match=r"layers must be a list of pairs \(W, b\)"):
            SideBySide(bad)
    with pytest.raises(ValueError, match=r"SideBySide: X must"):
        SideBySide(stack())(torch.ones(4, 3))
    with pytest.raises(ValueError, match=r"SideBySide: X must be one batch for all or 3 batches"):
        SideBySide(stack())(torch.ones(2, 4, 2))
