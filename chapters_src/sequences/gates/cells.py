"""One step of the two gated cells, equation by equation."""

from __future__ import annotations

from typing import NamedTuple

import torch

from chapters_src.core.contract import checked
from chapters_src.core.readers import one_of
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like

__all__ = ["GRUStep", "LSTMStep", "gru_step", "lstm_step"]


class LSTMStep(NamedTuple):
    """All that one step of an LSTM computes: three gates, what is offered, the memory and what is shown."""

    i: Float[Tensor, "B m"]
    f: Float[Tensor, "B m"]
    o: Float[Tensor, "B m"]
    c_tilde: Float[Tensor, "B m"]
    c: Float[Tensor, "B m"]
    h: Float[Tensor, "B m"]


@checked(h=like("x"), c=like("x"), W0=like("x"), W1=like("x"), b=like("x"))
def lstm_step(
    x: Float[Tensor, "B d"],
    h: Float[Tensor, "B m"],
    c: Float[Tensor, "B m"],
    W0: Float[Tensor, "d 4*m"],
    W1: Float[Tensor, "m 4*m"],
    b: Float[Tensor, "4*m"],
) -> LSTMStep:
    """The next memory and hidden state of an LSTM; the columns of the weights are those of i, f, o and c̃.

    i, f, o = σ(xW₀ + hW₁ + b),  c̃ = tanh(xW₀ + hW₁ + b)                          {eq}`eq-gates-lstm`
    c′ = f ⊙ c + i ⊙ c̃,  h′ = o ⊙ tanh(c′)                                    {eq}`eq-gates-memory`
    """
    a_i, a_f, a_o, a_c = (x @ W0 + h @ W1 + b).chunk(4, dim=-1)
    i, f, o, c_tilde = torch.sigmoid(a_i), torch.sigmoid(a_f), torch.sigmoid(a_o), torch.tanh(a_c)
    c = f * c + i * c_tilde
    return LSTMStep(i, f, o, c_tilde, c, o * torch.tanh(c))


class GRUStep(NamedTuple):
    """All that one step of a GRU computes: two gates, the candidate and the new state."""

    r: Float[Tensor, "B m"]
    u: Float[Tensor, "B m"]
    h_tilde: Float[Tensor, "B m"]
    h: Float[Tensor, "B m"]


@checked(
    h=like("x"),
    W0=like("x"),
    W1=like("x"),
    b0=like("x"),
    b1=like("x"),
    reset=one_of(("before", "after")),
)
def gru_step(
    x: Float[Tensor, "B d"],
    h: Float[Tensor, "B m"],
    W0: Float[Tensor, "d 3*m"],
    W1: Float[Tensor, "m 3*m"],
    b0: Float[Tensor, "3*m"],
    b1: Float[Tensor, "3*m"],
    reset: str = "after",
) -> GRUStep:
    """The next state of a GRU; the columns of the weights are those of r, u and h̃.

    r, u = σ(xW₀ + hW₁ + b),  h̃ = tanh(xW₀ + (r ⊙ h)W₁ + b),  h′ = u ⊙ h + (1 − u) ⊙ h̃   {eq}`eq-gates-gru`

    ``reset`` says if r meets h before its product with W₁, as in this formula, or the product, as in torch.
    """
    m = h.shape[-1]
    a, k = x @ W0 + b0, h @ W1 + b1
    r, u = torch.sigmoid(a[:, : 2 * m] + k[:, : 2 * m]).chunk(2, dim=-1)
    kept = r * k[:, 2 * m :] if reset == "after" else (r * h) @ W1[:, 2 * m :] + b1[2 * m :]
    h_tilde = torch.tanh(a[:, 2 * m :] + kept)
    return GRUStep(r, u, h_tilde, u * h + (1 - u) * h_tilde)
