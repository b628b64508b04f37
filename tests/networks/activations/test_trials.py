"""A stack of networks learns as each of them would alone, by torch's own layers and optimiser."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from chapters_src.core.device import seed
from chapters_src.networks.activations import start_together, train_together

WIDTHS, RUNS, N = (5, 7, 6, 3), 3, 23


def problem():
    draw = seed(5)
    X = torch.randn(RUNS, N, 5, generator=draw)
    return X, torch.randint(3, (RUNS, N), generator=draw)


def alone(stack, run, phi):
    """One network of the stack as torch's own modules."""
    parts = []
    for W, b in zip(stack.W, stack.b, strict=True):
        linear = torch.nn.Linear(*W.shape[1:])
        linear.weight.data, linear.bias.data = W[run].detach().T.clone(), b[run, 0].detach().clone()
        parts += [linear, phi()]
    return torch.nn.Sequential(*parts[:-1])


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize(("phi", "module"), [(torch.relu, torch.nn.ReLU), (torch.tanh, torch.nn.Tanh)])
def test_each_learns_as_it_would_alone(momentum, phi, module):
    X, y = problem()
    start, rates = start_together(WIDTHS, [seed(s) for s in range(RUNS)], phi), [0.01, 0.1, 0.3]
    found = train_together(start, X, y, rates, 4, 6, seed(1), momentum)(X).detach()
    for run, rate in enumerate(rates):
        model, order = alone(start, run, module), seed(1)
        optimiser = torch.optim.SGD(model.parameters(), lr=rate, momentum=momentum)
        for _ in range(4):
            for rows in torch.randperm(N, generator=order).split(6):
                optimiser.zero_grad()
                torch.nn.functional.cross_entropy(model(X[run, rows]), y[run, rows]).backward()
                optimiser.step()
        theirs = model(X[run]).detach()
        np.testing.assert_allclose(found[run], theirs, rtol=2e-4, atol=2e-5)
        assert (theirs - alone(start, run, module)(X[run])).abs().max() > 1e-2  # something was learned


def test_the_start_is_named_by_its_generator():
    first, again = (start_together(WIDTHS, [seed(s) for s in seeds]) for seeds in ((0, 1), (1, 0)))
    for W, V, b in zip(first.W, again.W, first.b, strict=True):
        assert torch.equal(W, V.flip(0)) and not torch.equal(W[0], W[1])
        assert not b.any() and b.shape == (2, 1, W.shape[2])


def test_the_scale_of_the_start():
    W = start_together((400, 300, 2), [seed(0)]).W[0]
    assert W.std().item() == pytest.approx(math.sqrt(2 / 400), rel=0.01)
    W = start_together((400, 300, 2), [seed(0)], scale=0.5).W[0]
    assert W.std().item() == pytest.approx(0.5 / math.sqrt(400), rel=0.01)


def test_a_bar_is_shown_where_it_is_asked_for(capsys):
    X, y = problem()
    start = start_together(WIDTHS, [seed(s) for s in range(RUNS)])
    train_together(start, X, y, [0.1] * RUNS, 1, 10, seed(0), progress=True)
    assert "training" in capsys.readouterr().err


def test_the_start_is_not_changed_and_every_step_is_shown():
    X, y = problem()
    start = start_together(WIDTHS, [seed(s) for s in range(RUNS)])
    kept, seen = [W.detach().clone() for W in start.W], []
    train_together(
        start,
        X,
        y,
        [0.1] * RUNS,
        2,
        10,
        seed(0),
        after=lambda model: seen.append(model.W[0].detach().clone()),
    )
    assert all(torch.equal(W, before) for W, before in zip(start.W, kept, strict=True))
    assert len(seen) == 2 * 3 and not torch.equal(seen[0], seen[1])


def test_bad_input_is_named():
    X, y = problem()
    start = start_together(WIDTHS, [seed(s) for s in range(RUNS)])
    with pytest.raises(ValueError, match=r"^train_together: rates must be above 0"):
        train_together(start, X, y, [0.1, 0.0, 0.1], 1, 10, seed(0))
    with pytest.raises(ValueError, match=r"^train_together: rates must be 3 numbers, one per network"):
        train_together(start, X, y, [0.1], 1, 10, seed(0))
