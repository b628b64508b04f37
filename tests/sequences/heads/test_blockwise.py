"""Block-wise attention is attention: the same values and gradients, and far less memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from chapters_src.sequences.heads.blockwise import (
    Running,
    absorb,
    blockwise_attention,
    blockwise_backward,
    blockwise_forward,
)
from chapters_src.sequences.heads.gradients import attention_backward
from chapters_src.sequences.heads.masks import causal
from chapters_src.studio.oracle import finite_difference_gradient

torch.set_num_threads(1)


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def problem(*batch, t=5, s=7, d=4, e=3, seed=0, dtype=torch.float64):
    return [
        draw(*batch, *shape, seed=3 * seed + i, dtype=dtype)
        for i, shape in enumerate(((t, d), (s, d), (s, e)))
    ]


class Largest(TorchDispatchMode):
    """The largest tensor that is made on the way."""

    def __init__(self):
        super().__init__()
        self.numel = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        for made in out if isinstance(out, (tuple, list)) else [out]:
            if isinstance(made, torch.Tensor):
                self.numel = max(self.numel, made.numel())
        return out


@given(
    st.integers(1, 9),
    st.integers(0, 6),
    st.integers(1, 10),
    st.booleans(),
    st.integers(0, 1000),
    st.booleans(),
)
def test_against_torch(t, more, block, is_causal, seed, batched):
    s = t + more
    Q, K, V = problem(*((2, 2) if batched else ()), t=t, s=s, seed=seed)
    leaves = [x.clone().requires_grad_() for x in (Q, K, V)]
    twins = [x.clone().requires_grad_() for x in (Q, K, V)]
    ours = blockwise_attention(*leaves, causal=is_causal, block=block)
    theirs = F.scaled_dot_product_attention(*twins, attn_mask=causal(t, s) if is_causal else None)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    grad_O = draw(*ours.shape, seed=seed + 5)
    for mine, their in zip(
        torch.autograd.grad(ours, leaves, grad_O), torch.autograd.grad(theirs, twins, grad_O), strict=True
    ):
        torch.testing.assert_close(mine, their, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("is_causal", [False, True])
def test_single_precision(is_causal):
    Q, K, V = problem(2, t=70, s=70, d=16, dtype=torch.float32)
    theirs = F.scaled_dot_product_attention(Q, K, V, is_causal=is_causal)
    assert (blockwise_attention(Q, K, V, causal=is_causal, block=16) - theirs).abs().max() <= 1e-6


def test_gradients_by_differences():
    leaves = [x.requires_grad_() for x in problem(2)]
    assert torch.autograd.gradcheck(lambda *x: blockwise_attention(*x, causal=True, block=2), leaves)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_backward_by_hand(is_causal, block):
    """Against the version that holds all weights, and against differences of torch's own attention."""
    Q, K, V = problem(2)
    grad_O = draw(2, 5, 3, seed=9)
    mask = causal(5, 7) if is_causal else None
    found = blockwise_forward(Q, K, V, is_causal, block=block)
    ours = blockwise_backward(Q, K, V, *found, grad_O, is_causal, block=block)
    literal = attention_backward(Q, K, V, grad_O, mask)
    inputs = {"Q": Q, "K": K, "V": V}
    for name, mine, whole in zip("QKV", ours, literal, strict=True):
        torch.testing.assert_close(mine, whole, rtol=1e-12, atol=1e-12)

        def loss(x, name=name):
            changed = {**inputs, name: torch.tensor(x)}
            out = F.scaled_dot_product_attention(changed["Q"], changed["K"], changed["V"], mask)
            return float((grad_O * out).sum())

        differences = finite_difference_gradient(loss, inputs[name].numpy())
        np.testing.assert_allclose(mine, differences, rtol=0, atol=1e-7)


def test_log_total_is_the_logarithm_of_the_sum():
    Q, K, V = problem(2)
    found = blockwise_forward(Q, K, V, scale=0.7, block=3)
    torch.testing.assert_close(found.log_total, (0.7 * Q @ K.mT).logsumexp(-1, keepdim=True))
    torch.testing.assert_close(found.O, F.scaled_dot_product_attention(Q, K, V, scale=0.7))


def test_scores_that_would_overflow():
    """exp(1000) is ∞; the highest score is taken off first, wherever it comes."""
    K = torch.tensor([[-1000.0], [1000.0], [0.0], [1001.0]])
    Q, V = torch.ones(1, 1), torch.arange(4.0)[:, None]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]):
        out = blockwise_attention(Q, K[order], V[order], scale=1.0, block=1)
        assert out.item() == pytest.approx((1 + 3 * math.e) / (1 + math.e), rel=1e-6)


@given(st.integers(0, 1000), st.integers(1, 8))
def test_running_sums_are_the_sums(seed, first):
    scores, V = 5 * draw(2, 9, seed=seed), draw(9, 3, seed=seed + 1)
    start = Running(
        torch.full((2, 1), -math.inf).double(), torch.zeros(2, 1).double(), torch.zeros(2, 3).double()
    )
    for part in (slice(0, first), slice(first, 9)):
        start = absorb(start, scores[:, part], V[part])
    torch.testing.assert_close(start.highest, scores.amax(1, keepdim=True))
    torch.testing.assert_close(start.highest + start.total.log(), scores.logsumexp(1, keepdim=True))
    torch.testing.assert_close(start.read / start.total, scores.softmax(1) @ V)


def test_no_tensor_is_larger_than_a_block_or_an_input():
    Q, K, V = problem(t=600, s=600, d=4, e=4)
    leaves = [x.requires_grad_() for x in (Q, K, V)]
    with Largest() as forward:
        out = blockwise_attention(*leaves, causal=True, block=32)
    with Largest() as backward:
        out.sum().backward()
    assert forward.numel == backward.numel == 600 * 4


