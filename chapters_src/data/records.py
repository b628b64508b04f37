"""What long runs found, each written as JSON by the run itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chapters_src.core.contract import checked
from chapters_src.core.readers import one_of

__all__ = ["record", "write_record"]

FOLDER = Path(__file__).parent
# Written out, because a standalone notebook carries the files that its modules name.
FILES = {
    "attention": "attention.json",
    "compute": "compute.json",
    "depth": "depth.json",
    "language_model": "language_model.json",
    "scaling": "scaling.json",
    "vision": "vision.json",
}


@checked(name=one_of(FILES))
def record(name: str) -> dict[str, Any]:
    """The record of a long run, by its name."""
    return json.loads((FOLDER / FILES[name]).read_text(encoding="utf-8"))


@checked(name=one_of(FILES))
def write_record(name: str, content: dict[str, Any], folder: Path = FOLDER) -> Path:
    """Write what a long run found, to be read by `record`."""
    target = folder / FILES[name]
    target.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return target
