"""Start the training script on several processes, from a notebook or a test, and read its report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import chapters_src
from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least, between

__all__ = ["TRAIN", "Ended", "launch", "run_script"]

TRAIN = "chapters_src.scale.parallel.train"


class Ended(RuntimeError):
    """The script ended without a report; ``said`` is what it wrote."""

    def __init__(self, code: int, said: str) -> None:
        self.code, self.said = code, said
        lines = [line for line in said.splitlines() if line.startswith("train: ")] or said.splitlines()[-3:]
        super().__init__("\n".join(lines) or f"exit code {code}")


@checked(processes=between(0, 64), seconds=at_least(1))
def run_script(processes: int, options: list[str], seconds: float = 300.0) -> tuple[int, str]:
    """Run the script through torchrun, one thread a process (with 0 processes: without torchrun).

    Returns its exit code and all that it wrote.
    """
    runner = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    command = [sys.executable, *(runner if processes else []), "-m", TRAIN, *options]
    root = Path(chapters_src.__file__).parents[1]
    path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
        check=False,
    )
    return done.returncode, done.stdout


@checked(processes=between(0, 64))
def launch(processes: int, *options: str) -> dict[str, Any]:
    """The report of a run on so many processes; raises `Ended` with what was said if there is none."""
    require("--report" not in options, "options", "leave --report to launch", "--report")
    with tempfile.TemporaryDirectory(prefix="every-line-runs-") as folder:
        report = Path(folder) / "report.json"
        code, said = run_script(processes, [*options, "--report", str(report)])
        if code or not report.is_file():
            raise Ended(code, said)
        return dict(json.loads(report.read_text(encoding="utf-8")))
