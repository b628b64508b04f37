"""A network that says how sure it is: two outputs per example, a mean and a variance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import repeat

import torch
from torch import nn

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import mlp
from chapters_src.core.readers import above, at_least, between
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like, like_weights
from chapters_src.core.training import TrainingRun, train
from chapters_src.foundations.likelihood.losses import beta_nll

__all__ = ["MeanAndVariance", "fit_mean_and_variance"]


class MeanAndVariance(nn.Module):
    """A network of these widths, input first, with two outputs: a mean and the logarithm of a variance.

    σ² = ``floor`` + eᵃ is positive whatever the output a is, and never below the floor.
    """

    @checked(widths=at_least(1), floor=at_least(0))
    def __init__(
        self,
        widths: Sequence[int],
        generator: torch.Generator,
        floor: float = 0.0,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        require(widths, "widths", "be one number or more, input first", widths)
        self.inputs = widths[0]
        self.log_floor = math.log(floor) if floor > 0 else -math.inf
        self.network = mlp([*widths, 2], generator, nn.Tanh, device=device, dtype=dtype)

    @checked(X=like_weights)
    def forward(self, X: Float[Tensor, "n {self.inputs}"]) -> tuple[Float[Tensor, "n"], Float[Tensor, "n"]]:
        """The mean and the log-variance of every row."""
        mean, a = self.network(X).unbind(-1)
        return mean, torch.logaddexp(a, torch.full_like(a, self.log_floor))


@checked(X=like_weights, y=like("X"), steps=at_least(0), learning_rate=above(0), beta=between(0, 1))
def fit_mean_and_variance(
    model: MeanAndVariance,
    X: Float[Tensor, "n {model.inputs}"],
    y: Float[Tensor, "n"],
    steps: int,
    learning_rate: float = 0.01,
    beta: float = 0.0,
    after: Callable[[TrainingRun], object] | None = None,
    progress: bool | None = None,
) -> TrainingRun:
    """Minimise the mean `beta_nll` of all examples in place, by Adam; β = 0 is maximum likelihood."""

    def loss(network: nn.Module, batch: tuple[Tensor, Tensor]) -> torch.Tensor:
        inputs, outputs = batch
        mean, log_variance = network(inputs)
        return beta_nll(mean, log_variance, outputs, beta).mean()

    optimiser = torch.optim.Adam(model.parameters(), lr=learning_rate)
    return train(model, loss, repeat((X, y)), optimiser, steps, after=after, progress=progress)
