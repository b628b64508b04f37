"""The hand-written backward pass against torch's autograd and against differences."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.sequences.attention.weighted_mean import attention, attention_weights
from chapters_src.sequences.heads.gradients import attention_backward, softmax_backward
from chapters_src.sequences.heads.masks import causal, padding
from chapters_src.studio.oracle import finite_difference_gradient

torch.set_num_threads(1)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def problem(*batch, seed=0):
    shapes = ((5, 4), (7, 4), (7, 3), (5, 3))
    return [draw(*batch, *shape, seed=10 * seed + i) for i, shape in enumerate(shapes)]


def by_torch(Q, K, V, grad_O, mask=None, scale=None):
    leaves = [x.detach().clone().requires_grad_() for x in (Q, K, V)]
    out = F.scaled_dot_product_attention(*leaves, attn_mask=mask, scale=scale)
    return torch.autograd.grad(out, leaves, grad_O)


MASKS = {"none": None, "causal": causal(5, 7), "padded": padding([4, 6], 7), "nowhere": causal(5, 7).clone()}
MASKS["nowhere"][1] = False


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scale", [None, 1.7])
def test_against_autograd_of_torch(mask, scale):
    arguments = problem(2)
    ours = attention_backward(*arguments, MASKS[mask], scale)
    for mine, theirs in zip(ours, by_torch(*arguments, MASKS[mask], scale), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_against_differences(which):
    arguments = [x.numpy() for x in problem()]

    def loss(moved):
        inputs = [*arguments[:3]]
        inputs[which] = moved
        out = attention(*map(torch.tensor, inputs), causal(5, 7)).numpy()
        return float((out * arguments[3]).sum())

    ours = attention_backward(*map(torch.tensor, arguments), causal(5, 7))[which]
    np.testing.assert_allclose(ours, finite_difference_gradient(loss, arguments[which]), atol=1e-10)


def test_single_precision():
    arguments = [x.float() for x in problem(2)]
    for mine, theirs in zip(attention_backward(*arguments), by_torch(*arguments), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-6)


def test_what_was_broadcast_is_summed():
    Q, K, V, grad_O = draw(2, 1, 5, 4), draw(3, 7, 4, seed=1), draw(7, 3, seed=2), draw(2, 3, 5, 3, seed=3)
    leaves = [x.clone().requires_grad_() for x in (Q, K, V)]
    theirs = torch.autograd.grad(attention(*leaves), leaves, grad_O)
    for mine, their in zip(attention_backward(Q, K, V, grad_O), theirs, strict=True):
        torch.testing.assert_close(mine, their)


@given(st.integers(0, 10_000))
def test_softmax_backward_is_the_jacobian(seed):
    """diag(a) − aaᵀ, made in full; its rows sum to 0, as adding to all scores changes nothing."""
    A, grad_A = draw(3, 6, seed=seed).softmax(-1), draw(3, 6, seed=seed + 1)
    ours = softmax_backward(A, grad_A)
    for a, g, mine in zip(A, grad_A, ours, strict=True):
        torch.testing.assert_close((a.diag() - a.outer(a)) @ g, mine)
    torch.testing.assert_close(ours.sum(-1), torch.zeros(3, dtype=torch.float64), rtol=0, atol=1e-14)


@given(st.integers(0, 1000))
def test_invariants(seed):
    """A common vector on all keys changes nothing, so the keys' gradients sum to 0."""
    Q, K, V, grad_O = problem(seed=seed)
    grads = attention_backward(Q, K, V, grad_O)
    torch.testing.assert_close(grads.K.sum(0), torch.zeros(4, dtype=torch.float64), rtol=0, atol=1e-12)
    torch.testing.assert_close((grads.Q * Q).sum(), (grads.K * K).sum())  # scores are linear in either
    torch.testing.assert_close(grads.V.sum(0), grad_O.sum(0))  # each row of weights sums to 1


def test_meta_device():
    grads = attention_backward(*(x.to("meta") for x in problem(2)), causal(5, 7, device="meta"))
    assert [tuple(g.shape) for g in grads] == [(2, 5, 4), (2, 7, 4), (2, 7, 3)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"Q": draw(5, 3)},
            r"attention_backward: K must have shape \(…, s, 3\), one per column of Q; got \(7, 4\)",
        ),
        (
            {"V": draw(6, 3)},
            r"attention_backward: V must have shape \(…, 7, e\), one per row of K; got \(6, 3\)",
        ),
        (
            {"grad_O": draw(5, 4)},
            r"attention_backward: grad_O must have shape \(…, 5, 3\), one per row of Q; got \(5, 4\)",
        ),
        ({"grad_O": draw(5, 3).float()}, "attention_backward: grad_O must be torch.float64 on cpu"),
        ({"mask": 1}, r"attention_backward: mask must be a tensor of truths, shape \(…\); got a int"),
        ({"scale": "1"}, "attention_backward: scale must be a number at least 0; got '1'"),
    ],
)
def test_bad_input(change, message):
    good = dict(zip(("Q", "K", "V", "grad_O"), problem(), strict=True))
    with pytest.raises(ValueError, match=message):
        attention_backward(**{**good, **change})


anything = st.one_of(st.none(), st.text(max_size=3), st.floats(), st.just(np.ones((5, 7))), st.builds(object))


@given(st.sampled_from(["A", "grad_A"]), anything)
def test_softmax_backward_refuses(name, bad):
    A = attention_weights(*problem()[:2])
    with pytest.raises(ValueError, match=rf"^softmax_backward: {name} must be a tensor of floats.*; got "):
        softmax_backward(**{"A": A, "grad_A": A, name: bad})
    with pytest.raises(
        ValueError, match=r"softmax_backward: grad_A must have shape \(5, 7\), the shape of A; got \(4, 7\)"
    ):
        softmax_backward(A, A[:4])
