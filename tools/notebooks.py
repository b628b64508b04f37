"""Bring a stored notebook into its one normal form.

The author gives a cell one role tag; everything that folds the cell on the site, in JupyterLab and on Colab
follows from it. What differs from run to run (timings, widget models) does not belong in git.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import nbformat

KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
LARGEST = 1_000_000

# role: (the tag the site knows, hide the source, hide the outputs)
FOLDS = {
    "setup": ("remove-cell", False, False),
    "derivation": ("hide-input", True, False),
    "explorer": ("hide-input", True, False),
    "figure": ("hide-input", True, False),
    "solution": ("hide-cell", True, True),
}
ROLES = {*FOLDS, "exercise"}
DERIVED = {tag for tag, _, _ in FOLDS.values()}
# Tags an author may add for a reason of their own.
FREE = {"raises-exception", "nbval-ignore-output", "remove-input", "remove-output", "full-width"}


class NotebookFormError(ValueError):
    """A notebook that cannot be brought into normal form; the message says which cell and why."""


def role_of(cell: nbformat.NotebookNode, where: str = "") -> str | None:
    """The cell's role tag, if it has one."""
    tags = cell.metadata.get("tags", [])
    unknown = set(tags) - ROLES - DERIVED - FREE
    if unknown:
        raise NotebookFormError(
            f"{where}: unknown tag {sorted(unknown)[0]}; known are {', '.join(sorted(ROLES))}"
        )
    roles = [tag for tag in tags if tag in ROLES]
    if len(roles) > 1:
        raise NotebookFormError(f"{where}: a cell has one role; got {' and '.join(roles)}")
    return roles[0] if roles else None


def cell_metadata(cell: nbformat.NotebookNode, where: str) -> dict:
    """The metadata that follows from a cell's tags."""
    role = role_of(cell, where)
    free = sorted(set(cell.metadata.get("tags", [])) & FREE)
    tags = [role] if role else []
    metadata: dict = {}
    if role in FOLDS:
        tag, hide_source, hide_outputs = FOLDS[role]
        tags.append(tag)
        hidden = {"source_hidden": True} if hide_source else {}
        if hide_outputs:
            hidden["outputs_hidden"] = True
        if hidden:
            metadata["jupyter"] = hidden
            metadata["cellView"] = "form"
            if not re.match(r"# @title \S", cell.source):
                raise NotebookFormError(
                    f"{where}: a folded cell must begin with '# @title …', which Colab and the site show"
                )
    if tags + free:
        metadata["tags"] = tags + free
    return metadata


def normal_outputs(outputs: list) -> list:
    """Outputs without widget views and execution counts, neighbouring streams joined."""
    kept: list = []
    for output in outputs:
        output = nbformat.from_dict(output)
        if "data" in output:
            output.data.pop(WIDGET_VIEW, None)
            if not output.data:
                continue
        if output.output_type == "stream" and kept and kept[-1].get("name") == output.name:
            kept[-1].text += output.text
            continue
        kept.append(output)
    return kept


def cell_ids(cells: list) -> list[str]:
    """An id a cell: the one it has if no earlier cell has it, else one made from its content."""
    ids: list[str] = []
    for cell in cells:
        name = cell.get("id", "")
        tries = 0
        while not re.fullmatch(r"[\w-]{1,64}", name) or name in ids:
            name = hashlib.sha256(f"{tries}{cell.cell_type}{cell.source}".encode()).hexdigest()[:8]
            tries += 1
        ids.append(name)
    return ids


def normalise(notebook: nbformat.NotebookNode, name: str = "notebook") -> nbformat.NotebookNode:
    """A copy of ``notebook`` in normal form. Doing it twice changes nothing."""
    cells = []
    count = 0
    for number, (cell, identifier) in enumerate(
        zip(notebook.cells, cell_ids(notebook.cells), strict=True), start=1
    ):
        where = f"{name}, cell {number}"
        source = cell.source.rstrip("\n")
        if cell.cell_type != "code":
            new = nbformat.v4.new_markdown_cell(source)
            new.metadata = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
        else:
            new = nbformat.v4.new_code_cell(source, metadata=cell_metadata(cell, where))
            new.outputs = normal_outputs(cell.outputs)
            if cell.execution_count is not None:
                count += 1
                new.execution_count = count
            for output in new.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = new.execution_count
        new["id"] = identifier
        cells.append(new)
    metadata = {"kernelspec": dict(KERNELSPEC), "language_info": dict(LANGUAGE)}
    return nbformat.from_dict({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def text_of(notebook: nbformat.NotebookNode) -> str:
    """The notebook as stored: sorted keys, one trailing newline."""
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT).rstrip("\n") + "\n"


def write(notebook: nbformat.NotebookNode, path: Path, name: str = "") -> None:
    """Write ``notebook`` in normal form, all of it or nothing."""
    name = name or path.stem
    text = text_of(normalise(notebook, name))
    if len(text.encode()) > LARGEST:
        raise NotebookFormError(
            f"{name}: {len(text.encode()):,} bytes; a stored notebook has at most {LARGEST:,}"
        )
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
