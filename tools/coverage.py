"""What a chapter can be asked to point at: its equations, its titled cells and its sections.

A label is an ``eq-…`` label, the slug of a cell's ``# @title``, or ``#`` and the slug of a heading.
"""

from __future__ import annotations

import re

import nbformat


def slug(title: str) -> str:
    """A title as a label: its letters and digits in lower case, joined by dashes."""
    return "-".join(re.findall(r"\w+", title.lower()))


def labels(notebook: nbformat.NotebookNode) -> list[str]:
    """Every label of a chapter: equations, titled cells, headings."""
    found = []
    for cell in notebook.cells:
        found += re.findall(r"""[("'](eq-[\w-]+)[)"']|:label: (?P<label>eq-[\w-]+)""", cell.source)
    equations = [one or other for one, other in found]
    titles = [slug(title) for cell in notebook.cells for title in re.findall(r"^# @title (.+)", cell.source)]
    words = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    headings = ["#" + slug(title) for text in words for title in re.findall(r"(?m)^##+ (.+)", text)]
    return [*equations, *titles, *headings]
