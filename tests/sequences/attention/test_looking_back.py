"""The translator that looks back: its weights beside loops, its masks, its gradients, and that it learns."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from chapters_src.core.device import seed
from chapters_src.sequences.attention import AttentiveTranslator, additive_weights, attention, looks
from chapters_src.sequences.gates import BOS, PAD, Translator, sentence_pairs, translation_loss, translations

torch.set_num_threads(1)


def draw(*shape, number=0):
    return torch.randn(*shape, generator=seed(number), dtype=torch.float64)


def problem(*batch, t=3, s=5, d=4, e=2, m=6, number=0):
    shapes = ((*batch, t, d), (*batch, s, e), (d, m), (e, m), (m,))
    return [draw(*shape, number=number + i) for i, shape in enumerate(shapes)]


# --- additive scores


def by_loops(Q, K, W_Q, W_K, v):
    Q, K, W_Q, W_K, v = (x.numpy() for x in (Q, K, W_Q, W_K, v))
    return softmax([[v @ np.tanh(W_Q.T @ q + W_K.T @ k) for k in K] for q in Q], axis=1)


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_against_loops(number):
    inputs = problem(number=number)
    np.testing.assert_allclose(additive_weights(*inputs), by_loops(*inputs), rtol=1e-12)


def test_worked_number():
    """One hidden unit, v = ln 3, tanh(20) = 1 and tanh(0) = 0: weights ¾ and ¼."""
    one = torch.ones(1, 1, dtype=torch.float64)
    keys = torch.tensor([[20.0], [0.0]], dtype=torch.float64)
    A = additive_weights(0 * one, keys, one, one, torch.tensor([math.log(3)], dtype=torch.float64))
    torch.testing.assert_close(A, torch.tensor([[0.75, 0.25]], dtype=torch.float64))


def test_without_a_vector_all_keys_are_alike():
    *inputs, v = problem(2)
    torch.testing.assert_close(additive_weights(*inputs, 0 * v), torch.full((2, 3, 5), 0.2).double())


def test_masked_keys_are_not_there():
    Q, K, *rest = problem()
    mask = torch.tensor([True, False, True, True, False])
    A = additive_weights(Q, K, *rest, mask.expand(3, 5))
    assert (A[:, ~mask] == 0).all()
    torch.testing.assert_close(A[:, mask], additive_weights(Q, K[mask], *rest))


def test_gradients_by_differences():
    inputs = [x.requires_grad_() for x in problem(2)]
    assert torch.autograd.gradcheck(additive_weights, inputs)


@pytest.mark.parametrize(
    ("at", "bad", "message"),
    [
        (1, draw(5, 3), r"additive_weights: W_K must have shape \(3, 6\)"),
        (4, draw(5), r"additive_weights: w must have shape \(6,\)"),
        (2, draw(4, 6).float(), "additive_weights: W_Q must be torch.float64 on cpu, as Q is"),
        (0, None, "additive_weights: Q must be a .*tensor"),
    ],
)
def test_bad_input(at, bad, message):
    inputs = problem()
    inputs[at] = bad
    with pytest.raises(ValueError, match=message):
        additive_weights(*inputs)


# --- the translator

KINDS = ("dot", "additive")


def model(score="dot", m=6, number=0, **more):
    return AttentiveTranslator(m, seed(number), score, dtype=torch.float64, **more)


@pytest.mark.parametrize("score", KINDS)
def test_the_context_is_a_mean_weighted_by_the_formula(score):
    one, encoded, state = model(score), draw(3, 5, 6), draw(3, 6, number=1)
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2, [True] + [False] * 4])
    c = one.context(state, encoded, mask)
    for b in range(3):
        h = encoded[b, mask[b]].detach()
        if score == "dot":
            expected = attention((state[b] @ one.W_Q)[None], h, h)[0]
        else:
            expected = (
                torch.tensor(by_loops(state[b][None], h, *(x.detach() for x in (one.W_Q, one.W_K, one.w))))
                @ h
            )
            expected = expected[0]
        torch.testing.assert_close(c[b], expected)
    torch.testing.assert_close(c[2], encoded[2, 0])  # one word alone gets all the weight


def test_it_starts_where_the_plain_one_does():
    """The same seed gives both the same first weights, so that only the context differs."""
    plain = Translator(6, seed(0), dtype=torch.float64)
    for score in KINDS:
        other = dict(model(score).named_parameters())
        assert all(torch.equal(p, other[name]) for name, p in plain.named_parameters())


@pytest.mark.parametrize("score", KINDS)
def test_padding_changes_nothing(score):
    one = model(score)
    source, target = sentence_pairs(1, 2, seed(3))
    longer = torch.nn.functional.pad(source, (0, 4), value=PAD)
    torch.testing.assert_close(one(source, target), one(longer, target))
    A = looks(one, longer, target)
    assert (A[..., source.shape[1] :] == 0).all()
    torch.testing.assert_close(A[..., : source.shape[1]], looks(one, source, target))


@pytest.mark.parametrize("score", KINDS)
def test_looks_are_weights(score):
    source, target = sentence_pairs(4, 3, seed(5))
    A = looks(model(score), source, target)
    assert A.shape == (4, target.shape[1], source.shape[1]) and (A >= 0).all() and not A.requires_grad
    torch.testing.assert_close(A.sum(-1), torch.ones(A.shape[:2], dtype=A.dtype))


def test_a_later_word_does_not_change_an_earlier_look():
    one, (source, target) = model(), sentence_pairs(1, 2, seed(6))
    other = target.clone()
    other[:, 3:] = BOS
    before, after = looks(one, source, target), looks(one, source, other)
    assert torch.equal(before[:, :4], after[:, :4]) and not torch.allclose(before[:, 4:], after[:, 4:])


@pytest.mark.parametrize("score", KINDS)
def test_all_its_weights_learn(score):
    one = model(score)
    translation_loss(one, *sentence_pairs(8, 2, seed(7))).backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in one.parameters())
    assert len(list(one.parameters())) == len(list(Translator(6, seed(0)).parameters())) + (
        1 if score == "dot" else 3
    )


def test_on_the_meta_device():
    one = AttentiveTranslator(6, seed(0), "additive", device="meta")
    assert all(p.device.type == "meta" for p in one.parameters())


def test_a_score_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match=r"AttentiveTranslator.*: score must be .*; got 'cosine'"):
        model("cosine")


def test_translations_come_out_of_it():
    source, _ = sentence_pairs(2, 1, seed(1))
    assert translations(model(), source, 7).shape[0] == 2
