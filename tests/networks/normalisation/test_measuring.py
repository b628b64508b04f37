"""The measuring tools: on problems whose answer is known."""

from itertools import islice

import numpy as np
import pytest
import torch
from torch import nn

from chapters_src.networks.normalisation import longest_falling_step, mean_squares, shuffled_batches


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


X = torch.randn(10, 3, generator=seeded())
y = torch.arange(10)


def test_an_epoch_has_every_row_at_most_once():
    seen = torch.cat([labels for _, labels in islice(shuffled_batches(X, y, 3, seeded()), 3)])
    assert len(seen) == len(set(seen.tolist())) == 9


def test_rows_and_labels_stay_together_and_orders_differ():
    batches = list(islice(shuffled_batches(X, y, 5, seeded()), 4))
    for rows, labels in batches:
        assert torch.equal(rows, X[labels])
    first, second = (torch.cat([labels for _, labels in batches[k : k + 2]]) for k in (0, 2))
    assert torch.equal(first.sort()[0], y)
    assert not torch.equal(first, second)


def test_the_longest_step_on_a_parabola():
    """On c·w² a gradient step of rate η turns w into (1 − 2cη)w: it falls for η < 1/c."""
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 3.0)
    rates = np.array([0.01, 0.1, 0.2, 0.24, 0.26, 0.3])
    assert longest_falling_step(model, lambda m, c: c * m.weight.square().sum(), 4.0, rates) == 0.24
    assert model.weight.item() == 3.0
    assert longest_falling_step(model, lambda m, c: c * m.weight.square().sum(), 4.0, rates[4:]) == 0.0


def test_mean_squares_by_theory():
    """A ReLU layer multiplies the mean square by scale²/2 on average; a residual block doubles it."""
    wide = torch.randn(200, 400, generator=seeded())
    plain = mean_squares(wide, nn.Identity, 3, seeded(1), scale=1.0)
    np.testing.assert_allclose(plain, [0.5, 0.25, 0.125], rtol=0.15)
    residual = mean_squares(wide, nn.Identity, 3, seeded(2), residual=True)
    np.testing.assert_allclose(residual, [2, 4, 8], rtol=0.15)
    normed = mean_squares(wide, nn.BatchNorm1d, 3, seeded(3), residual=True)
    np.testing.assert_allclose(normed, [2, 3, 4], rtol=0.1)
    flat = mean_squares(wide, nn.BatchNorm1d, 3, seeded(4), scale=20.0)
    np.testing.assert_allclose(flat, [0.5, 0.5, 0.5], rtol=0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: shuffled_batches(X, y, 11, seeded()), "shuffled_batches: size must be at most the 10 rows"),
        (lambda: shuffled_batches(X, y[:9], 2, seeded()), "shuffled_batches: y must have shape"),
        (lambda: mean_squares(X, nn.Identity, 0, seeded()), "mean_squares: blocks must be at least 1"),
        (
            lambda: longest_falling_step(nn.Linear(1, 1), lambda m, b: m.weight.sum(), None, [0.0]),
            "longest_falling_step: rates",
        ),
        (
            lambda: longest_falling_step(nn.Linear(1, 1), lambda m, b: m(b).sum(), X, [0.1]),
            "longest_falling_step: batch must be what the loss and the model take; got RuntimeError: mat1",
        ),
        (
            lambda: longest_falling_step(nn.Linear(3, 1), lambda m, b: m(b), X, [0.1]),
            r"longest_falling_step: loss must give one number with a graph; got shape \(10, 1\)",
        ),
        (
            lambda: longest_falling_step(nn.Linear(3, 1), lambda m, b: 0.5, X, [0.1]),
            "longest_falling_step: loss must give one number with a graph; got a float",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
