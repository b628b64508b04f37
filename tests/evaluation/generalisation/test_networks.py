"""Labels made wrong, a network that learns them, its loss against torch, and its error counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from chapters_src.core.modules import mlp
from chapters_src.evaluation.generalisation import error_rate, fit_labels, noisy_labels, squared_loss


def points(n=30):
    rng = np.random.default_rng(0)
    return torch.tensor(rng.normal(size=(n, 4)), dtype=torch.float32), torch.tensor(rng.integers(0, 3, n))


def network(width=16, seed=0):
    return mlp((4, width, 3), torch.Generator().manual_seed(seed), nn.Tanh)


def test_the_share_of_wrong_labels():
    labels = np.arange(20_000) % 10
    noisy = noisy_labels(labels, 0.2, 10, np.random.default_rng(0))
    assert np.mean(noisy != labels) == pytest.approx(0.2, abs=0.01)
    wrong = noisy[noisy != labels]
    assert np.bincount((wrong - labels[noisy != labels]) % 10)[1:].std() < 30  # every other class alike
    assert set(noisy) == set(range(10))


def test_no_noise_and_nothing_but_noise():
    labels = np.arange(50) % 3
    np.testing.assert_array_equal(noisy_labels(labels, 0.0, 3, np.random.default_rng(0)), labels)
    assert (noisy_labels(labels, 1.0, 3, np.random.default_rng(0)) != labels).all()


def test_a_class_that_does_not_exist():
    with pytest.raises(ValueError, match="labels must be classes from 0 to 2"):
        noisy_labels(np.array([0, 3]), 0.1, 3, np.random.default_rng(0))


def test_loss_is_torchs():
    X, labels = points()
    Y, model = nn.functional.one_hot(labels, 3).float(), network()
    torch.testing.assert_close(squared_loss(model, (X, Y)), 3 * nn.functional.mse_loss(model(X), Y))


@pytest.mark.parametrize("batch", [(), (torch.ones(2, 4),), (torch.ones(2, 4), [1, 2]), (3, object())])
def test_a_batch_is_a_pair_of_tensors(batch):
    with pytest.raises(ValueError, match=r"^squared_loss: batch must be a pair of tensors X, Y; got "):
        squared_loss(network(), batch)


def test_random_labels_are_learned_and_the_run_is_the_same_twice():
    X, labels = points()
    models = network(), network()
    losses = [fit_labels(model, X, labels, 3, steps=400).losses for model in models]
    assert error_rate(models[0], X, labels) == 0
    assert losses[0][-1] < 0.01 * losses[0][0]
    torch.testing.assert_close(losses[0], losses[1])


def test_the_rate_ends_at_zero():
    X, labels = points()
    rates = []
    watch = lambda run: rates.append(run.optimiser.param_groups[0]["lr"])  # noqa: E731
    fit_labels(network(), X, labels, 3, steps=10, learning_rate=0.1, after=watch)
    np.testing.assert_allclose(rates, [0.1] * 6 + [0.08, 0.06, 0.04, 0.02])


def test_a_bar_is_shown_where_it_is_asked_for(capsys):
    X, labels = points()
    fit_labels(network(), X, labels, 3, steps=2, progress=True)
    assert "training" in capsys.readouterr().err


def test_error_counted_by_hand():
    outputs = torch.tensor([[1.0, 2.0], [3.0, 0.0], [0.0, 1.0], [5.0, 6.0]])
    assert error_rate(nn.Identity(), outputs, torch.tensor([1, 0, 0, 0])) == 0.5
