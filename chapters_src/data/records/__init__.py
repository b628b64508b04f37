"""What long runs found, each written as JSON by the run itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chapters_src.core.contract import checked, refuse

__all__ = ["record", "write_record"]

FOLDER = Path(__file__).parent


@checked
def record(name: str) -> dict[str, Any]:
    """The record of a long run, by its name."""
    known = sorted(path.stem for path in FOLDER.glob("*.json"))
    if name not in known:
        refuse("name", f"be one of {', '.join(map(repr, known))}", repr(name)[:40])
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@checked
def write_record(name: str, content: dict[str, Any], folder: Path = FOLDER) -> Path:
    """Write what a long run found, to be read by `record`."""
    target = folder / f"{name}.json"
    target.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return target
