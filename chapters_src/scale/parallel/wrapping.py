"""A model over several processes, as torch wraps it, and one checkpoint whatever the wrapping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

from chapters_src.core.checkpoints import clear_halves, read_whole, write_whole
from chapters_src.core.contract import checked
from chapters_src.core.readers import one_of
from chapters_src.core.training import TrainingRun
from chapters_src.scale.parallel.processes import Place, mean_over_processes
from chapters_src.sequences.language_model import GPT

__all__ = ["METHODS", "wrapped"]

FORMAT = "every-line-runs/parallel/1"
METHODS = ("replicated", "sharded")
WHOLE = StateDictOptions(full_state_dict=True, cpu_offload=True)


@checked(method=one_of(METHODS))
def wrapped(model: GPT, method: str, place: Place) -> nn.Module:
    """The model as torch's wrappers hold it: a copy in each process, or a piece of each matrix."""
    if place.alone:
        return model
    if method == "replicated":
        return DistributedDataParallel(model, [place.device] if place.device.type == "cuda" else None)
    for part in (*model.blocks, model):
        fully_shard(part)
    return model


def save(path: Path, model: nn.Module, run: TrainingRun, place: Place) -> None:
    """Collect the whole model and the optimiser's moments; the first process writes them in one move."""
    weights, moments = get_state_dict(model, run.optimiser, options=WHOLE)
    content = {
        "format": FORMAT,
        "model": weights,
        "optimiser": moments,
        "losses": mean_over_processes(run.losses).cpu(),
        "seconds": run.seconds,
    }
    if place.rank == 0:
        clear_halves(path)
        write_whole(path, content)


def load(path: Path, model: nn.Module, run: TrainingRun, place: Place) -> None:
    """Take up a checkpoint; each process reads the file and keeps its part."""
    content = read_whole(path, FORMAT, torch.device("cpu"))
    set_state_dict(
        model,
        run.optimiser,
        model_state_dict=content["model"],
        optim_state_dict=content["optimiser"],
        options=StateDictOptions(full_state_dict=True),
    )
    run.losses, run.seconds = content["losses"].to(place.device), content["seconds"]


def bytes_kept(model: nn.Module, optimiser: torch.optim.Optimizer) -> dict[str, int]:
    """Bytes that this process keeps between steps: of parameters, of gradients, of the optimiser."""

    def local(tensor: Any) -> int:
        part = tensor.to_local() if hasattr(tensor, "to_local") else tensor
        return int(part.numel() * part.element_size())

    parameters = list(model.parameters())
    moments = [value for state in optimiser.state.values() for value in state.values() if value.ndim]
    return {
        "parameters": sum(map(local, parameters)),
        "gradients": sum(local(p.grad) for p in parameters if p.grad is not None),
        "optimiser": sum(map(local, moments)),
    }
