"""The translator of the chapter on gates, which now looks back at every word before it writes one."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.shapes import Bool, Float, Int, Tensor
from chapters_src.core.tensor_readers import joins, like, over_pairs, tokens_below
from chapters_src.sequences.attention.weighted_mean import attention_weights
from chapters_src.sequences.gates import ENGLISH, SPANISH, Translator

__all__ = ["AttentiveTranslator", "additive_weights", "looks"]


@checked(K=joins("Q"), W_Q=like("Q"), W_K=like("Q"), w=like("Q"), mask=over_pairs("Q", "K"))
def additive_weights(
    Q: Float[Tensor, "... t d"],
    K: Float[Tensor, "... s e"],
    W_Q: Float[Tensor, "d m"],
    W_K: Float[Tensor, "e m"],
    w: Float[Tensor, "m"],
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "... t s"]:
    """How much each query looks at each key if a small network scores their fit: every row sums to 1.

    sᵢⱼ = wᵀ tanh(W_Qᵀqᵢ + W_Kᵀkⱼ),  A = softmax(S), row by row      {eq}`eq-attention-additive`
    """
    hidden = torch.tanh((Q @ W_Q).unsqueeze(-2) + (K @ W_K).unsqueeze(-3))  # (…, t, s, m)
    scores = hidden @ w
    return (scores if mask is None else scores.masked_fill(~mask, -math.inf)).softmax(-1)


class AttentiveTranslator(Translator):
    """A `Translator` whose context is a new weighted mean of the encoder's states for every word it writes.

    cₜ = Σⱼ a(qₜ₋₁, hⱼ) hⱼ                                            {eq}`eq-attention-context`

    ``score`` is "dot" for (W_Qᵀq)ᵀh/√m or "additive" for wᵀ tanh(W_Qᵀq + W_Kᵀh); q is the decoder's state.
    """

    W_Q: nn.Parameter
    W_K: nn.Parameter
    w: nn.Parameter

    @checked(m=at_least(1), d=at_least(1), score=one_of(("dot", "additive")))
    def __init__(
        self,
        m: int,
        generator: torch.Generator,
        score: str = "dot",
        d: int = 16,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__(m, generator, d, device, dtype)
        self.score = score
        shapes = {"W_Q": (m, m)} | ({"W_K": (m, m), "w": (m,)} if score == "additive" else {})
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        for name, shape in shapes.items():
            setattr(self, name, nn.Parameter(normal_weights(shape, 1 / math.sqrt(m), generator, **place)))

    def weights(
        self, state: Float[Tensor, "B m"], encoded: Float[Tensor, "B s m"], mask: Bool[Tensor, "B s"]
    ) -> Float[Tensor, "B s"]:
        """How much the decoder looks at each word of the source before it writes the next one."""
        Q, pairs = state[:, None], mask[:, None]
        if self.score == "dot":
            return attention_weights(Q @ self.W_Q, encoded, pairs)[:, 0]
        return additive_weights(Q, encoded, self.W_Q, self.W_K, self.w, pairs)[:, 0]

    def context(
        self, state: Float[Tensor, "B m"], encoded: Float[Tensor, "B s m"], mask: Bool[Tensor, "B s"]
    ) -> Float[Tensor, "B m"]:
        """The mean of the encoder's states, weighted by where the decoder looks."""
        return (self.weights(state, encoded, mask)[:, None] @ encoded)[:, 0]


@torch.no_grad()
@checked(source=tokens_below(str(len(ENGLISH))), target=tokens_below(str(len(SPANISH))))
def looks(
    model: AttentiveTranslator, source: Int[Tensor, "B s"], target: Int[Tensor, "B t"]
) -> Float[Tensor, "B t s"]:
    """Where the model looks before it writes what follows each word of the target: the alignment matrix."""
    encoded, mask = model.encode(source)
    state, rows = encoded[:, -1], []
    for word in target.unbind(1):
        rows.append(model.weights(state, encoded, mask))
        state = model.step(state, word, encoded, mask)
    return torch.stack(rows, dim=1)
