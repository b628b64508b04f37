"""Several heads beside torch's module with the weights copied, and beside one head at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.sequences.attention.weighted_mean import attention
from chapters_src.sequences.heads.masks import causal, padding
from chapters_src.sequences.heads.multi_head import MultiHeadAttention, merge_heads, share_heads, split_heads

torch.set_num_threads(1)


def seeded(n=0):
    return torch.Generator().manual_seed(n)


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=seeded(seed), dtype=dtype)


def layer(heads=2, d=8, **options):
    made = MultiHeadAttention(d, heads, seeded(), **{"dtype": torch.float64, **options})
    with torch.no_grad():
        g = seeded(3)  # one for all, so that no two biases are alike
        for name, parameter in made.named_parameters():
            if name.startswith("b_"):
                parameter.normal_(generator=g)
    return made


def torch_twin(ours):
    """nn.MultiheadAttention with our weights; it keeps them transposed."""
    bias, context = ours.b_Q is not None, ours.d_context
    theirs = torch.nn.MultiheadAttention(
        ours.d, ours.heads, bias=bias, kdim=context, vdim=context, batch_first=True, dtype=ours.W_Q.dtype
    )
    with torch.no_grad():
        if context == ours.d:
            theirs.in_proj_weight.copy_(torch.cat([ours.W_Q.T, ours.W_K.T, ours.W_V.T]))
        else:
            theirs.q_proj_weight.copy_(ours.W_Q.T)
            theirs.k_proj_weight.copy_(ours.W_K.T)
            theirs.v_proj_weight.copy_(ours.W_V.T)
        theirs.out_proj.weight.copy_(ours.W_O.T)
        if bias:
            theirs.in_proj_bias.copy_(torch.cat([ours.b_Q, ours.b_K, ours.b_V]))
            theirs.out_proj.bias.copy_(ours.b_O)
    return theirs


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("dtype", "within"), [(torch.float64, 1e-12), (torch.float32, 2e-6)])
def test_self_attention_against_torch(heads, bias, dtype, within):
    ours, X = layer(heads, bias=bias, dtype=dtype), draw(3, 5, 8, seed=1, dtype=dtype)
    theirs, weights = torch_twin(ours)(X, X, X, average_attn_weights=False)
    assert (ours(X) - theirs).abs().max() <= within
    assert (ours.weights(X) - weights).abs().max() <= within


@pytest.mark.parametrize("d_context", [8, 6])
def test_cross_attention_with_masks_against_torch(d_context):
    """torch's masks say where *not* to look."""
    ours = layer(2, d_context=d_context)
    X, C = draw(3, 5, 8, seed=1), draw(3, 7, d_context, seed=2)
    lengths, later = [7, 4, 1], causal(5, 7)
    theirs, weights = torch_twin(ours)(
        X, C, C, key_padding_mask=~padding(lengths, 7)[:, 0], attn_mask=~later, average_attn_weights=False
    )
    mask = later & padding(lengths, 7)
    assert (ours(X, C, mask) - theirs).abs().max() <= 1e-12
    assert (ours.weights(X, C, mask) - weights).abs().max() <= 1e-12


