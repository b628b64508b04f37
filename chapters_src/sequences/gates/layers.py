"""Cells with weights to learn, which read a whole sequence."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import bare, checked
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import normal_weights
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Bool, Float, Tensor
from chapters_src.core.tensor_readers import like_weights
from chapters_src.sequences.gates.cells import gru_step, lstm_step
from chapters_src.sequences.gates.fast import gru_states, lstm_states

__all__ = ["GRU", "LSTM"]


class Recurrent(nn.Module):
    """What both layers have: weights for ``blocks`` gates and candidates, and an initial state of zeros."""

    def __init__(
        self, d: int, m: int, blocks: int, generator: torch.Generator, device: Device, dtype: Dtype
    ) -> None:
        super().__init__()
        self.d, self.m = d, m
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.W0, self.W1 = (
            nn.Parameter(normal_weights((size, blocks * m), 1 / math.sqrt(size), generator, **place))
            for size in (d, m)
        )

    def zeros(self, like: Tensor) -> Tensor:
        """A state that remembers nothing, for each sequence of a batch."""
        return like.new_zeros(len(like), self.m)


class LSTM(Recurrent):
    """A layer of LSTM cells, `lstm_step` by `lstm_step`.

    The biases start at 0, those of the forget gates at ``forget``: at 1 a new cell keeps σ(1) = 73 % of its
    memory per step.
    """

    @checked(d=at_least(1), m=at_least(1))
    def __init__(
        self,
        d: int,
        m: int,
        generator: torch.Generator,
        forget: float = 1.0,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__(d, m, 4, generator, device, dtype)
        b = torch.zeros(4 * m, device=device, dtype=dtype)
        b[m : 2 * m] = forget
        self.b = nn.Parameter(b)

    @checked(X=like_weights, h=like_weights, c=like_weights)
    def forward(
        self,
        X: Float[Tensor, "B t {self.d}"],
        h: Float[Tensor, "B {self.m}"] | None = None,
        c: Float[Tensor, "B {self.m}"] | None = None,
    ) -> Float[Tensor, "B t {self.m}"]:
        """The hidden state after each input."""
        h, c = (self.zeros(X) if one is None else one for one in (h, c))
        return bare(lstm_states)(X, h, c, self.W0, self.W1, self.b)

    def step(self, x: Tensor, h: Tensor, c: Tensor) -> Any:
        """One step with all its gates."""
        return bare(lstm_step)(x, h, c, self.W0, self.W1, self.b)


class GRU(Recurrent):
    """A layer of GRU cells, `gru_step` by `gru_step`, with the reset after the product."""

    @checked(d=at_least(1), m=at_least(1))
    def __init__(
        self, d: int, m: int, generator: torch.Generator, device: Device = None, dtype: Dtype = None
    ) -> None:
        super().__init__(d, m, 3, generator, device, dtype)
        self.b0, self.b1 = (nn.Parameter(torch.zeros(3 * m, device=device, dtype=dtype)) for _ in range(2))

    @checked(X=like_weights, h=like_weights)
    def forward(
        self,
        X: Float[Tensor, "B t {self.d}"],
        h: Float[Tensor, "B {self.m}"] | None = None,
        mask: Bool[Tensor, "B t"] | None = None,
    ) -> Float[Tensor, "B t {self.m}"]:
        """The hidden state after each input; where the mask is False nothing is read and the state stays."""
        h = self.zeros(X) if h is None else h
        return bare(gru_states)(X, h, self.W0, self.W1, self.b0, self.b1, mask)

    def step(self, x: Tensor, h: Tensor) -> Any:
        """One step with its gates."""
        return bare(gru_step)(x, h, self.W0, self.W1, self.b0, self.b1)
