"""In a kernel: write what the site shows of each displayed object beside the run, and leave the run as it is.

Loaded by `kernel_startup.py`. Each cell becomes a file `<number>.json` in the folder of $EVERY_LINE_RUN.
"""

from __future__ import annotations

import json
import os
import time
from base64 import b64encode
from pathlib import Path
from typing import Any

SITE, FOLDER = "EVERY_LINE_SITE", "EVERY_LINE_RUN"


class Recorder:
    """Stands between IPython and its display formatter, and keeps each display's form for the site."""

    def __init__(self, shell: Any, folder: Path):
        self.shell, self.folder = shell, folder
        self.original = shell.display_formatter.format
        self.displays: list[dict] = []
        self.cells = 0  # counted here: the kernel counts only what is kept in its history
        shell.display_formatter.format = self.format
        shell.events.register("post_run_cell", self.finish)

    def format(self, thing: Any, *args: Any, **options: Any) -> tuple[dict, dict]:
        """What the formatter gives; for the studio's objects, what it would give on the site is kept."""
        made = self.original(thing, *args, **options)
        if type(thing).__module__.startswith("chapters_src."):
            os.environ[SITE] = "1"
            try:
                data, metadata = self.original(thing, *args, **options)
            finally:
                del os.environ[SITE]
            self.displays.append(
                {
                    "kind": type(thing).__name__,
                    "plain": made[0].get("text/plain", ""),
                    "data": {mime: as_text(content) for mime, content in data.items()},
                    "metadata": metadata,
                    "facts": facts(thing),
                }
            )
        return made

    def finish(self, result: Any) -> None:
        """Write the cell that has just run."""
        cell = {
            "source": result.info.raw_cell,
            "failed": not result.success,
            "cpu_seconds": round(time.process_time(), 2),
            "displays": self.displays,
        }
        self.displays = []
        self.cells += 1
        path = self.folder / f"{self.cells}.json"
        path.write_text(json.dumps(cell, ensure_ascii=False), encoding="utf-8")


def as_text(content: Any) -> Any:
    """Bytes of a picture as they stand in a notebook."""
    return b64encode(content).decode() if isinstance(content, bytes) else content


def facts(thing: Any) -> dict:
    """What the truth page counts of a displayed object."""
    if type(thing).__name__ == "Derivation":
        origins = [getattr(line, "origin", "code") for line in thing.lines]
        return {"lines": len(origins), "from_formula": len(origins) - origins.count("code")}
    return {}


def start() -> None:
    """Begin to record, if a folder is named."""
    from IPython import get_ipython

    if os.environ.get(FOLDER):
        Recorder(get_ipython(), Path(os.environ[FOLDER]))
