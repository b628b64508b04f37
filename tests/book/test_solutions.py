"""Every solution of a notebook is accepted by its own checker, and no stub is.

Read from the stored outputs: nbval holds that a run gives the same.
"""

from __future__ import annotations

import nbformat
import pytest

from tools.chapters import chapters, read
from tools.notebooks import role_of
from tools.prose import output_text


def verdicts(notebook: nbformat.NotebookNode, role: str) -> dict[str, str]:
    """What each cell of a role shows, by its first line."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and role_of(cell) == role]
    return {cell.source.splitlines()[0]: "".join(map(output_text, cell.outputs)) for cell in cells}


def rejected(notebook: nbformat.NotebookNode) -> dict[str, str]:
    return {title: said for title, said in verdicts(notebook, "solution").items() if "Accepted" not in said}


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_every_solution_is_accepted(page):
    solutions = verdicts(read(page), "solution")
    assert len(solutions) >= 4
    assert rejected(read(page)) == {}


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_no_stub_is(page):
    assert {
        title: said for title, said in verdicts(read(page), "exercise").items() if "Accepted" in said
    } == {}


@pytest.mark.parametrize("said", ["Not yet. Expected 2, got 3.", "Not attempted yet.", ""])
def test_a_rejected_solution_is_told_on(said):
    cell = nbformat.v4.new_code_cell("# @title Solution 1\nx", metadata={"tags": ["solution"]})
    cell.outputs = [nbformat.v4.new_output("display_data", {"text/plain": said})] if said else []
    assert rejected(nbformat.v4.new_notebook(cells=[cell])) == {"# @title Solution 1": said}
