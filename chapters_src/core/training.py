"""The one training loop: a loss, batches, an optimiser, and a record from which it can go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import nn

from chapters_src.core import progress as bars
from chapters_src.core.contract import checked, refuse, require, unread
from chapters_src.core.readers import Refusal, above, at_least
from chapters_src.core.shapes import Float, Tensor

__all__ = ["TrainingRun", "loss_of", "train", "unwrapped"]

Batch = TypeVar("Batch")


@dataclass
class TrainingRun:
    """What training did so far: the loss of every batch just before its step, and seconds of the steps alone.

    With the optimiser's moments in it, and the model and its random generators beside it, all that decides
    how training goes on is there: see `state_dict`.
    """

    optimiser: torch.optim.Optimizer
    seconds: float = 0.0
    losses: Float[Tensor, "steps"] = field(default_factory=lambda: torch.zeros(0))
    _memory: Float[Tensor, "all"] = field(default_factory=lambda: torch.zeros(0), init=False, repr=False)

    @property
    def step(self) -> int:
        """How many steps were taken."""
        return len(self.losses)

    def note(self, loss: Float[Tensor, ""], steps: int) -> None:
        """Add the loss of a step, of so many in all.

        They share one block of memory, because a tensor for every step would leave the heap in pieces.
        """
        before = self.step
        if before == len(self._memory) or self.losses._base is not self._memory:
            self._memory = loss.new_empty(steps)
            self._memory[:before] = self.losses
        self._memory[before] = loss
        self.losses = self._memory[: before + 1]

    def state_dict(self) -> dict[str, Any]:
        """All there is to save of a run, but for the model and the generators, which save themselves."""
        return {
            "optimiser": self.optimiser.state_dict(),
            "seconds": self.seconds,
            "losses": self.losses.clone(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what `state_dict` saved."""
        self.optimiser.load_state_dict(state["optimiser"])
        self.seconds, self.losses = float(state["seconds"]), state["losses"]


@checked(steps=at_least(0), clip=above(0))
def train(
    model: nn.Module,
    loss: Callable[[nn.Module, Batch], torch.Tensor],
    batches: Iterable[Batch],
    optimiser: torch.optim.Optimizer,
    steps: int,
    rate: Callable[[int], float] | None = None,
    clip: float | None = None,
    after: Callable[[TrainingRun], object] | None = None,
    run: TrainingRun | None = None,
    progress: bool | None = None,
) -> TrainingRun:
    """Minimise ``loss(model, batch)`` in place until ``steps`` steps are done, each on the next batch.

    ``rate`` gives the learning rate of each step, counted from 0; a gradient longer than ``clip`` is cut to
    that length. ``after`` is called after every step with the run so far, and its time is not counted. A
    ``run`` that ended early goes on where it stopped. The model may be wrapped for several processes.
    Nothing is read back from the device, so that no step waits for another.
    """
    run = TrainingRun(optimiser) if run is None else run
    require(run.optimiser is optimiser, "optimiser", "be the one of the run that goes on", "another")
    source = iter(batches)
    for step in bars.bar(range(run.step, steps), "training", show=progress):
        begun = time.perf_counter()
        if rate is not None:
            for group in optimiser.param_groups:
                group["lr"] = rate(step)
        optimiser.zero_grad()
        value = loss(model, _next(source, step, steps))
        value.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(_learned(optimiser), clip)
        optimiser.step()
        run.note(value.detach(), steps)
        run.seconds += time.perf_counter() - begun
        if after is not None:
            after(run)
    return run


@unread
def loss_of(model: nn.Module, loss: Callable[[nn.Module, Batch], torch.Tensor], batch: Batch) -> Any:
    """The loss of a batch, or a refusal of the batch where the loss or the model cannot take it."""
    try:
        return loss(model, batch)
    except Refusal:
        raise
    except (LookupError, TypeError, ValueError, RuntimeError) as error:
        reason = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        refuse("batch", "be what the loss and the model take", reason)


@checked
def unwrapped(model: nn.Module) -> Any:
    """The model itself, where it may be wrapped for several processes."""
    return model.module if isinstance(model, nn.parallel.DistributedDataParallel) else model


def _learned(optimiser: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [parameter for group in optimiser.param_groups for parameter in group["params"]]


def _next(batches: Any, step: int, steps: int) -> Any:
    try:
        return next(batches)
    except StopIteration:
        refuse("batches", f"last for {steps} steps", f"{step} of them")
