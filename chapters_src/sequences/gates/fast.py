"""Whole sequences: the products with the inputs are one product, and the gates are not kept."""

from __future__ import annotations

import torch

from chapters_src.core.contract import checked
from chapters_src.core.shapes import Bool, Float, Tensor

__all__ = ["gru_states", "lstm_states"]


@checked
def lstm_states(
    X: Float[Tensor, "B t d"],
    h: Float[Tensor, "B m"],
    c: Float[Tensor, "B m"],
    W0: Float[Tensor, "d 4*m"],
    W1: Float[Tensor, "m 4*m"],
    b: Float[Tensor, "4*m"],
) -> Float[Tensor, "B t m"]:
    """The hidden state after each input of a sequence, as `lstm_step` gives it."""
    m, states = h.shape[-1], []
    # (B, t, 4m) -> (t, B, 4m), so that what one step reads lies together
    for a in (X @ W0 + b).transpose(0, 1).contiguous():
        i, f, o, c_tilde = torch.addmm(a, h, W1).split(m, dim=-1)
        c = torch.addcmul(torch.sigmoid(f) * c, torch.sigmoid(i), torch.tanh(c_tilde))
        h = torch.sigmoid(o) * torch.tanh(c)
        states.append(h)
    return torch.stack(states, dim=1)


@checked
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
