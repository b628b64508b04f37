"""Run every benchmark and write benchmarks/README.md: ``make bench``.

A benchmark is a module here with a ``TITLE`` and ``rows()``, which returns (what, our seconds, their seconds,
theirs over ours), or rows of text under a ``HEADER`` of its own. Modules with an underscore are shared.
"""

from __future__ import annotations

import datetime
import importlib
import importlib.metadata
import os
import platform
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HEADER = ("what", "ours", "theirs", "theirs / ours")
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "matplotlib", "ipywidgets")


def seconds(value: float) -> str:
    """A duration in the unit a reader would choose."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def cells(row: tuple) -> list[str]:
    """One row of a table as text."""
    if len(row) == 4 and all(isinstance(value, float) for value in row[1:]):
        return [str(row[0]), seconds(row[1]), seconds(row[2]), f"{row[3]:.2f}"]
    return [str(value) for value in row]


def table(header: tuple[str, ...], rows: list[tuple]) -> str:
    lines = [list(header), ["---"] * len(header), *map(cells, rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def machine() -> str:
    """What the numbers were measured on."""
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"{system}, Python {platform.python_version()}, {versions}"


def section(module: Any) -> str:
    return f"## {module.TITLE}\n\n{table(getattr(module, 'HEADER', HEADER), module.rows())}\n"


def intro(today: datetime.date) -> str:
    return (
        "# Benchmarks\n\n"
        f"Written by `make bench` on {today.isoformat()}: {machine()}.\n\n"
        "Both sides of a ratio are measured in one run on one machine; the seconds are that machine's.\n"
    )


def main(names: list[str]) -> None:
    found = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))
    parts = [intro(datetime.date.today())]
    print(parts[0])
    for name in names or found:  # each is shown once it is measured: all take a quarter of an hour
        parts.append(section(importlib.import_module(f"benchmarks.{name}")))
        print(parts[-1], flush=True)
    if not names:
        (HERE / "README.md").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
