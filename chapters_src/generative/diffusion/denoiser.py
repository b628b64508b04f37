"""A network that guesses the noise in a noisy example, and its training."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import nn

from chapters_src.core import checks, progress
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.generative.diffusion.schedule import NoiseSchedule, _rows, _schedule, noised
from chapters_src.optimisation.search.schedules import one_cycle_rate

__all__ = ["Denoiser", "Training", "denoising_loss", "fit_denoiser", "time_features"]


def time_features(t: Int[Tensor, "n"], T: int, count: int = 32) -> Float[Tensor, "n {count}"]:
    """Step t as sines and cosines of slow to fast waves, so that a network can tell steps near and far apart.

    (sin ωₖt/T, cos ωₖt/T),  ωₖ from 1 to 1000 in equal ratios
    """
    T = checks.integer("time_features", "T", T, at_least=1)
    count = checks.integer("time_features", "count", count, at_least=4)
    if count % 2:
        checks.fail("time_features", "count", "be even, for pairs of sine and cosine", count)
    if not isinstance(t, Tensor) or t.ndim != 1:
        got = tuple(t.shape) if isinstance(t, Tensor) else f"a {type(t).__name__}"
        checks.fail("time_features", "t", "be a tensor of steps, shape (n,)", got)
    waves = torch.logspace(0, 3, count // 2, device=t.device)
    angle = t[:, None] / T * waves
    return torch.cat([angle.sin(), angle.cos()], dim=1)


class Denoiser(nn.Module):
    """ε̂(xₜ, t): layers with short cuts that are told the step, and if there are ``classes``, the class.

    ε̂ = √(1 − ᾱₜ)·xₜ + √ᾱₜ·F(xₜ, t)                   {eq}`eq-diffusion-network`

    The first term is the best guess for standard normal data. The network F starts at 0 and learns what is
    different about these data; where all is noise, ᾱₜ = 0, it has nothing left to do.
    """

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
        name = "Denoiser"
        self.schedule = _schedule(name, schedule)
        self.d = checks.integer(name, "d", d, at_least=1)
        width = checks.integer(name, "width", width, at_least=1)
        depth = checks.integer(name, "depth", depth, at_least=1)
        self.classes = checks.integer(name, "classes", classes, at_least=0)
        if not isinstance(generator, torch.Generator):
            checks.fail(name, "generator", "be a torch.Generator", f"a {type(generator).__name__}")
        self.features = 32

        def layer(inputs: int, outputs: int, scale: float = 1.0) -> nn.Linear:
            """Weights of variance scale²/inputs from the given generator, on the schedule's device."""
            like = schedule.alpha_bar
            made = nn.utils.skip_init(nn.Linear, inputs, outputs, device=like.device, dtype=like.dtype)
            with torch.no_grad():
                made.weight.normal_(0, scale / math.sqrt(inputs), generator=generator)
                made.bias.zero_()
            return made

        self.first = layer(self.d, width)
        self.time = layer(self.features, width)
        self.label = layer(self.classes, width) if classes else None
        self.hidden = nn.ModuleList(layer(width, width) for _ in range(depth))
        self.gates = nn.ModuleList(layer(width, width, 0.1) for _ in range(depth))
        self.last = layer(width, self.d, 0.0)

    def forward(
        self, x_t: Float[Tensor, "n d"], t: Int[Tensor, "n"], label: Int[Tensor, "n"] | None = None
    ) -> Float[Tensor, "n d"]:
        x_t = _rows("Denoiser", "x_t", x_t)
        if x_t.ndim != 2 or x_t.shape[1] != self.d:
            checks.fail("Denoiser", "x_t", f"have shape (n, {self.d})", tuple(x_t.shape))
        if (label is None) != (self.label is None):
            rule = "be given" if label is None else "be left out, because there are no classes"
            checks.fail("Denoiser", "label", rule, "none" if label is None else "labels")
        if not isinstance(t, Tensor) or t.shape != x_t.shape[:1]:
            got = tuple(t.shape) if isinstance(t, Tensor) else f"a {type(t).__name__}"
            checks.fail("Denoiser", "t", f"be steps of shape ({len(x_t)},), one per row of x_t", got)
        told = self.time(time_features(t, self.schedule.T, self.features).to(x_t.dtype))
        if self.label is not None and label is not None:
            told = told + self._of_class(label)
        h, told = self.first(x_t) + told, nn.functional.silu(told)
        for hidden, gate in zip(self.hidden, self.gates, strict=True):
            h = h + hidden(nn.functional.silu(h) * (1 + gate(told)))
        signal, noise = (self.schedule.at(one, t, x_t) for one in (self.schedule.signal, self.schedule.noise))
        return noise * x_t + signal * self.last(nn.functional.silu(h))

    def _of_class(self, label: Int[Tensor, "n"]) -> Float[Tensor, "n w"]:
        """One learned vector for each class; one_hot would read the labels back to check them."""
        assert self.label is not None
        try:
            return self.label.weight.T.index_select(0, label) + self.label.bias
        except IndexError:
            checks.fail("Denoiser", "label", f"be from 0 to {self.classes - 1}", "another class")


