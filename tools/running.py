"""Execute notebooks side by side, each in its own process and kernel."""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import nbformat
import numpy as np
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

TIMEOUT = 300
STARTS = 3  # a port that was free when it was chosen may be taken when the kernel binds it
NOT_STARTED = "Kernel died before replying"  # a RuntimeError of jupyter_client

T = TypeVar("T")


class NotebookError(Exception):
    """A notebook that did not run to its end, told so that the author can act on it."""


@dataclass
class Run:
    """One notebook to execute: ``name`` for messages, the folder it runs in, what else its kernel is told."""

    name: str
    notebook: nbformat.NotebookNode
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)


def start_again(run: Callable[[], T]) -> T:
    """What ``run`` returns, tried again if its kernel did not start."""
    for _ in range(STARTS - 1):
        try:
            return run()
        except RuntimeError as error:
            if NOT_STARTED not in str(error):
                raise
    return run()


def execute(run: Run) -> tuple[nbformat.NotebookNode, float]:
    """The executed notebook and the seconds it took."""
    started = time.perf_counter()
    return start_again(lambda: _executed(run)), time.perf_counter() - started


def _executed(run: Run) -> nbformat.NotebookNode:
    notebook = nbformat.from_dict(run.notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(run.folder)}},
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=40"],
    )
    try:
        client.execute(env=kernel_environment() | run.environment)
    except CellExecutionError as error:
        raise NotebookError(f"{run.name}: a cell failed.\n\n{error}") from None
    except CellTimeoutError as error:
        raise NotebookError(f"{run.name}: a cell took longer than {TIMEOUT} s.\n\n{error}") from None
    except DeadKernelError as error:
        raise NotebookError(f"{run.name}: the kernel died.\n\n{error}") from None
    return notebook


def kernel_environment() -> dict[str, str]:
    """The environment of a kernel: one thread a library, since notebooks run side by side.

    Libraries add up in an order that depends on the processor, and a long training enlarges that last bit. So
    all take the instructions that every x86 processor since 2013 has.
    """
    env = {key: value for key, value in os.environ.items() if key != "EVERY_LINE_SITE"}
    if platform.machine().lower() in ("x86_64", "amd64"):
        env |= {
            "OPENBLAS_CORETYPE": "Haswell",
            "MKL_CBWR": "AVX2",
            "ATEN_CPU_CAPABILITY": "avx2",
            "ONEDNN_MAX_CPU_ISA": "AVX2",
            "NPY_DISABLE_CPU_FEATURES": env.get("NPY_DISABLE_CPU_FEATURES") or _newer_instructions(),
        }
    return env | {
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "EVERY_LINE_QUIET": "1",  # nobody watches, and a progress bar would be stored
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }


def _newer_instructions() -> str:
    """What numpy would use beyond AVX2 on this processor, by its own names."""
    able = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return " ".join(name for name in able if name == "X86_V4" or name.startswith("AVX512"))


def execute_all(
    runs: list[Run], workers: int | None = None, say: Callable[[str], None] | None = None
) -> Iterator[tuple[Run, nbformat.NotebookNode, float]]:
    """Execute ``runs`` side by side, yield each as it finishes, raise all failures at the end."""
    say = say or progress
    workers = min(len(runs), workers or os.cpu_count() or 1)
    failures = []
    if not runs:
        return
    with ProcessPoolExecutor(workers) as pool:
        waiting = {pool.submit(execute, run): run for run in runs}
        for count, future in enumerate(as_completed(waiting), start=1):
            run = waiting[future]
            try:
                notebook, seconds = future.result()
            except NotebookError as error:
                say(f"[{count}/{len(runs)}] {run.name} … failed")
                failures.append(str(error))
                continue
            say(f"[{count}/{len(runs)}] {run.name} … {seconds:.0f} s")
            yield run, notebook, seconds
    if failures:
        raise NotebookError("\n\n".join(failures))


def readable(error: Exception) -> str:
    """An error's text, with colours only where a terminal shows them."""
    text = str(error)
    return text if sys.stderr.isatty() else re.sub(r"\x1b\[[0-9;]*m", "", text)


def progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
