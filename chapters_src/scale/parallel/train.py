"""Train the book's GPT on several processes, replicated or sharded.

    python -m torch.distributed.run --nproc-per-node=2 -m chapters_src.scale.parallel.train --method sharded

Without torchrun it trains in this process alone, on the same batches. A checkpoint holds the whole model
whatever the method, so that a run may go on with another number of processes.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from chapters_src import data
from chapters_src.core.checkpoints import clear_halves
from chapters_src.core.device import seed
from chapters_src.core.training import TrainingRun, train
from chapters_src.scale.parallel.processes import (
    Place,
    bytes_sent,
    joined,
    mean_over_processes,
    rate_between,
    share,
)
from chapters_src.scale.parallel.wrapping import METHODS, bytes_kept, load, save, wrapped
from chapters_src.sequences.language_model import GPT, Characters, Config, next_token_loss, windows

__all__ = ["Job", "main"]

LOST = ("Connection closed", "Connection reset", "Broken pipe", "Timed out", "timed out", "remote process")


@dataclass(frozen=True)
class Job:
    """What to train, read from the command line."""

    method: str = "replicated"
    steps: int = 20
    batch: int = 8
    length: int = 64
    width: int = 64
    layers: int = 2
    heads: int = 4
    learning_rate: float = 3e-3
    dtype: str = "float32"
    autocast: bool = False
    seed: int = 0
    checkpoint: Path | None = None
    every: int = 10
    report: Path | None = None
    lose: tuple[int, int] | None = None


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and train."""
    job = _job(arguments)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    progress = Progress(job)
    signal.signal(signal.SIGTERM, lambda *_: progress.give_up())
    try:
        place = joined()
        _train(job, place, progress)
    except RuntimeError as error:
        if not any(word in str(error) for word in LOST):
            raise
        progress.give_up()
    if not place.alone:
        # All is done. Taking gloo apart could wait for ever: for a thread of its own, which waits for Python.
        sys.stdout.flush()
        os._exit(0)


class Progress:
    """How far this process is, for a message when it cannot go on."""

    def __init__(self, job: Job) -> None:
        self.job, self.step, self.saved = job, 0, 0

    def give_up(self) -> None:
        """Say what happened and what to do, and end: torchrun stops all processes when one is lost."""
        path = self.job.checkpoint
        again = f"; start again to go on from step {self.saved} of {path}" if path and self.saved else ""
        rank = os.environ.get("RANK", "0")
        if path and rank == "0":
            clear_halves(path)  # the signal may have come while it wrote
        why = "because another process was lost or the run was stopped"
        print(f"train: process {rank} ends after step {self.step}, {why}{again}", file=sys.stderr, flush=True)
        os._exit(1)  # the others are gone: there is nobody to say goodbye to


def _train(job: Job, place: Place, progress: Progress) -> None:
    text = data.language_reference()
    alphabet = Characters("".join(sorted(set(text))))
    tokens = torch.tensor(alphabet.encode(text), device=place.device)
    config = Config(len(alphabet), job.length, job.width, job.heads, job.layers)
    dtype = getattr(torch, job.dtype)
    model = wrapped(GPT(config, seed(job.seed, place.device), place.device, dtype), job.method, place)
    optimiser = torch.optim.AdamW(model.parameters(), job.learning_rate)
    run, seconds = TrainingRun(optimiser), [0.0]
    if job.checkpoint and job.checkpoint.is_file():
        load(job.checkpoint, model, run, place)
        seconds = [run.seconds]
    progress.step = progress.saved = begun = run.step

    def loss(model: nn.Module, batch: Any) -> torch.Tensor:
        mine, weight = share(batch, place.rank, place.count)
        with torch.autocast(place.device.type, torch.bfloat16, enabled=job.autocast):
            return weight * next_token_loss(model, mine)

    def after(run: TrainingRun) -> None:
        progress.step = run.step
        seconds.append(run.seconds)
        if job.checkpoint and (run.step % job.every == 0 or run.step == job.steps):
            before = bytes_sent()
            save(job.checkpoint, model, run, place)
            progress.saved, for_checkpoints[0] = run.step, for_checkpoints[0] + bytes_sent() - before
        if job.lose == (place.rank, run.step):
            os.kill(os.getpid(), signal.SIGKILL)

    for_checkpoints, begin = [0], bytes_sent()
    batches = _batches(job, tokens, begun)
    train(model, loss, batches, optimiser, job.steps, after=after, run=run, progress=False)
    sent = bytes_sent() - begin - for_checkpoints[0]
    losses = mean_over_processes(run.losses)
    report = {
        "processes": place.count,
        "method": job.method,
        "losses": losses.tolist(),
        "seconds": [b - a for a, b in itertools.pairwise(seconds)],
        "bytes_sent": sent,
        "bytes_per_second": rate_between(place),
        "bytes_kept": bytes_kept(model, optimiser),
        "parameters": sum(p.numel() for p in model.parameters()),
    }
    if job.report and place.rank == 0:
        job.report.write_text(json.dumps(report), encoding="utf-8")
    if place.rank == 0:
        ends = f"loss {losses[0]:.4f} at first, {losses[-1]:.4f} at last"
        print(f"{place.count} processes, {job.method}: {ends}")


