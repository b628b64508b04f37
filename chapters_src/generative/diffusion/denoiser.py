"""A network that guesses the noise in a noisy example, and its training."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.modules import linear
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.tensor_readers import like_weights
from chapters_src.core.training import TrainingRun, train
from chapters_src.generative.diffusion.schedule import NoiseSchedule, noised
from chapters_src.optimisation.search import one_cycle_rate

__all__ = ["Denoiser", "denoising_loss", "fit_denoiser", "time_features"]


@checked(T=at_least(1), count=at_least(4))
def time_features(t: Int[Tensor, "n"], T: int, count: int = 32) -> Float[Tensor, "n {count}"]:
    """Step t as sines and cosines of slow to fast waves, so that a network can tell steps near and far apart.

    (sin ωₖt/T, cos ωₖt/T),  ωₖ from 1 to 1000 in equal ratios
    """
    require(not count % 2, "count", "be even, for pairs of sine and cosine", count)
    if t.device.type == "cpu" and bool(((t < 0) | (t > T)).any()):  # elsewhere looking would wait
        refuse("t", f"be from 0 to {T}", "a step outside")
    return _waves(t, T, count)


def _waves(t: Tensor, T: int, count: int) -> Tensor:
    """`time_features` without a look at the steps, for training."""
    waves = torch.logspace(0, 3, count // 2, device=t.device)
    angle = t[:, None] / T * waves
    return torch.cat([angle.sin(), angle.cos()], dim=1)


class Denoiser(nn.Module):
    """ε̂(xₜ, t): layers with short cuts that are told the step, and if there are ``classes``, the class.

    ε̂ = √(1 − ᾱₜ)·xₜ + √ᾱₜ·F(xₜ, t)                   {eq}`eq-diffusion-network`

    The first term is the best guess for standard normal data. The network F starts at 0 and learns what is
    different about these data; where all is noise, ᾱₜ = 0, it has nothing left to do.
    """

    @checked(d=at_least(1), width=at_least(1), depth=at_least(1), classes=at_least(0))
    def __init__(
        self,
        schedule: NoiseSchedule,
        d: int,
        generator: torch.Generator,
        width: int = 128,
        depth: int = 3,
        classes: int = 0,
    ) -> None:
        super().__init__()
        self.schedule, self.d, self.classes = schedule, d, classes
        self.features = 32

        like = schedule.alpha_bar

        def layer(inputs: int, outputs: int, scale: float = 1.0) -> nn.Linear:
            return linear(inputs, outputs, generator, scale, device=like.device, dtype=like.dtype)

        self.first = layer(d, width)
        self.time = layer(self.features, width)
        self.label = layer(classes, width) if classes else None
        self.hidden = nn.ModuleList(layer(width, width) for _ in range(depth))
        self.gates = nn.ModuleList(layer(width, width, 0.1) for _ in range(depth))
        self.last = layer(width, d, 0.0)

    @checked(x_t=like_weights)
    def forward(
        self, x_t: Float[Tensor, "n {self.d}"], t: Int[Tensor, "n"], label: Int[Tensor, "n"] | None = None
    ) -> Float[Tensor, "n d"]:
        if (label is None) != (self.label is None):
            rule = "be given" if label is None else "be left out, because there are no classes"
            refuse("label", rule, "none" if label is None else "labels")
        condition = self.time(_waves(t, self.schedule.T, self.features).to(x_t.dtype))
        if self.label is not None and label is not None:
            condition = condition + self._of_class(label)
        h, condition = self.first(x_t) + condition, nn.functional.silu(condition)
        for hidden, gate in zip(self.hidden, self.gates, strict=True):
            h = h + hidden(nn.functional.silu(h) * (1 + gate(condition)))
        signal, noise = (self.schedule.at(one, t, x_t) for one in (self.schedule.signal, self.schedule.noise))
        return noise * x_t + signal * self.last(nn.functional.silu(h))

    def _of_class(self, label: Int[Tensor, "n"]) -> Float[Tensor, "n w"]:
        """One learned vector for each class; one_hot would read the labels back to check them."""
        assert self.label is not None
        try:
            return self.label.weight.T.index_select(0, label) + self.label.bias
        except IndexError:
            refuse("label", f"be from 0 to {self.classes - 1}", "another class")


@checked
def denoising_loss(
    model: Callable[..., Any],
    schedule: NoiseSchedule,
    x_0: Float[Tensor, "n d"],
    generator: torch.Generator,
    label: Int[Tensor, "n"] | None = None,
) -> Float[Tensor, ""]:
    """The mean squared error of the guessed noise, every example at a step and with a noise of its own.

    L = E‖ε − ε̂(√ᾱₜ·x₀ + √(1 − ᾱₜ)·ε, t)‖²/d,  t uniform on 1, …, T     {eq}`eq-diffusion-simple`
    """
    t = torch.randint(1, schedule.T + 1, (len(x_0),), generator=generator, device=x_0.device)
    eps = torch.randn(x_0.shape, generator=generator, device=x_0.device, dtype=x_0.dtype)
    x_t = noised(schedule, x_0, t, eps)
    eps_hat = model(x_t, t) if label is None else model(x_t, t, label)
    return ((eps - eps_hat) ** 2).mean()


@checked(x_0=like_weights, steps=at_least(2), batch_size=at_least(1), learning_rate=above(0))
def fit_denoiser(
    model: Denoiser,
    x_0: Float[Tensor, "n {model.d}"],
    generator: torch.Generator,
    steps: int,
    batch_size: int = 256,
    learning_rate: float = 3e-3,
    label: Int[Tensor, "n"] | None = None,
    progress: bool | None = None,
) -> TrainingRun:
    """Train in place with Adam on batches drawn with replacement, the rate rising and falling in one cycle.

    Data, schedule, batches and losses stay on the device: no step waits for a number to reach the host.
    """

    def loss(model: Any, rows: Tensor) -> Tensor:
        chosen = None if label is None else label[rows]
        return denoising_loss(model, schedule, x_0[rows], generator, chosen)

    def batches() -> Iterator[Tensor]:
        while True:
            yield torch.randint(len(x_0), (batch_size,), generator=generator, device=x_0.device)

    schedule, rise = model.schedule, max(0.1, 1.5 / steps)
    return train(
        model,
        loss,
        batches(),
        torch.optim.Adam(model.parameters(), lr=learning_rate),
        steps,
        rate=lambda step: one_cycle_rate(step, learning_rate, steps, rise=rise),
        progress=progress,
    )