def test_one_head_at_a_time():
    """Concatenation times W_O is a sum over heads, each with its rows of W_O."""
    ours, X = layer(4), draw(5, 8, seed=1)
    total = ours.b_O
    for h in range(4):
        part = slice(2 * h, 2 * h + 2)
        Q, K, V = (
            X @ W[:, part] + b[part]
            for W, b in ((ours.W_Q, ours.b_Q), (ours.W_K, ours.b_K), (ours.W_V, ours.b_V))
        )
        total = total + attention(Q, K, V) @ ours.W_O[part]
    torch.testing.assert_close(ours(X), total)


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_grouped_queries_against_torch(kv_heads):
    """torch's own function with ``enable_gqa``, and every head by itself with the keys of its group."""
    ours, X = layer(4, kv_heads=kv_heads), draw(3, 5, 8, seed=1)
    cut = lambda Z, h: Z.reshape(3, 5, h, 2).transpose(1, 2)  # noqa: E731
    Q, K, V = (
        cut(X @ ours.W_Q + ours.b_Q, 4),
        *(cut(X @ W + b, kv_heads) for W, b in ((ours.W_K, ours.b_K), (ours.W_V, ours.b_V))),
    )
    theirs = F.scaled_dot_product_attention(Q, K, V, causal(5), enable_gqa=True)
    theirs = theirs.transpose(1, 2).reshape(3, 5, 8) @ ours.W_O + ours.b_O
    torch.testing.assert_close(ours(X, mask=causal(5)), theirs, rtol=0, atol=1e-12)
    group = 4 // kv_heads
    for h in range(4):
        alone = attention(Q[:, h], K[:, h // group], V[:, h // group])
        torch.testing.assert_close(attention(Q, share_heads(K, 4), share_heads(V, 4))[:, h], alone)


def test_fewer_keys_are_fewer_parameters():
    count = {g: sum(p.numel() for p in layer(4, kv_heads=g).parameters()) for g in (1, 2, 4)}
    assert count == {4: 4 * 72, 2: 2 * 72 + 2 * 36, 1: 2 * 72 + 2 * 18}
    assert sum(p.numel() for p in layer(4).parameters()) == count[4]


def test_shared_keys_collect_gradients_of_their_group():
    K = draw(2, 5, 3).requires_grad_()
    share_heads(K, 6).sum().backward()
    torch.testing.assert_close(K.grad, torch.full_like(K, 3.0))
    assert torch.equal(share_heads(K, 2), K)
    assert share_heads(torch.arange(2.0).reshape(2, 1, 1), 6).flatten().tolist() == [0, 0, 0, 1, 1, 1]


def test_a_mask_for_every_head():
    ours, X = layer(2), draw(3, 5, 8, seed=1)
    mask = torch.stack([causal(5), torch.ones(5, 5, dtype=torch.bool)])
    for given_mask in (mask, mask.expand(3, 2, 5, 5)):
        A = ours.weights(X, mask=given_mask[None] if given_mask.ndim == 3 else given_mask)
        assert (A[:, 0].triu(1) == 0).all() and (A[:, 1] > 0).all()


def test_without_positions_order_is_lost():
    ours, X = layer(2), draw(6, 8, seed=1)
    p = torch.tensor([3, 1, 5, 0, 2, 4])
    torch.testing.assert_close(ours(X[p]), ours(X)[p])
    assert (ours(X[p], mask=causal(6)) - ours(X, mask=causal(6))[p]).abs().max() > 0.1


def test_gradients():
    ours, X = layer(2), draw(2, 4, 8, seed=1).requires_grad_()
    assert torch.autograd.gradcheck(lambda X: ours(X, mask=causal(4)), X)
    ours(X).pow(2).mean().backward()
    theirs = torch_twin(ours)
    theirs(*[X.detach()] * 3)[0].pow(2).mean().backward()
    grads = torch.cat([ours.W_Q.grad.T, ours.W_K.grad.T, ours.W_V.grad.T])
    torch.testing.assert_close(grads, theirs.in_proj_weight.grad)
    torch.testing.assert_close(ours.W_O.grad.T, theirs.out_proj.weight.grad)


def test_fresh_weights_keep_the_scale():
    """Inputs of variance 1 give scores of variance 1, at every width."""
    for d, heads in ((16, 1), (256, 4)):
        ours = MultiHeadAttention(d, heads, seeded())
        X = torch.randn(200, d, generator=seeded(1))
        Q, K = split_heads(X @ ours.W_Q, heads), split_heads(X @ ours.W_K, heads)
        scores = Q @ K.mT / (d / heads) ** 0.5
        assert scores.var().item() == pytest.approx(1, abs=0.35)


def test_the_same_generator_makes_the_same_layer():
    a, b = MultiHeadAttention(8, 2, seeded(1)), MultiHeadAttention(8, 2, seeded(1))
    assert all(torch.equal(x, y) for x, y in zip(a.parameters(), b.parameters(), strict=True))
    assert sum(p.numel() for p in a.parameters()) == 4 * 8 * 8 + 4 * 8


def test_meta_device():
    ours = MultiHeadAttention(8, 2, seeded(), device="meta")
    X = torch.empty(3, 5, 8, device="meta")
    ours(X, mask=causal(5, device="meta")).sum().backward()
    assert ours.W_K.grad.device.type == "meta" and ours.weights(X).shape == (3, 2, 5, 5)


@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 3), st.lists(st.integers(1, 3), max_size=2))
def test_split_and_merge_are_inverse(t, heads, c, batch):
    X = draw(*batch, t, heads * c)
    parts = split_heads(X, heads)
    assert parts.shape == (*batch, heads, t, c)
    assert torch.equal(merge_heads(parts), X)
    assert torch.equal(parts[..., -1, :, :], X[..., -c:])


