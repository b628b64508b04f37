"""Attention a block at a time, forwards and backwards: exact, in memory that grows with the length alone."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import joins, like
from chapters_src.sequences.heads.gradients import Gradients

__all__ = ["Blockwise", "Running", "absorb", "blockwise_attention", "blockwise_backward", "blockwise_forward"]

BLOCK = 512


class Running(NamedTuple):
    """What is kept of all keys seen so far: the highest score, and two sums in units of its exponential.

    Beginning with nothing seen, highest = −∞ and both sums 0.
    """

    highest: Float[Tensor, "... t 1"]  # m = max sⱼ
    total: Float[Tensor, "... t 1"]  # ℓ = Σ exp(sⱼ − m)
    read: Float[Tensor, "... t e"]  # o = Σ exp(sⱼ − m)vⱼ


class Blockwise(NamedTuple):
    """Outputs, and log Σe^s for each query: from it any weight, e^(s − log_total), can be had again."""

    O: Float[Tensor, "... t e"]
    log_total: Float[Tensor, "... t 1"]


def _goes_on(ask: Ask, running: Running) -> Running:
    """What was kept of other keys of the same queries, in the precision of the scores."""
    t, e = ask.arguments["scores"].shape[-2], ask.arguments["V"].shape[-1]
    shapes = [tuple(part.shape) for part in running]
    rule = f"hold shapes (…, {t}, 1), (…, {t}, 1) and (…, {t}, {e}), to go with scores and V"
    fits = [shape[-2:] for shape in shapes] == [(t, 1), (t, 1), (t, e)]
    ask.require(fits, rule, ", ".join(map(str, shapes)))
    for part in running:
        joins("scores", "V")(ask, part)
    return running


@checked(V=joins("scores"), running=_goes_on)
def absorb(
    running: Running,
    scores: Float[Tensor, "... t b"],
    V: Float[Tensor, "... b e"],
) -> Running:
    """Take in another block of keys: raise the highest score, and both sums to its units.

    m′ = max(m, max sⱼ),  ℓ′ = e^(m−m′)ℓ + Σe^(sⱼ−m′),  o′ = e^(m−m′)o + Σe^(sⱼ−m′)vⱼ
                                                          {eq}`eq-heads-online`
    Some score seen so far has to be above −∞, or m − m′ means nothing.
    """
    highest = torch.maximum(running.highest, scores.amax(-1, keepdim=True))
    kept = (running.highest - highest).exp()  # (…, t, 1)
    e = (scores - highest).exp_()  # (…, t, b)
    total = kept * running.total + e.sum(-1, keepdim=True)
    return Running(highest, total, kept * running.read + e @ V)


@checked(K=like("Q"), V=like("Q"), scale=at_least(0), block=at_least(1))
def blockwise_forward(
    Q: Float[Tensor, "*n t d"],
    K: Float[Tensor, "*n s d"],
    V: Float[Tensor, "*n s e"],
    causal: bool = False,
    scale: float | None = None,
    block: int = BLOCK,
) -> Blockwise:
    """softmax(scale·QKᵀ)V, with at most ``block`` queries and ``block`` keys looked at together."""
    scale = _scale(Q, K, causal, scale)
    O = Q.new_empty(*Q.shape[:-1], V.shape[-1])
    log_total = Q.new_empty(*Q.shape[:-1], 1)
    for rows in _blocks(Q.shape[-2], block):
        running = _nothing_read(O[..., rows, :])
        for columns in _blocks(_seen(rows, Q, K, causal), block):
            S = _scores(Q, K, rows, columns, causal, scale)
            running = absorb(running, S, V[..., columns, :])
        O[..., rows, :] = running.read / running.total
        log_total[..., rows, :] = running.highest + running.total.log()
    finite = O.device.type != "cpu" or not bool(O.isnan().any())
    require(finite, "scale", f"keep every score finite in {Q.dtype}", scale)
    return Blockwise(O, log_total)


@checked(
    K=like("Q"),
    V=like("Q"),
    O=like("Q"),
    log_total=like("Q"),
    grad_O=like("Q"),
    scale=at_least(0),
    block=at_least(1),
)
def blockwise_backward(
    Q: Float[Tensor, "*n t d"],
    K: Float[Tensor, "*n s d"],
    V: Float[Tensor, "*n s e"],
    O: Float[Tensor, "*n t e"],
    log_total: Float[Tensor, "*n t 1"],
    grad_O: Float[Tensor, "*n t e"],
    causal: bool = False,
    scale: float | None = None,
    block: int = BLOCK,
) -> Gradients:
    """`attention_backward` block by block: each block of weights is computed again from ``log_total``.

    A = e^(S − log_total),  ∂L/∂S = A ⊙ (∂L/∂O Vᵀ − r),  rᵢ = Σ Oᵢ ⊙ (∂L/∂O)ᵢ     {eq}`eq-heads-mean-wish`
    """
    scale = _scale(Q, K, causal, scale)
    grad_Q, grad_K, grad_V = (torch.zeros_like(x, memory_format=torch.contiguous_format) for x in (Q, K, V))
    r = (O * grad_O).sum(-1, keepdim=True)  # (…, t, 1), without any row of weights
    for rows in _blocks(Q.shape[-2], block):
        q, g = Q[..., rows, :], grad_O[..., rows, :]
        for columns in _blocks(_seen(rows, Q, K, causal), block):
            k, v = K[..., columns, :], V[..., columns, :]
            S = _scores(Q, K, rows, columns, causal, scale)
            A = (S - log_total[..., rows, :]).exp()
            grad_S = A * (g @ v.mT - r[..., rows, :])
            grad_V[..., columns, :] += A.mT @ g
            grad_Q[..., rows, :] += scale * grad_S @ k
            grad_K[..., columns, :] += scale * grad_S.mT @ q
    return Gradients(grad_Q, grad_K, grad_V)


@checked(K=joins("Q"), V=joins("Q", "K"), scale=at_least(0), block=at_least(1))
def blockwise_attention(
    Q: Float[Tensor, "... t d"],
    K: Float[Tensor, "... s d"],
    V: Float[Tensor, "... s e"],
    causal: bool = False,
    scale: float | None = None,
    block: int = BLOCK,
) -> Float[Tensor, "... t e"]:
    """`attention` by `blockwise_forward`, with `blockwise_backward` for its derivative.

    Equal to softmax(scale·QKᵀ)V up to rounding, and never in possession of all t × s weights, on the way
    there or back. ``causal``: queries are the last t of s positions, and blocks of the future are skipped.
    """
    batch = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2])
    Q, K, V = (x.expand(*batch, *x.shape[-2:]) for x in (Q, K, V))  # so that autograd sums what was broadcast
    return _Differentiable.apply(Q, K, V, causal, scale, block)


class _Differentiable(torch.autograd.Function):
    """Keeps the inputs, the outputs and one number per query."""

    @staticmethod
    def forward(ctx: Any, Q: Tensor, K: Tensor, V: Tensor, *settings: Any) -> Tensor:
        found = bare(blockwise_forward)(Q, K, V, *settings)
        ctx.save_for_backward(Q, K, V, *found)
        ctx.settings = settings
        return found.O

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        return *bare(blockwise_backward)(*ctx.saved_tensors, *grads, *ctx.settings), None, None, None


def _scale(Q: Tensor, K: Tensor, causal: bool, scale: float | None) -> float:
    t, s = Q.shape[-2], K.shape[-2]
    rule = f"have at least {t} rows if it is causal, one per query"
    require(not causal or s >= t, "K", rule, f"shape {tuple(K.shape)}")
    return 1 / math.sqrt(Q.shape[-1]) if scale is None else scale


def _blocks(stop: int, size: int) -> list[slice]:
    return [slice(i, min(i + size, stop)) for i in range(0, stop, size)]


def _seen(rows: slice, Q: Tensor, K: Tensor, causal: bool) -> int:
    """How many keys the last of these queries may look at; the rest are skipped."""
    return rows.stop + K.shape[-2] - Q.shape[-2] if causal else K.shape[-2]


def _nothing_read(O: Tensor) -> Running:
    highest = O.new_full((*O.shape[:-1], 1), -math.inf)
    return Running(highest, torch.zeros_like(highest), torch.zeros_like(O))


def _scores(Q: Tensor, K: Tensor, rows: slice, columns: slice, causal: bool, scale: float) -> Tensor:
    """Scores of a block; in a causal one query i may look at key j ≤ i + s − t."""
    scores = (Q[..., rows, :] * scale) @ K[..., columns, :].mT
    first = (
        rows.start + K.shape[-2] - Q.shape[-2] - columns.start
    )  # the last key that the first query may see
    if not causal or first >= scores.shape[-1] - 1:
        return scores
    future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=Q.device).triu_(first + 1)
    return scores.masked_fill_(future, -math.inf)
