"""Data, tensors, layers and states over several processes: simulations, counts, and a training that runs."""

from chapters_src.scale.parallel.budget import (
    FITS,
    PRECISIONS,
    SHARDED,
    Bytes,
    TwoTermLaw,
    best_size,
    bytes_per_device,
    fit_law,
    predicted_loss,
)
from chapters_src.scale.parallel.launching import Ended, launch, run_script
from chapters_src.scale.parallel.pipeline import SCHEDULES, Schedule, bubble, schedule
from chapters_src.scale.parallel.processes import share
from chapters_src.scale.parallel.ring import Round, all_reduce_bytes, ring_all_reduce, ring_rounds
from chapters_src.scale.parallel.tensor_split import by_columns, by_heads, by_rows, split_network
from chapters_src.scale.parallel.wrapping import METHODS, wrapped

__all__ = [
    "FITS",
    "METHODS",
    "PRECISIONS",
    "SCHEDULES",
    "SHARDED",
    "Bytes",
    "Ended",
    "Round",
    "Schedule",
    "TwoTermLaw",
    "all_reduce_bytes",
    "best_size",
    "bubble",
    "by_columns",
    "by_heads",
    "by_rows",
    "bytes_per_device",
    "fit_law",
    "launch",
    "predicted_loss",
    "ring_all_reduce",
    "ring_rounds",
    "run_script",
    "schedule",
    "share",
    "split_network",
    "wrapped",
]
