"""The backward pass of attention, written by hand."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.core.tensor_readers import joins, like, over_pairs
from chapters_src.sequences.attention import attention_weights

__all__ = ["Gradients", "attention_backward", "softmax_backward"]


class Gradients(NamedTuple):
    """The gradient of a loss with respect to queries, keys and values, each of the shape of its own."""

    Q: Float[Tensor, "... t d"]
    K: Float[Tensor, "... s d"]
    V: Float[Tensor, "... s e"]


@checked(grad_A=like("A"))
def softmax_backward(A: Float[Tensor, "*n t s"], grad_A: Float[Tensor, "*n t s"]) -> Float[Tensor, "*n t s"]:
    """From the gradient at the weights back to the gradient at the scores, row by row.

    ∂L/∂S = A ⊙ (∂L/∂A − r),  rᵢ = Σⱼ Aᵢⱼ(∂L/∂A)ᵢⱼ               {eq}`eq-heads-softmax-backward`

    It is the product with diag(a) − aaᵀ, without that matrix ever being made.
    """
    return A * (grad_A - (A * grad_A).sum(-1, keepdim=True))


@checked(K=joins("Q"), V=joins("Q", "K"), grad_O=like("Q"), mask=over_pairs("Q", "K"), scale=at_least(0))
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
                                                          {eq}`eq-heads-backward`
    A masked score has weight 0, so its gradient is 0 without another word. What was
    broadcast on the way in is summed over on the way back.
    """
    scale = 1 / math.sqrt(Q.shape[-1]) if scale is None else scale
    A = attention_weights(Q, K, mask, scale)  # (…, t, s)
    batch = torch.broadcast_shapes(A.shape[:-2], V.shape[:-2])
    if grad_O.shape != (shape := (*batch, Q.shape[-2], V.shape[-1])):
        refuse("grad_O", f"have shape {shape}, as the output has", tuple(grad_O.shape))
    grad_A = grad_O @ V.mT  # (…, t, e) @ (…, e, s) -> (…, t, s)
    grad_S = softmax_backward(*torch.broadcast_tensors(A, grad_A))
    return Gradients(
        Q=(scale * grad_S @ K).sum_to_size(Q.shape),  # (…, t, s) @ (…, s, d)
        K=(scale * grad_S.mT @ Q).sum_to_size(K.shape),  # (…, s, t) @ (…, t, d)
        V=(A.mT @ grad_O).sum_to_size(V.shape),  # (…, s, t) @ (…, t, e)
    )
