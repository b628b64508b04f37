"""Whole sequences: the products with the inputs are one product, and an LSTM's derivative is written out."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.function import once_differentiable

from chapters_src.core.contract import checked
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.core.tensor_readers import like

__all__ = ["gru_states", "lstm_states"]


@checked(h=like("X"), c=like("X"), W0=like("X"), W1=like("X"), b=like("X"))
def lstm_states(
    X: Float[Tensor, "B t d"],
    h: Float[Tensor, "B m"],
    c: Float[Tensor, "B m"],
    W0: Float[Tensor, "d 4*m"],
    W1: Float[Tensor, "m 4*m"],
    b: Float[Tensor, "4*m"],
) -> Float[Tensor, "B t m"]:
    """The hidden state after each input of a sequence, as `lstm_step` gives it."""
    return _LSTMStates.apply(X, h, c, W0, W1, b)


class _LSTMStates(torch.autograd.Function):
    """Seven calls per step forwards and eight back, most of them in place, instead of a recorded graph.

    Sequences are columns, arrays (t, 4m, B) and (t, m, B), so that the rows of each gate lie together.
    """

    @staticmethod
    def forward(ctx: Any, X: Tensor, h: Tensor, c: Tensor, W0: Tensor, W1: Tensor, b: Tensor) -> Tensor:
        (B, t, _), m = X.shape, h.shape[-1]
        A = torch.baddbmm(b[:, None], W0.T.expand(t, -1, -1), X.permute(1, 2, 0))
        H, C, tanh_C = (A.new_empty(length, m, B) for length in (t + 1, t + 1, t))
        H[0], C[0] = h.T, c.T
        blocks = (A, A[:, : 3 * m], *A.split(m, dim=1), H[:-1], C[:-1], H[1:], C[1:], tanh_C)
        for a, gates, i, f, o, c_tilde, h, c, h_new, c_new, tanh_c in zip(*blocks, strict=True):
            a.addmm_(W1.T, h)
            gates.sigmoid_()
            c_tilde.tanh_()
            torch.mul(f, c, out=c_new).addcmul_(i, c_tilde)
            torch.mul(o, torch.tanh(c_new, out=tanh_c), out=h_new)
        ctx.save_for_backward(X, W0, W1, A, H, C, tanh_C)
        return H[1:].permute(2, 0, 1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_H: Tensor) -> tuple[Tensor | None, ...]:
        X, W0, W1, A, H, C, tanh_C = ctx.saved_tensors
        m = len(W1)
        i, f, o, c_tilde = A.split(m, dim=1)
        # What the error of c, and for o that of h, is multiplied by; the loop turns it into the errors of A.
        slopes = (c_tilde * i * (1 - i), C[:-1] * f * (1 - f), tanh_C * o * (1 - o), i * (1 - c_tilde**2))
        grad_A, shown = torch.cat(slopes, dim=1), o * (1 - tanh_C**2)
        grad_h, grad_c = torch.zeros_like(H[0]), torch.zeros_like(C[0])
        blocks = (grad_A, *grad_A.split(m, dim=1), shown, f, grad_H.permute(1, 2, 0).contiguous())
        backwards = (block.unbind()[::-1] for block in blocks)
        for grad_a, grad_i, grad_f, grad_o, grad_c_tilde, s, f_t, grad in zip(*backwards, strict=True):
            grad_h = grad_h + grad
            grad_c.addcmul_(grad_h, s)
            grad_o.mul_(grad_h)
            for one in (grad_i, grad_f, grad_c_tilde):
                one.mul_(grad_c)
            grad_c.mul_(f_t)
            grad_h = W1 @ grad_a
        rows = grad_A.transpose(1, 2).flatten(0, 1)  # (t B, 4m)
        inputs, states = X.transpose(0, 1), H[:-1].transpose(1, 2)  # (t, B, d) and (t, B, m)
        grad_X = None
        if ctx.needs_input_grad[0]:
            grad_X = (rows @ W0.T).view(inputs.shape).transpose(0, 1)
        grad_W0, grad_W1 = (one.flatten(0, 1).T @ rows for one in (inputs, states))
        return grad_X, grad_h.T, grad_c.T, grad_W0, grad_W1, rows.sum(0)


@checked(h=like("X"), W0=like("X"), W1=like("X"), b0=like("X"), b1=like("X"))
def gru_states(
    X: Float[Tensor, "B t d"],
    h: Float[Tensor, "B m"],
    W0: Float[Tensor, "d 3*m"],
    W1: Float[Tensor, "m 3*m"],
    b0: Float[Tensor, "3*m"],
    b1: Float[Tensor, "3*m"],
    mask: Bool[Tensor, "B t"] | None = None,
) -> Float[Tensor, "B t m"]:
    """The state after each input of a sequence, as `gru_step` gives it with the reset after the product.

    Where the mask is False the state stays as it is, so that the last one is that of the last real input.
    """
    m, states = h.shape[-1], []
    for t, a in enumerate((X @ W0 + b0).transpose(0, 1).contiguous()):
        k = torch.addmm(b1, h, W1)
        r, u = torch.sigmoid(a[:, : 2 * m] + k[:, : 2 * m]).chunk(2, dim=-1)
        h_tilde = torch.tanh(torch.addcmul(a[:, 2 * m :], r, k[:, 2 * m :]))
        new = torch.lerp(h_tilde, h, u)
        h = new if mask is None else torch.where(mask[:, t, None], new, h)
        states.append(h)
    return torch.stack(states, dim=1)
