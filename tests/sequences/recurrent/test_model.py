"""The model of characters: its loss and gradients by torch, its bits, what it writes, and that it learns."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import torch

from chapters_src.optimisation.adaptive import Adam
from chapters_src.sequences.recurrent import (
    Characters,
    bits_per_place,
    character_model,
    clip_by_norm,
    next_character_loss,
    parallel_windows,
    write,
)

V, M = 7, 5


def by_torch(model, tokens, targets, h):
    leaves = [torch.tensor(part, requires_grad=True) for part in model]
    W0, W1, b, W2, c = leaves
    state, loss = torch.tensor(h), 0.0
    for x, y in zip(tokens, targets, strict=True):
        state = torch.tanh(W0[torch.tensor(x)] + state @ W1 + b)
        loss = loss + torch.nn.functional.cross_entropy(state @ W2 + c, torch.tensor(y))
    (loss / len(tokens)).backward()
    return float(loss.detach()) / len(tokens), [leaf.grad.numpy() for leaf in leaves], state.detach().numpy()


def test_loss_and_gradients_by_torch():
    rng = np.random.default_rng(0)
    model = character_model(V, M, rng)
    model = model.shaped(model.vector() + 0.1 * rng.normal(size=model.vector().size))
    tokens, targets = rng.integers(V, size=(6, 3)), rng.integers(V, size=(6, 3))
    h = rng.normal(size=(3, M))
    loss, gradients, state = next_character_loss(model, tokens, targets, h)
    expected, theirs, last = by_torch(model, tokens, targets, h)
    assert loss == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(state, last, atol=1e-12)
    for ours, other in zip(gradients, theirs, strict=True):
        np.testing.assert_allclose(ours, other, atol=1e-12)


def test_start_is_orthogonal_and_repeats():
    model = character_model(V, M, np.random.default_rng(1))
    np.testing.assert_allclose(model.W1 @ model.W1.T, np.eye(M), atol=1e-12)
    assert (model.vector() == character_model(V, M, np.random.default_rng(1)).vector()).all()
    assert all((one == two).all() for one, two in zip(model, model.shaped(model.vector()), strict=True))


def test_bits_are_the_loss():
    rng = np.random.default_rng(2)
    model, tokens = character_model(V, M, rng), rng.integers(V, size=(9, 2))
    loss, _, _ = next_character_loss(model, tokens[:-1], tokens[1:], np.zeros((2, M)))
    bits = bits_per_place(model, tokens)
    assert bits.shape == (8, 2) and bits.mean() == pytest.approx(loss / np.log(2), rel=1e-12)


def test_it_learns_a_repetition_and_writes_it():
    letters = Characters("abc")
    text = np.array(letters.encode("abc" * 100))
    model, h = character_model(3, 8, np.random.default_rng(3)), np.zeros((2, 8))
    theta, adam, losses = model.vector(), Adam(0.02), []
    for x, y in islice(parallel_windows(text, 2, 10), 150):
        loss, g, h = next_character_loss(model, x, y, h)
        theta = adam.step(theta, clip_by_norm(g.vector(), 1.0))
        model = model.shaped(theta)
        losses.append(loss)
    assert losses[0] > 0.9 and losses[-1] < 0.02
    written = write(model, text[:4], 12, np.random.default_rng(4), temperature=0.5)
    assert letters.decode(written) == "bcabcabcabca"


def test_writing_repeats_by_seed():
    model = character_model(V, M, np.random.default_rng(5))
    first, second = (write(model, [1, 2], 9, np.random.default_rng(6)) for _ in range(2))
    assert first == second and len(first) == 9


def test_messages():
    model = character_model(V, M, np.random.default_rng(0))
    good = np.zeros((3, 2), dtype=int)
    with pytest.raises(ValueError, match="next_character_loss: tokens must be from 0 to 6; got others"):
        next_character_loss(model, good + 7, good, np.zeros((2, M)))
    with pytest.raises(
        ValueError, match=r"next_character_loss: h must have shape \(2, 5\), a state per column"
    ):
        next_character_loss(model, good, good, np.zeros((2, M + 1)))
    with pytest.raises(ValueError, match=r"bits_per_place: tokens must have two rows or more.*; got 1"):
        bits_per_place(model, good[:1])
    with pytest.raises(ValueError, match="write: temperature must be above 0; got 0"):
        write(model, [1], 3, np.random.default_rng(0), temperature=0)
