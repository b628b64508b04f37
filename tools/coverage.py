"""What a chapter can be asked to point at: its equations, its titled cells and its sections.

A label is an ``eq-…`` label, the slug of a cell's ``# @title``, or ``#`` and the slug of a heading under
which something is run: where the cell that does it stands in plain view, it has no title.
"""

from __future__ import annotations

import re

import nbformat


def slug(title: str) -> str:
    """A title as a label: its letters and digits in lower case, joined by dashes."""
    return "-".join(re.findall(r"\w+", title.lower()))


def labels(notebook: nbformat.NotebookNode) -> list[str]:
    """Every label of a chapter: equations, titled cells, headings of sections that run something."""
    found = []
    for cell in notebook.cells:
        found += re.findall(r"""[("'](eq-[\w-]+)[)"']|:label: (?P<label>eq-[\w-]+)""", cell.source)
    equations = [one or other for one, other in found]
    titles = [slug(title) for cell in notebook.cells for title in re.findall(r"^# @title (.+)", cell.source)]
    return [*equations, *titles, *_headings(notebook)]


def _headings(notebook: nbformat.NotebookNode) -> list[str]:
    """The headings with a code cell below them; all of a page that has none."""
    every, run, above = [], set(), []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            run.update(heading for _, heading in above)
            continue
        for marks, title in re.findall(r"(?m)^(##+) (.+)", cell.source):
            every.append("#" + slug(title))
            above = [one for one in above if one[0] < len(marks)] + [(len(marks), every[-1])]
    return [heading for heading in every if heading in run] if run else every