def test_what_was_broadcast_is_summed():
    Q, K, V = draw(2, 1, 5, 4).requires_grad_(), draw(3, 7, 4, seed=1).requires_grad_(), draw(7, 3, seed=2)
    out = blockwise_attention(Q, K, V, block=3)
    assert out.shape == (2, 3, 5, 3)
    torch.testing.assert_close(out, F.scaled_dot_product_attention(Q, K, V))
    out.sum().backward()
    assert Q.grad.shape == Q.shape and K.grad.shape == K.shape


def test_meta_device():
    leaves = [x.to("meta").requires_grad_() for x in problem(2)]
    blockwise_attention(*leaves, causal=True, block=2).sum().backward()
    assert all(x.grad.device.type == "meta" and x.grad.shape == x.shape for x in leaves)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"block": 0}, "blockwise_attention: block must be at least 1; got 0"),
        ({"block": 2.0}, "blockwise_attention: block must be a whole number"),
        ({"causal": 1}, "blockwise_attention: causal must be True or False; got 1"),
        (
            {"Q": draw(8, 4), "causal": True},
            "blockwise_attention: K must have at least 8 rows if it is causal",
        ),
        (
            {"K": draw(7, 3)},
            r"blockwise_attention: K must have shape \(…, s, 4\), one per column of Q; got \(7, 3\)",
        ),
        (
            {"V": draw(6, 3)},
            r"blockwise_attention: V must have shape \(…, 7, e\), one per row of K; got \(6, 3\)",
        ),
        ({"scale": -1}, "blockwise_attention: scale must be at least 0; got -1"),
    ],
)
def test_bad_input(change, message):
    good = dict(zip("QKV", problem(), strict=True))
    with pytest.raises(ValueError, match=message):
        blockwise_attention(**{**good, **change})


def test_scores_beyond_all_numbers():
    x = torch.full((2, 2), 1e30)
    with pytest.raises(ValueError, match=r"^blockwise_attention: scale must keep every score finite"):
        blockwise_attention(x, x, x, scale=1.0)
    with pytest.raises(ValueError, match=r"^blockwise_forward: scale must keep every score finite"):
        blockwise_forward(x, x, x, scale=1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"O": draw(5, 4)}, r"blockwise_backward: O must have shape \(5, 3\)"),
        ({"log_total": draw(5, 2)}, r"blockwise_backward: log_total must have shape \(5, 1\)"),
        ({"grad_O": draw(4, 3)}, r"blockwise_backward: grad_O must have shape \(5, 3\)"),
        ({"grad_O": draw(5, 3).float()}, "blockwise_backward: grad_O must be torch.float64 on cpu"),
        ({"block": 0}, "blockwise_backward: block must be at least 1; got 0"),
    ],
)
def test_backward_bad_input(change, message):
    Q, K, V = problem()
    found = blockwise_forward(Q, K, V)
    good = {"Q": Q, "K": K, "V": V, **found._asdict(), "grad_O": draw(5, 3)}
    with pytest.raises(ValueError, match=message):
        blockwise_backward(**{**good, **change})


@given(st.one_of(st.none(), st.text(max_size=3), st.floats(), st.just(np.ones((2, 3))), st.builds(object)))
def test_absorb_refuses(bad):
    start, scores, V = Running(*(torch.zeros(2, n) for n in (1, 1, 3))), torch.ones(2, 4), torch.ones(4, 3)
    for name, change in (
        ("running", (bad, scores, V)),
        ("scores", (start, bad, V)),
        ("V", (start, scores, bad)),
    ):
        with pytest.raises(ValueError, match=rf"^absorb: {name} must be a .*; got "):
            absorb(*change)
    with pytest.raises(
        ValueError, match=r"absorb: V must have shape \(…, 4, e\), one per column of scores; got \(3, 3\)"
    ):
        absorb(start, scores, V[1:])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"V": torch.ones(4, 3).double()}, "V must be torch.float32 on cpu, as scores is"),
        ({"V": torch.ones(5, 4, 3), "scores": torch.ones(2, 2, 4)}, "V must have leading axes that go with"),
        ({"scores": torch.ones(3, 4)}, r"running must hold shapes \(…, 3, 1\), \(…, 3, 1\) and \(…, 3, 3\)"),
        (
            {"V": torch.ones(4, 2)},
            r"running must hold shapes .* and \(…, 2, 2\).*; got \(2, 1\), \(2, 1\), \(2, 3\)",
        ),
        (
            {"scores": torch.ones(2, 4).double(), "V": torch.ones(4, 3).double()},
            "running must be torch.float64 on cpu, as scores is",
        ),
    ],
)
def test_what_is_absorbed_goes_with_what_was(change, message):
    good = {
        "running": Running(*(torch.zeros(2, n) for n in (1, 1, 3))),
        "scores": torch.ones(2, 4),
        "V": torch.ones(4, 3),
    }
    with pytest.raises(ValueError, match=f"^absorb: {message}"):
        absorb(**{**good, **change})


@given(
    st.sampled_from("QKV"),
    st.one_of(st.none(), st.text(max_size=3), st.floats(), st.just(np.ones((7, 4))), st.builds(object)),
)
def test_anything_but_a_tensor_is_refused(name, bad):
    good = dict(zip("QKV", problem(), strict=True))
    with pytest.raises(ValueError, match=rf"^blockwise_attention: {name} must be a tensor of floats.*; got "):
        blockwise_attention(**{**good, name: bad})