def denoising_loss(
    model: Any,
    schedule: NoiseSchedule,
    x_0: Float[Tensor, "n d"],
    generator: torch.Generator,
    label: Int[Tensor, "n"] | None = None,
) -> Float[Tensor, ""]:
    """The mean squared error of the guessed noise, every example at a step and with a noise of its own.

    L = E‖ε − ε̂(√ᾱₜ·x₀ + √(1 − ᾱₜ)·ε, t)‖²/d,  t uniform on 1, …, T     {eq}`eq-diffusion-simple`
    """
    schedule = _schedule("denoising_loss", schedule)
    x_0 = _rows("denoising_loss", "x_0", x_0)
    if not isinstance(generator, torch.Generator):
        checks.fail("denoising_loss", "generator", "be a torch.Generator", f"a {type(generator).__name__}")
    t = torch.randint(1, schedule.T + 1, (len(x_0),), generator=generator, device=x_0.device)
    eps = torch.randn(x_0.shape, generator=generator, device=x_0.device, dtype=x_0.dtype)
    x_t = noised(schedule, x_0, t, eps)
    eps_hat = model(x_t, t) if label is None else model(x_t, t, label)
    return ((eps - eps_hat) ** 2).mean()


class Training(NamedTuple):
    """The loss of every batch just before its step, still on the device."""

    losses: Float[Tensor, "steps"]


def fit_denoiser(
    model: Denoiser,
    x_0: Float[Tensor, "n d"],
    generator: torch.Generator,
    steps: int,
    batch_size: int = 256,
    learning_rate: float = 3e-3,
    label: Int[Tensor, "n"] | None = None,
    show: bool | None = None,
) -> Training:
    """Train in place with Adam on batches drawn with replacement, the rate rising and falling in one cycle.

    Data, schedule, batches and losses stay on the device: no step waits for a number to reach the host.
    """
    name = "fit_denoiser"
    if not isinstance(model, Denoiser):
        checks.fail(name, "model", "be a Denoiser", f"a {type(model).__name__}")
    x_0 = _rows(name, "x_0", x_0)
    steps = checks.integer(name, "steps", steps, at_least=2)
    batch_size = checks.integer(name, "batch_size", batch_size, at_least=1)
    rate = checks.number(name, "learning_rate", learning_rate, above=0)
    if label is not None and label.shape != x_0.shape[:1]:
        checks.fail(name, "label", f"have shape ({len(x_0)},), one per row of x_0", tuple(label.shape))
    losses = torch.empty(steps, device=x_0.device)
    adam = torch.optim.Adam(model.parameters(), lr=rate)
    for step in progress.bar(range(steps), "training", show=show):
        adam.param_groups[0]["lr"] = one_cycle_rate(step, rate, steps, rise=max(0.1, 1.5 / steps))
        rows = torch.randint(len(x_0), (batch_size,), generator=generator, device=x_0.device)
        chosen = None if label is None else label[rows]
        loss = denoising_loss(model, model.schedule, x_0[rows], generator, chosen)
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses[step] = loss.detach()
    return Training(losses)