def test_keys_have_a_matrix_of_their_own():
    """With the values' matrix in place of the keys', scores would change with it."""
    ours, x, memory = layer(2), draw(1, 3, 8), draw(1, 4, 8, seed=1)
    before = ours.weights(x, memory)
    torch.nn.init.zeros_(ours.W_V)
    assert torch.equal(ours.weights(x, memory), before)
    for one in (ours.W_K, ours.b_K):
        torch.nn.init.zeros_(one)
    assert torch.allclose(ours.weights(x, memory), torch.full((1, 2, 3, 4), 0.25, dtype=torch.float64))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: layer(3), "MultiHeadAttention: heads must divide d = 8; got 3"),
        (lambda: layer(0), "MultiHeadAttention: heads must be at least 1"),
        (lambda: MultiHeadAttention(0, 1, seeded()), "MultiHeadAttention: d must be at least 1"),
        (lambda: MultiHeadAttention(8, 2, 0), "MultiHeadAttention: generator must be a torch.Generator"),
        (lambda: layer(4, kv_heads=3), "MultiHeadAttention: kv_heads must divide heads = 4; got 3"),
        (lambda: layer(4, kv_heads=0), "MultiHeadAttention: kv_heads must be at least 1"),
        (lambda: share_heads(draw(3, 5, 2), 4), "share_heads: heads must be a multiple of the 3 heads of X"),
        (lambda: layer(d_context=0), "MultiHeadAttention: d_context must be at least 1"),
        (
            lambda: layer()(draw(5, 7)),
            r"MultiHeadAttention: X must have shape \(…, t, 8\); got \(5, 7\)",
        ),
        (lambda: layer()(draw(8)), r"MultiHeadAttention: X must have shape \(…, t, 8\); got \(8,\)"),
        (
            lambda: layer(d_context=6)(draw(5, 8)),
            "MultiHeadAttention: context must be given, with 6 columns; got none",
        ),
        (
            lambda: layer()(draw(5, 8), draw(5, 6)),
            r"MultiHeadAttention: context must have shape \(…, s, 8\); got \(5, 6\)",
        ),
        (
            lambda: layer()(draw(5, 8), mask=draw(5, 5)),
            r"MultiHeadAttention: mask must be a tensor of truths, shape \(…\); got",
        ),
        (lambda: split_heads(draw(5, 8), 3), "split_heads: heads must divide the 8 columns of X; got 3"),
        (lambda: split_heads(draw(8), 2), r"split_heads: X must have shape \(…, t, d\); got \(8,\)"),
        (
            lambda: merge_heads(draw(5, 8)),
            r"merge_heads: X must have shape \(…, h, t, c\); got \(5, 8\)",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(st.one_of(st.none(), st.text(max_size=3), st.floats(), st.just(np.ones((5, 8))), st.builds(object)))
def test_anything_but_a_tensor_is_refused(bad):
    for call, name in (
        (lambda: layer()(bad), "MultiHeadAttention: X"),
        (lambda: layer().weights(bad), "weights: X"),
        (lambda: split_heads(bad, 2), "split_heads: X"),
        (lambda: merge_heads(bad), "merge_heads: X"),
    ):
        with pytest.raises(ValueError, match=rf"^{name} must be a tensor of floats.*; got "):
            call()
    if bad is not None:
        with pytest.raises(ValueError, match=r"^MultiHeadAttention: context must be a tensor of floats"):
            layer()(draw(5, 8), bad)
