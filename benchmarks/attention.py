"""Block-wise attention beside the literal one: time, true peak memory, and how both grow with the length."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch

from benchmarks._timing import against
from chapters_src.sequences.attention import attention
from chapters_src.sequences.heads import blockwise_attention, causal

TITLE = (
    "Attention block by block against the literal version, one head of 64 dimensions, float32, one thread; "
    "memory: peak resident set of a process above what it had once its inputs were made"
)
HEADER = ("what", "ours", "theirs", "theirs / ours")
LENGTHS = (1024, 2048, 4096, 8192)

# In a process of its own: Linux is told to forget the peak so far, and asked for it again afterwards.
PEAK = """
import sys, torch
from chapters_src.sequences.attention import attention
from chapters_src.sequences.heads import blockwise_attention

def status(field):
    line = next(line for line in open("/proc/self/status") if line.startswith(field + ":"))
    return int(line.split()[1])  # in KiB

torch.set_num_threads(1)
generator = torch.Generator().manual_seed(0)
run = {"literal": attention, "block-wise": blockwise_attention}[sys.argv[1]]
run(*(torch.randn(64, 64, generator=generator) for _ in range(3)))  # whatever is loaded at first use
Q, K, V = (torch.randn(int(sys.argv[2]), 64, generator=generator) for _ in range(3))
open("/proc/self/clear_refs", "w").write("5")
before = status("VmRSS")
run(Q, K, V)
print((status("VmHWM") - before) / 1024)
"""


def peak(which: str, T: int) -> float:
    """MiB of memory at the peak, above what the process had with its inputs made; the median of three."""
    root = Path(__file__).parents[1]
    command = [sys.executable, "-c", PEAK, which, str(T)]
    # What is freed goes back to the system at once, so that the peak is of memory in use.
    settings = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"}
    runs = (subprocess.check_output(command, cwd=root, text=True, env=settings) for _ in range(3))
    return float(np.median([float(run) for run in runs]))


def inputs(T: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(T, 64, generator=generator) for _ in range(3)]


def exponent(values: list[float]) -> float:
    """The slope of a least-squares line in logarithms."""
    return float(np.polyfit(np.log(LENGTHS), np.log(values), 1)[0])


def growth() -> list[tuple]:
    """Time and memory at every length, and the exponents fitted to them."""
    table: list[tuple] = []
    ours_s, theirs_s, ours_m, theirs_m = [], [], [], []
    for T in LENGTHS:
        Q, K, V = inputs(T)
        if (blockwise_attention(Q, K, V) - attention(Q, K, V)).abs().max() > 1e-6:
            raise AssertionError("block-wise attention differs from the literal one")
        (row,) = against(
            lambda Q=Q, K=K, V=V: blockwise_attention(Q, K, V),
            {"": lambda Q=Q, K=K, V=V: attention(Q, K, V)},
            repeats=7,
        )
        ours_s.append(row.ours)
        theirs_s.append(row.theirs)
        table.append((f"time at T = {T:,}", row.ours, row.theirs, row.ratio))
        ours_m.append(peak("block-wise", T))
        theirs_m.append(peak("literal", T))
        ratio = f"{theirs_m[-1] / ours_m[-1]:.1f}"
        table.append((f"peak memory at T = {T:,}", f"{ours_m[-1]:.1f} MiB", f"{theirs_m[-1]:.0f} MiB", ratio))
    for what, ours, theirs in (("time", ours_s, theirs_s), ("memory", ours_m, theirs_m)):
        table.append((f"exponent of T in {what}", f"{exponent(ours):.2f}", f"{exponent(theirs):.2f}", ""))
    return table


def there_and_back(T: int = 4096) -> list[tuple]:
    """Causal, with gradients."""
    Q, K, V = (x.requires_grad_() for x in inputs(T))
    mask = causal(T)
    (row,) = against(
        lambda: torch.autograd.grad(blockwise_attention(Q, K, V, causal=True).sum(), (Q, K, V)),
        {"": lambda: torch.autograd.grad(attention(Q, K, V, mask).sum(), (Q, K, V))},
        repeats=5,
    )
    return [(f"causal, forwards and backwards, at T = {T:,}", row.ours, row.theirs, row.ratio)]


def by_block(T: int = 8192) -> list[tuple]:
    """The choice of the block: each size against the one that is the default."""
    Q, K, V = inputs(T)
    sizes = (64, 128, 256, 1024, 2048)
    others = {str(b): lambda b=b: blockwise_attention(Q, K, V, block=b) for b in sizes}
    found = against(lambda: blockwise_attention(Q, K, V), others, repeats=5)
    return [
        (f"T = {T:,}, blocks of 512 against {b}", row.ours, row.theirs, row.ratio)
        for b, row in zip(sizes, found, strict=True)
    ]


def rows() -> list[tuple]:
    """Return times, memory, exponents and the choice of the block."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [*growth(), *there_and_back(), *by_block()]
    finally:
        torch.set_num_threads(threads)
