"""This process among the others that torchrun started: its rank, its device, its share of a batch."""

from __future__ import annotations

import datetime
import math
import os
import socket
import stat
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.related_readers import within
from chapters_src.core.shapes import Num, Tensor
from chapters_src.scale.parallel.ring import all_reduce_bytes

__all__ = ["Place", "bytes_sent", "joined", "mean_over_processes", "share"]

BYTES_SENT = 200  # where Linux keeps tcpi_bytes_sent in struct tcp_info, and tcpi_bytes_retrans after it
WAIT = datetime.timedelta(seconds=120)


@dataclass(frozen=True)
class Place:
    """Which of how many processes this one is, and the device that it computes on."""

    rank: int
    count: int
    device: torch.device

    @property
    def alone(self) -> bool:
        """Whether torchrun started no process, so that there is nobody to speak to."""
        return not dist.is_initialized()


def joined() -> Place:
    """Join the processes that torchrun started, NCCL on GPUs and gloo on CPUs; alone if there are none."""
    local = int(os.environ.get("LOCAL_RANK", "0"))
    device = torch.device("cuda", local) if torch.cuda.is_available() else torch.device("cpu")
    if "RANK" not in os.environ:
        return Place(0, 1, device)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=WAIT)
    return Place(dist.get_rank(), dist.get_world_size(), device)


@checked(count=at_least(1), rank=within(0, lambda seen: seen["count"] - 1))
def share(batch: Num[Tensor, "k *d"], rank: int, count: int) -> tuple[Num[Tensor, "_ *d"], float]:
    """The rows of a batch that fall to one of ``count`` processes, and the weight of their mean.

    The wrappers take the plain mean over processes. With kᵢ of k rows here, the mean loss of these rows has
    to be multiplied by kᵢ·p/k, or rows of a small share would count more   {eq}`eq-parallel-weights`
    """
    rows = batch.tensor_split(count)[rank]
    return rows, len(rows) * count / len(batch)


def mean_over_processes(values: Tensor) -> Tensor:
    """The mean of what each process holds."""
    if not dist.is_initialized():
        return values.clone()
    total = values.clone()
    dist.all_reduce(total)
    return total / dist.get_world_size()


def rate_between(place: Place, numbers: int = 1_000_000, repeats: int = 5) -> float:
    """Bytes in a second that this process sends in an all-reduce, the best of several; 0 if it is alone."""
    if place.alone:
        return 0.0
    vector, shortest = torch.zeros(numbers, device=place.device), math.inf
    for _ in range(repeats):
        mean_over_processes(torch.zeros(1, device=place.device))
        begun = time.perf_counter()
        dist.all_reduce(vector)
        if place.device.type == "cuda":
            torch.cuda.synchronize(place.device)
        shortest = min(shortest, time.perf_counter() - begun)
    return all_reduce_bytes(4 * numbers, place.count) / shortest


def bytes_sent() -> int:
    """What the open TCP connections of this process have sent, by the count of Linux; 0 on other systems.

    What was sent twice, because the other side was slow to answer, counts once. All processes wait for each
    other first, so that nothing that was sent before is still under way. Gloo speaks by TCP, on one machine
    too; NCCL on one machine does not.
    """
    mean_over_processes(torch.zeros(1, device=_device()))
    open_files = Path("/proc/self/fd")
    return sum(_sent_by(int(entry.name)) for entry in open_files.iterdir()) if open_files.is_dir() else 0


def _device() -> torch.device:
    """Where the processes speak to each other: NCCL knows GPUs alone."""
    return torch.device("cuda" if dist.is_initialized() and dist.get_backend() == "nccl" else "cpu")


def _sent_by(number: int) -> int:
    try:
        if not stat.S_ISSOCK(os.fstat(number).st_mode):
            return 0
        with socket.socket(fileno=os.dup(number)) as one:
            info: Any = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    except OSError:  # closed meanwhile, or not a connection by TCP
        return 0
    if len(info) < BYTES_SENT + 16:
        return 0
    sent, again = struct.unpack_from("QQ", info, BYTES_SENT)
    return int(sent - again)
