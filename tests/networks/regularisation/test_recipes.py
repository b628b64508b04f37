"""Networks side by side are networks one by one; splits do not overlap; each remedy does what it says."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional

from chapters_src.core.side_by_side import SideBySide
from chapters_src.networks.regularisation import Regularisers, draw_splits, errors_of, fit_recipe
from chapters_src.networks.regularisation.recipes import _batches, _start


def seeded(n):
    return torch.Generator().manual_seed(n)


def blobs(m=90, wrong=0.0, trials=3, n=15):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, m)
    return draw_splits(
        np.eye(3)[labels].repeat(3, axis=1) + 0.3 * rng.normal(size=(m, 9)), labels, trials, n, wrong
    )


def test_splits_hold_each_example_once():
    X = np.arange(50.0)[:, None]
    splits = draw_splits(X, np.arange(50) % 4, 3, 10)
    for trial in range(3):
        seen = torch.cat([part.X[trial, :, 0] for part in splits])
        assert sorted(seen.tolist()) == list(range(50))
        for part in splits:
            assert torch.equal(part.labels[trial], part.X[trial, :, 0].long() % 4)
    assert not torch.equal(splits.train.X[0], splits.train.X[1])


def test_wrong_labels_are_only_where_one_learns_and_chooses():
    X, labels = np.arange(4000.0)[:, None], np.arange(4000) % 4
    splits = draw_splits(X, labels, 1, 1500, 0.2)
    shares = [float((part.labels[0] != part.X[0, :, 0].long() % 4).double().mean()) for part in splits]
    assert shares[:2] == pytest.approx([0.2, 0.2], abs=0.03) and shares[2] == 0


def test_networks_do_not_touch_one_another():
    splits = blobs()
    alone = type(splits)(*(type(part)(part.X[:1], part.labels[:1]) for part in splits))
    three = fit_recipe(splits, Regularisers(batch=15), steps=1)
    first = _start(3, 9, 64, 3, seeded(0))  # the same draws
    loss = functional.cross_entropy(first(splits.train.X)[0], splits.train.labels[0])
    loss.backward()
    torch.testing.assert_close(three.W[0][0], first.W[0][0] - 0.05 * first.W[0].grad[0])
    assert errors_of(three, splits.test)[:1] == errors_of(_only_first(three), alone.test)


def _only_first(model):
    one = _start(1, 9, 64, 3, seeded(0))
    one.load_state_dict({name: value[:1] for name, value in model.state_dict().items()})
    return one


def test_decay_is_a_penalty_on_the_weights_alone():
    splits, lam = blobs(), 0.5
    fitted = fit_recipe(splits, Regularisers(decay=lam, batch=15), steps=1)
    model = _start(3, 9, 64, 3, seeded(0))
    losses = [functional.cross_entropy(model(splits.train.X)[k], splits.train.labels[k]) for k in range(3)]
    penalty = lam / 2 * (model.W[0].square().sum() + model.W[1].square().sum())
    (sum(losses) + penalty).backward()
    for ours, parameter in zip(fitted.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(ours, parameter - 0.05 * parameter.grad)


def test_smoothing_is_a_mixture_with_equal_shares():
    splits, alpha = blobs(), 0.3
    fitted = fit_recipe(splits, Regularisers(smoothing=alpha, batch=15), steps=1)
    model = _start(3, 9, 64, 3, seeded(0))
    for k in range(3):
        functional.cross_entropy(
            model(splits.train.X)[k], splits.train.labels[k], label_smoothing=alpha
        ).backward()
    torch.testing.assert_close(fitted.W[0], model.W[0] - 0.05 * model.W[0].grad)


def first_batch(recipe, n=4000):
    X = torch.full((2, n, 9), 0.5)
    labels = torch.arange(n).remainder(3).expand(2, n)
    return next(_batches(X, labels, 3, recipe, seeded(0)))


def test_noise_has_its_strength_and_leaves_targets():
    x, y = first_batch(Regularisers(noise=0.2, batch=4000))
    assert (x - 0.5).std().item() == pytest.approx(0.2, rel=0.01)
    assert set(y.unique().tolist()) == {0.0, 1.0}


def test_moves_reach_their_strength_and_not_further():
    x, _ = first_batch(Regularisers(shift=0.6, batch=4000))
    images = x.reshape(-1, 3, 3)
    assert images[:, 1, 1].min() > 0.49  # less than a pixel: no paper reaches the middle
    assert images.min().item() == pytest.approx(0.5 * 0.4**2, abs=0.01)  # a corner, moved both ways
    assert x.max() < 0.5001


def test_mixing_moves_targets_with_inputs():
    X = torch.eye(3).repeat(1, 40, 3)[:, :, :9]
    labels = X[:, :, :3].argmax(dim=2)
    x, y = next(_batches(X, labels, 3, Regularisers(mixing=1.0, batch=120), seeded(0)))
    torch.testing.assert_close(x[:, :, :3], y)
    torch.testing.assert_close(y.sum(dim=2), torch.ones(1, 120))
    partly = ((y.max(dim=2).values > 0.01) & (y.max(dim=2).values < 0.99)).double().mean()
    assert partly > 0.5


@pytest.mark.parametrize("field", ["dropout", "noise", "smoothing", "mixing", "shift", "decay"])
def test_every_strength_changes_the_fit_and_still_learns(field):
    splits = blobs()
    plain, other = (
        fit_recipe(splits, recipe, steps=60) for recipe in (Regularisers(), Regularisers(**{field: 0.1}))
    )
    assert not torch.equal(plain.W[0], other.W[0])
    assert errors_of(other, splits.test).max() < 0.2
    assert torch.equal(other.W[0], fit_recipe(splits, Regularisers(**{field: 0.1}), steps=60).W[0])


def test_members_are_averaged():
    splits = blobs()
    model = fit_recipe(splits, Regularisers(), members=2, steps=3)
    with torch.no_grad():
        pi = torch.softmax(model(splits.test.X.repeat(2, 1, 1)), dim=2)
    answers = ((pi[:3] + pi[3:]) / 2).argmax(dim=2)
    expected = (answers != splits.test.labels).double().mean(dim=1)
    np.testing.assert_allclose(errors_of(model, splits.test, 2), expected)
    assert not torch.equal(model.W[0][0], model.W[0][3])


def test_after_sees_every_step():
    seen = []
    fit_recipe(
        blobs(), Regularisers(), steps=4, after=lambda model, run: seen.append((type(model), run.step))
    )
    assert seen == [(SideBySide, k) for k in (1, 2, 3, 4)]


def test_a_bar_is_shown_where_it_is_asked_for(capsys):
    fit_recipe(blobs(), Regularisers(), steps=2)
    assert capsys.readouterr().err == ""
    fit_recipe(blobs(), Regularisers(), steps=2, progress=True)
    assert "training" in capsys.readouterr().err


def test_bad_input():
    with pytest.raises(ValueError, match="draw_splits: n must leave examples to test"):
        draw_splits(np.ones((10, 2)), np.zeros(10, dtype=int), 1, 5)
    with pytest.raises(ValueError, match="fit_recipe: steps must be"):
        fit_recipe(blobs(), Regularisers(), steps=0)