def _batches(job: Job, tokens: torch.Tensor, step: int) -> Iterator[torch.Tensor]:
    """The batch of a step depends on the seed and the step alone, so that a run can go on anywhere."""
    while True:
        generator = seed(10_000 * (job.seed + 1) + step, tokens.device)
        yield windows(tokens, job.batch, job.length + 1, generator)
        step += 1


def _job(arguments: Sequence[str] | None) -> Job:
    parser = argparse.ArgumentParser(
        prog="python -m torch.distributed.run --nproc-per-node=2 -m chapters_src.scale.parallel.train",
        description="Train a small GPT on one or more processes.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add, usual = parser.add_argument, Job()
    add("--method", choices=METHODS, default=usual.method, help="the whole model in each process, or a piece")
    add("--steps", type=_positive, default=usual.steps, help="steps in all, those of a checkpoint included")
    add("--batch", type=_positive, default=usual.batch, help="windows of all processes together")
    add("--length", type=_positive, default=usual.length, help="tokens in a window")
    add("--width", type=_positive, default=usual.width, help="width of the model")
    add("--layers", type=_positive, default=usual.layers, help="blocks")
    add("--heads", type=_positive, default=usual.heads, help="heads of attention")
    add("--learning-rate", type=float, default=usual.learning_rate, help="learning rate of AdamW")
    add("--dtype", choices=("float32", "float64"), default=usual.dtype, help="number type of the parameters")
    add("--autocast", action="store_true", help="multiply matrices in bfloat16; only with float32")
    add("--seed", type=int, default=usual.seed, help="seed of weights and batches")
    add("--checkpoint", type=Path, help="a file to write to, and to go on from if it is there")
    add("--every", type=_positive, default=usual.every, help="steps between checkpoints (and the last)")
    add("--report", type=Path, help="a file for losses, times and bytes, as JSON")
    add("--lose", type=_rank_and_step, metavar="RANK:STEP", help="a process to kill, and after which step")
    job = Job(**vars(parser.parse_args(arguments)))
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if job.batch < count:
        parser.error(f"--batch must be at least {count}, one window for each process; got {job.batch}")
    if job.width % job.heads or (job.width // job.heads) % 2:
        parser.error(f"--width must be an even multiple of --heads; got {job.width} and {job.heads}")
    if job.autocast and job.dtype != "float32":
        parser.error(f"--autocast needs --dtype float32; got {job.dtype}")
    if job.lose and job.lose[0] >= count:
        parser.error(f"--lose must name a process below {count}; got {job.lose[0]}")
    for path in (job.checkpoint, job.report):
        if path and not path.parent.is_dir():
            parser.error(f"{path} must be in a folder that is there")
    return job


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1; got {value}")
    return value


def _rank_and_step(text: str) -> tuple[int, int]:
    rank, colon, step = text.partition(":")
    if not (colon and rank.isdigit() and step.isdigit()):
        raise argparse.ArgumentTypeError(f"must be two numbers, as in 1:12; got {text}")
    return int(rank), int(step)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
