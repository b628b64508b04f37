"""The backward pass of attention, written by hand."""

from __future__ import annotations

from typing import NamedTuple

import torch

from chapters_src.core import checks
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.sequences.attention.weighted_mean import (
    _arguments,
    _rows,
    _same_kind,
    _values,
    attention_weights,
)

__all__ = ["Gradients", "attention_backward", "softmax_backward"]


class Gradients(NamedTuple):
    """The gradient of a loss with respect to queries, keys and values, each of the shape of its own."""

    Q: Float[Tensor, "... t d"]
    K: Float[Tensor, "... s d"]
    V: Float[Tensor, "... s e"]


def softmax_backward(
    A: Float[Tensor, "... t s"], grad_A: Float[Tensor, "... t s"]
) -> Float[Tensor, "... t s"]:
    """From the gradient at the weights back to the gradient at the scores, row by row.

    ∂L/∂S = A ⊙ (∂L/∂A − r),  rᵢ = Σⱼ Aᵢⱼ(∂L/∂A)ᵢⱼ               {eq}`eq-attention-softmax-backward`

    It is the product with diag(a) − aaᵀ, without that matrix ever being made.
    """
    A, grad_A = _rows("softmax_backward", "A", A), _rows("softmax_backward", "grad_A", grad_A)
    if A.shape != grad_A.shape:
        checks.fail(
            "softmax_backward", "grad_A", f"have shape {tuple(A.shape)}, as A has", tuple(grad_A.shape)
        )
    _same_kind("softmax_backward", "grad_A", grad_A, A)
    return A * (grad_A - (A * grad_A).sum(-1, keepdim=True))


def attention_backward(
    Q: Float[Tensor, "... t d"],
    K: Float[Tensor, "... s d"],
    V: Float[Tensor, "... s e"],
    grad_O: Float[Tensor, "... t e"],
    mask: Bool[Tensor, "..."] | None = None,
    scale: float | None = None,
) -> Gradients:
    """From ∂L/∂O, the gradient at what attention returned, to those of Q, K and V.

    ∂L/∂V = Aᵀ∂L/∂O,  ∂L/∂Q = scale·∂L/∂S K,  ∂L/∂K = scale·(∂L/∂S)ᵀQ
                                                          {eq}`eq-attention-backward`
    A masked score has weight 0, so its gradient is 0 without another word. What was
    broadcast on the way in is summed over on the way back.
    """
    name = "attention_backward"
    Q, K, mask, scale = _arguments(name, Q, K, mask, scale)
    V, grad_O = _values(name, Q, K, V), _rows(name, "grad_O", grad_O)
    A = attention_weights(Q, K, mask, scale)  # (…, t, s)
    batch = torch.broadcast_shapes(A.shape[:-2], V.shape[:-2])
    if grad_O.shape != (shape := (*batch, Q.shape[-2], V.shape[-1])):
        checks.fail(name, "grad_O", f"have shape {shape}, as the output has", tuple(grad_O.shape))
    _same_kind(name, "grad_O", grad_O, Q)
    grad_A = grad_O @ V.mT  # (…, t, e) @ (…, e, s) -> (…, t, s)
    grad_S = softmax_backward(*torch.broadcast_tensors(A, grad_A))
    return Gradients(
        Q=(scale * grad_S @ K).sum_to_size(Q.shape),  # (…, t, s) @ (…, s, d)
        K=(scale * grad_S.mT @ Q).sum_to_size(K.shape),  # (…, s, t) @ (…, t, d)
        V=(A.mT @ grad_O).sum_to_size(V.shape),  # (…, s, t) @ (…, t, e)
    )
