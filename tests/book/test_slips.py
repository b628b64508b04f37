"""Every slip on the page of slips is stated, put right, run and linked to the chapter that teaches it."""

from __future__ import annotations

import re

import nbformat
import pytest

from tools.chapters import chapters, pages, read
from tools.prose import numbers

PAGE = next(page for page in pages() if page.name == "slips")
NAMES = {page.name for page in chapters()}


def slips(notebook: nbformat.NotebookNode) -> dict[str, tuple[str, str]]:
    """Text and code of each slip, by its heading."""
    found: dict[str, tuple[str, str]] = {}
    title = ""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if title:
                text, code = found[title]
                found[title] = (text, code + cell.source)
            continue
        for piece in re.split(r"(?m)^(?=##)", cell.source):
            title = piece.splitlines()[0].removeprefix("### ") if piece.startswith("### ") else ""
            if title:
                assert title not in found, f"two slips are called {title}"
                found[title] = (piece, "")
    return found


SLIPS = slips(read(PAGE))


def faults(text: str, code: str) -> list[str]:
    """What a slip lacks."""
    linked = re.findall(r"→ \[[^\]]+\]\(([\w/]+)\.ipynb\)", text)
    wanted = {
        "a statement that tempts": re.search(r"(?m)^> ", text),
        "a link to a chapter of the book": linked and set(linked) <= NAMES,
        "a claim that runs": "claim(" in code,
        "sixteen lines of code at most": len(code.splitlines()) <= 16,
    }
    return [what for what, there in wanted.items() if not there]


@pytest.mark.parametrize("title", SLIPS)
def test_a_slip_is_stated_linked_and_run(title: str):
    assert faults(*SLIPS[title]) == []


@pytest.mark.parametrize("title", SLIPS)
def test_its_numbers_are_those_of_its_run(title: str):
    text, code = SLIPS[title]
    cells = [nbformat.v4.new_markdown_cell(text), nbformat.v4.new_code_cell(code)]
    assert [one for _, one, traced in numbers(nbformat.v4.new_notebook(cells=cells)) if not traced] == []


def test_there_are_many_and_of_every_part():
    assert len(SLIPS) >= 80
    parts = {
        path.split("/")[0] for text, _ in SLIPS.values() for path in re.findall(r"\(([\w/]+)\.ipynb\)", text)
    }
    assert parts >= {name.split("/")[0] for name in NAMES}


def test_what_a_slip_lacks_is_told():
    whole = "### A slip\n\n> It is so.\n\nIt is not. → [Least squares](models/least_squares.ipynb)"
    assert faults(whole, "claim('x', 1, equals=1)") == []
    assert faults(whole.replace("> ", ""), "1\n" * 17) == [
        "a statement that tempts",
        "a claim that runs",
        "sixteen lines of code at most",
    ]
    assert faults(whole.replace("least_squares.ipynb", "nowhere.ipynb"), "claim()") == [
        "a link to a chapter of the book"
    ]
