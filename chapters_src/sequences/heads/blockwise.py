"""Attention a block at a time: exact, and with memory in proportion to the length instead of its square."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import joins

__all__ = ["Running", "absorb", "blockwise_attention"]

BLOCK = 512


class Running(NamedTuple):
    """What is kept of all keys seen so far: the highest score, and two sums in units of its exponential.

    Beginning with nothing seen, highest = −∞ and both sums 0.
    """

    highest: Float[Tensor, "... t 1"]  # m = max sⱼ
    total: Float[Tensor, "... t 1"]  # Σ exp(sⱼ − m)
    read: Float[Tensor, "... t e"]  # Σ exp(sⱼ − m)vⱼ


@checked
def absorb(
    running: Running,
    scores: Float[Tensor, "... t b"],
    V: Float[Tensor, "... b e"],
) -> Running:
    """Take in another block of keys: raise the highest score, and both sums to its units.

    m′ = max(m, max sⱼ),  ℓ′ = e^(m−m′)ℓ + Σe^(sⱼ−m′),  o′ = e^(m−m′)o + Σe^(sⱼ−m′)vⱼ
                                                          {eq}`eq-attention-online`
    Some score seen so far has to be above −∞, or m − m′ means nothing.
    """
    highest = torch.maximum(running.highest, scores.amax(-1, keepdim=True))
    kept = (running.highest - highest).exp()  # (…, t, 1)
    e = (scores - highest).exp_()  # (…, t, b)
    total = kept * running.total + e.sum(-1, keepdim=True)
    return Running(highest, total, kept * running.read + e @ V)


@checked(K=joins("Q"), V=joins("Q", "K"), scale=at_least(0), block=at_least(1))
def blockwise_attention(
    Q: Float[Tensor, "... t d"],
    K: Float[Tensor, "... s d"],
    V: Float[Tensor, "... s e"],
    causal: bool = False,
    scale: float | None = None,
    block: int = BLOCK,
) -> Float[Tensor, "... t e"]:
    """`attention`, with at most ``block`` queries and ``block`` keys looked at together.

    Equal to softmax(scale·QKᵀ)V up to rounding, and never in possession of all t × s weights, on the way
    there or back. ``causal``: queries are the last t of s positions, and blocks of the future are skipped.
    """
    t, s = Q.shape[-2], K.shape[-2]
    require(
        not causal or s >= t,
        "K",
        f"have at least {t} rows if it is causal, one per query",
        f"shape {tuple(K.shape)}",
    )
    scale = 1 / math.sqrt(Q.shape[-1]) if scale is None else scale
    batch = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2])
    Q, K, V = (x.expand(*batch, *x.shape[-2:]) for x in (Q, K, V))  # so that autograd sums what was broadcast
    O = _Blockwise.apply(Q, K, V, causal, scale, block)
    require(
        O.device.type != "cpu" or not bool(O.detach().isnan().any()),
        "scale",
        f"keep every score finite in {Q.dtype}",
        scale,
    )
    return O


class _Blockwise(torch.autograd.Function):
    """Keeps one number per query, log Σe^s, from which the way back recomputes any block of the weights."""

    @staticmethod
    def forward(ctx: Any, Q: Tensor, K: Tensor, V: Tensor, causal: bool, scale: float, block: int) -> Tensor:
        out = Q.new_empty(*Q.shape[:-1], V.shape[-1])
        log_total = Q.new_empty(*Q.shape[:-1], 1)
        offset = K.shape[-2] - Q.shape[-2]
        for rows in _blocks(0, Q.shape[-2], block):
            q = Q[..., rows, :] * scale
            highest = q.new_full((*q.shape[:-1], 1), -math.inf)
            running = Running(highest, torch.zeros_like(highest), torch.zeros_like(out[..., rows, :]))
            for columns in _blocks(0, rows.stop + offset if causal else K.shape[-2], block):
                scores = _scores(
                    q, K[..., columns, :], rows.start + offset - columns.start if causal else None
                )
                running = absorb(running, scores, V[..., columns, :])
            out[..., rows, :] = running.read / running.total
            log_total[..., rows, :] = running.highest + running.total.log()
        ctx.save_for_backward(Q, K, V, out, log_total)
        ctx.settings = causal, scale, block
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """The rules of `attention_backward`, block by block; r is Σ O ⊙ ∂L/∂O, so no row need be whole."""
        (grad_O,), (Q, K, V, O, log_total) = grads, ctx.saved_tensors
        causal, scale, block = ctx.settings
        grad_Q, grad_K, grad_V = (
            torch.zeros_like(x, memory_format=torch.contiguous_format) for x in (Q, K, V)
        )
        r = (O * grad_O).sum(-1, keepdim=True)
        offset = K.shape[-2] - Q.shape[-2]
        for rows in _blocks(0, Q.shape[-2], block):
            q, g = Q[..., rows, :] * scale, grad_O[..., rows, :]
            for columns in _blocks(0, rows.stop + offset if causal else K.shape[-2], block):
                k, v = K[..., columns, :], V[..., columns, :]
                scores = _scores(q, k, rows.start + offset - columns.start if causal else None)
                A = (scores - log_total[..., rows, :]).exp_()
                grad_V[..., columns, :] += A.mT @ g
                grad_S = A.mul_(g @ v.mT - r[..., rows, :])
                grad_Q[..., rows, :] += scale * (grad_S @ k)
                grad_K[..., columns, :] += grad_S.mT @ q  # q has the scale in it already
        return grad_Q, grad_K, grad_V, None, None, None


def _blocks(start: int, stop: int, size: int) -> list[slice]:
    return [slice(i, min(i + size, stop)) for i in range(start, stop, size)]


def _scores(q: Tensor, k: Tensor, diagonal: int | None) -> Tensor:
    """Scores of a block; in a causal one query i may look at key j ≤ i + diagonal."""
    scores = q @ k.mT
    if (
        diagonal is None or diagonal >= k.shape[-2] - 1
    ):  # every key of the block lies in the past of every query
        return scores
    future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu_(diagonal + 1)
    return scores.masked_fill_(future, -math.inf)
