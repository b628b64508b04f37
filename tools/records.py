"""What a run of a notebook left for the site: begun with a fingerprint, read only if complete and fresh."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import nbformat

from tools.chapters import ROOT
from tools.dependencies import fingerprint

HERE = Path(__file__).parent
FOR_SITE_ONLY = (
    " for the site only"  # ends the mark of a run whose outputs were not compared with the stored ones
)


class StaleRecord(Exception):
    """A record that does not belong to the notebook as it is now; the message says why."""


def mark_of(notebook: nbformat.NotebookNode, root: Path = ROOT) -> str:
    """The fingerprint of all that a notebook's outputs depend on."""
    kernel = json.dumps(notebook.metadata.get("kernelspec", {}), sort_keys=True)
    return fingerprint([cell.source for cell in code_cells(notebook)], kernel, root)


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The cells that a kernel is given: an empty one is not run and gets no number."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def folder_of(name: str, root: Path = ROOT) -> Path:
    return root / "_build/runs" / name


def begin(name: str, mark: str, root: Path = ROOT) -> dict[str, str]:
    """Clear the page's record, mark the new one; the environment that makes a kernel fill it."""
    folder = folder_of(name, root)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "fingerprint").write_text(mark, encoding="utf-8")
    return {
        "EVERY_LINE_RUN": str(folder),
        "EVERY_LINE_STRICT": "1",
        "PYTHONSTARTUP": str(HERE / "kernel_startup.py"),
        "PYTHONPATH": str(HERE.parent),
    }


def discard(name: str, root: Path = ROOT) -> None:
    """Make sure that a run which went wrong is not read."""
    (folder_of(name, root) / "fingerprint").unlink(missing_ok=True)


def cells_of(name: str, notebook: nbformat.NotebookNode, mark: str, root: Path = ROOT) -> list[dict]:
    """The record of each code cell; raises `StaleRecord` unless all of them ran, as they are now."""
    folder = folder_of(name, root)
    stored = folder / "fingerprint"
    if not stored.exists() or stored.read_text(encoding="utf-8") != mark:
        raise StaleRecord(f"{name}: no run with this code")
    records = []
    for count, cell in enumerate(code_cells(notebook), start=1):
        path = folder / f"{count}.json"
        if not path.exists():
            raise StaleRecord(f"{name}: cell {count} did not run")
        record = json.loads(path.read_text(encoding="utf-8"))
        may_fail = "raises-exception" in cell.metadata.get("tags", [])
        if record["source"] != cell.source or (record["failed"] and not may_fail):
            raise StaleRecord(f"{name}: cell {count} ran otherwise")
        records.append(record)
    return records


def for_site(
    notebook: nbformat.NotebookNode, records: list[dict], name: str = "notebook"
) -> nbformat.NotebookNode:
    """A copy of an executed notebook in which each of the studio's objects shows its form for the site."""
    made = nbformat.from_dict(json.loads(json.dumps(notebook)))
    for count, (cell, record) in enumerate(zip(code_cells(made), records, strict=True), start=1):
        waiting = list(record["displays"])
        for output in cell.outputs:
            if waiting and "data" in output and output.data.get("text/plain", "") == waiting[0]["plain"]:
                display = waiting.pop(0)
                output.data = nbformat.from_dict(display["data"])
                output.metadata = nbformat.from_dict(display["metadata"])
        if waiting:
            raise StaleRecord(
                f"{name}: cell {count} displayed {waiting[0]['plain'][:60]!r}, which is not stored"
            )
    return made
