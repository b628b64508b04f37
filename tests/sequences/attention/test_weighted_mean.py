"""Attention beside torch's own, its rows, its symmetries, its masks and its limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from chapters_src.sequences.attention.weighted_mean import attention, attention_weights
from chapters_src.sequences.heads.masks import causal

torch.set_num_threads(1)
WITHIN = {torch.float64: 1e-12, torch.float32: 1e-6}


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def problem(*batch, t=5, s=7, d=4, e=3, seed=0, dtype=torch.float64):
    shapes = ((t, d), (s, d), (s, e))
    return [draw(*batch, *shape, seed=seed + i, dtype=dtype) for i, shape in enumerate(shapes)]


def test_worked_number():
    """One query, two keys, scores 0 and log 3: weights ¼ and ¾, by hand."""
    Q, K = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 5.0], [math.log(3.0), -2.0]])
    V = torch.tensor([[4.0], [8.0]])
    torch.testing.assert_close(attention_weights(Q, K, scale=1.0), torch.tensor([[0.25, 0.75]]))
    torch.testing.assert_close(attention(Q, K, V, scale=1.0), torch.tensor([[7.0]]))


@pytest.mark.parametrize("dtype", WITHIN)
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("scale", [None, 0.3, 0.0])
def test_against_torch(dtype, batch, masked, scale):
    Q, K, V = problem(*batch, dtype=dtype)
    mask = draw(*batch, 5, 7, seed=9) > 0 if masked else None
    if mask is not None:
        mask[..., 0] = True
    theirs = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask, scale=scale)
    assert (attention(Q, K, V, mask, scale) - theirs).abs().max() <= WITHIN[dtype]
    assert attention(Q, K, V, mask, scale).dtype == dtype


def test_against_numpy():
    Q, K, V = problem()
    literal = softmax(Q.numpy() @ K.numpy().T / 2, axis=1) @ V.numpy()
    np.testing.assert_allclose(attention(Q, K, V), literal, rtol=1e-13)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_keeps_its_type(dtype):
    Q, K, V = (x.to(dtype) for x in problem())
    exact = attention(*(x.double() for x in (Q, K, V)))
    assert attention(Q, K, V).dtype == dtype
    torch.testing.assert_close(attention(Q, K, V).double(), exact, rtol=0.05, atol=0.05)


def test_large_scores_do_not_overflow():
    Q, K, V = problem(dtype=torch.float32)
    out = attention(1e18 * Q, K, V)
    assert out.isfinite().all()
    torch.testing.assert_close(out, V[(Q @ K.mT).argmax(-1)])


sizes = st.integers(1, 6)


@given(sizes, sizes, sizes, st.floats(0, 30), st.integers(0, 10_000))
def test_rows_are_weights_over_keys(t, s, d, scale, seed):
    Q, K, V = problem(t=t, s=s, d=d, seed=seed)
    A = attention_weights(Q, K, scale=scale)
    assert A.shape == (t, s) and (A >= 0).all()
    torch.testing.assert_close(A.sum(-1), torch.ones(t, dtype=A.dtype))
    out = attention(Q, K, V, scale=scale)
    assert (out <= V.amax(0) + 1e-12).all() and (out >= V.amin(0) - 1e-12).all()


@given(st.integers(0, 10_000))
def test_permutations(seed):
    """Shuffled queries shuffle what comes out; shuffled keys, with their values, change nothing."""
    Q, K, V = problem(seed=seed)
    rng = np.random.default_rng(seed)
    p, r = torch.tensor(rng.permutation(5)), torch.tensor(rng.permutation(7))
    torch.testing.assert_close(attention(Q[p], K, V), attention(Q, K, V)[p])
    torch.testing.assert_close(attention(Q, K[r], V[r]), attention(Q, K, V))


def test_a_vector_added_to_all_keys_changes_nothing():
    Q, K, V = problem()
    torch.testing.assert_close(attention(Q, K + draw(4, seed=5), V), attention(Q, K, V))


def test_limits_of_the_scale():
    Q, K, V = problem()
    torch.testing.assert_close(attention(Q, K, V, scale=0.0), V.mean(0).expand(5, 3))
    torch.testing.assert_close(attention(Q, K, V, scale=1e6), V[(Q @ K.mT).argmax(-1)])


def test_leading_axes_broadcast():
    Q, K, V = draw(2, 1, 5, 4), draw(3, 7, 4, seed=1), draw(7, 3, seed=2)
    together = attention(Q, K, V)
    assert together.shape == (2, 3, 5, 3)
    torch.testing.assert_close(together[1, 2], attention(Q[1, 0], K[2], V))


def test_masked_keys_are_not_there():
    Q, K, V = problem()
    mask = torch.tensor([True, False, True, True, False, True, False]).expand(5, 7)
    kept = mask[0]
    torch.testing.assert_close(attention(Q, K, V, mask), attention(Q, K[kept], V[kept]))
    assert (attention_weights(Q, K, mask)[:, ~kept] == 0).all()


def test_a_query_that_may_look_nowhere():
    """Zeros, not NaN, from it and back through it; torch says the same of what comes out."""
    Q, K, V = (x.requires_grad_() for x in problem())
    mask = torch.ones(5, 7, dtype=torch.bool)
    mask[2] = False
    A, out = attention_weights(Q, K, mask), attention(Q, K, V, mask)
    assert (A[2] == 0).all() and (out[2] == 0).all()
    torch.testing.assert_close(out, F.scaled_dot_product_attention(Q, K, V, attn_mask=mask))
    out.pow(2).sum().backward()
    assert (Q.grad[2] == 0).all()
    others = [0, 1, 3, 4]
    alone = [x.detach().clone().requires_grad_() for x in (Q[others], K, V)]
    attention(*alone).pow(2).sum().backward()
    for x, y in zip((Q.grad[others], K.grad, V.grad), (z.grad for z in alone), strict=True):
        torch.testing.assert_close(x, y)


def test_nobody_may_look_anywhere():
    Q, K, V = (x.requires_grad_() for x in problem())
    with torch.autograd.set_detect_anomaly(True):  # no NaN on the way either
        attention(Q, K, V, torch.zeros(5, 7, dtype=torch.bool)).sum().backward()
    assert all((x.grad == 0).all() for x in (Q, K, V))


def test_gradients_by_differences():
    Q, K, V = (x.requires_grad_() for x in problem(2))
    mask = causal(5, 7)
    assert torch.autograd.gradcheck(lambda *x: attention(*x, mask), (Q, K, V))


def test_arguments_are_left_alone():
    arguments = [*problem(), causal(5, 7)]
    before = [x.clone() for x in arguments]
    attention(*arguments)
    assert all(torch.equal(x, y) for x, y in zip(arguments, before, strict=True))


def test_meta_device():
    Q, K, V = (x.to("meta") for x in problem(2, 3, dtype=torch.float32))
    out = attention(Q, K, V, causal(5, 7, device="meta"))
    assert out.device.type == "meta" and out.shape == (2, 3, 5, 3)


GOOD = dict(zip("QKV", problem(2), strict=True)) | {"mask": causal(5, 7), "scale": 1.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Q": draw(4)}, r"attention: Q must have shape \(…, t, d\); got \(4,\)"),
        ({"Q": torch.ones(5, 4, dtype=torch.long)}, "attention: Q must be .*; got shape .*, torch.int64"),
        ({"K": draw(7, 3)}, r"attention: K must have shape \(…, s, 4\), one per column of Q; got \(7, 3\)"),
        ({"K": draw(3, 7, 4)}, r"attention: K must have leading axes .*; got \(2,\) and \(3,\)"),
        ({"K": draw(7, 4).float()}, "attention: K must be torch.float64 on cpu, as Q is; got torch.float32"),
        ({"K": torch.empty(7, 4, dtype=torch.float64, device="meta")}, "attention: K must be .* on meta"),
        ({"V": draw(6, 3)}, r"attention: V must have shape \(…, 7, e\), one per row of K; got \(6, 3\)"),
        ({"V": draw(3, 7, 3)}, r"attention: V must have leading axes that go with those of Q and K"),
        ({"V": draw(7, 3).float()}, "attention: V must be torch.float64 on cpu"),
        (
            {"mask": draw(5, 7)},
            r"attention: mask must be a tensor of truths, shape \(…\); got shape \(5, 7\), torch.float64",
        ),
        ({"mask": causal(5, 6)}, r"attention: mask must fit scores of shape \(2, 5, 7\)"),
        ({"mask": causal(7)[0]}, r"attention: mask must fit scores of shape \(2, 5, 7\); got shape \(7,\)"),
        ({"mask": causal(5, 7, device="meta")}, "attention: mask must be on cpu, as Q is; got meta"),
        ({"scale": -1.0}, "attention: scale must be at least 0; got -1.0"),
        ({"scale": math.nan}, "attention: scale must be a finite number at least 0; got nan"),
    ],
)
def test_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        attention(**{**GOOD, **change})


def test_a_mask_may_not_add_queries():
    Q, K, V = problem(t=1)
    with pytest.raises(ValueError, match=r"mask must fit scores of shape \(1, 7\); got shape \(5, 7\)"):
        attention(Q, K, V, causal(5, 7))


anything = st.one_of(
    st.none(), st.text(max_size=3), st.floats(), st.just([[1.0]]), st.just(np.ones((7, 4))), st.builds(object)
)


@given(st.sampled_from(["Q", "K", "V", "mask"]), anything)
def test_anything_but_a_tensor_is_refused(name, bad):
    if name == "mask" and bad is None:
        return
    with pytest.raises(ValueError, match=rf"^attention: {name} must be a .*tensor.*; got ") as caught:
        attention(**{**GOOD, name: bad})
    assert "\n" not in str(caught.value)


def test_a_bias_is_added_to_the_scores():
    """Beside torch's, which takes one too; and 0 changes nothing."""
    g = torch.Generator().manual_seed(0)
    Q, K, V = (torch.randn(2, 5, 4, generator=g, dtype=torch.float64) for _ in range(3))
    bias = torch.randn(5, 5, generator=g, dtype=torch.float64)
    theirs = torch.nn.functional.scaled_dot_product_attention(Q, K, V, bias.expand(2, 5, 5))
    assert torch.allclose(attention(Q, K, V, bias=bias), theirs, atol=1e-12)
    assert torch.equal(attention(Q, K, V, bias=torch.zeros_like(bias)), attention(Q, K, V))
    with pytest.raises(ValueError, match="attention: bias must fit scores of shape"):
        attention(Q, K, V, bias=bias[:3])


def test_a_scale_that_overflows_is_refused():
    """In float32 scores beyond 3e38 are infinite, and their softmax is not a number."""
    Q = torch.ones(3, 4)
    assert torch.isfinite(attention(Q, Q, Q, scale=1e37)).all()
    for call in (lambda: attention(Q, Q, Q, scale=1e38), lambda: attention(Q, Q, Q, causal_mask, scale=1e38)):
        with pytest.raises(
            ValueError, match=r"attention_weights: scale must keep every score finite in torch"
        ):
            call()
    with pytest.raises(ValueError, match="attention_weights: K must be finite"):
        attention(Q, torch.full((3, 4), torch.nan), Q)


causal_mask = torch.ones(3, 3, dtype=torch.bool).tril()
