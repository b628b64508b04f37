"""A chapter is one sitting: words, cells, derivations and the lines of a cell have limits."""

from __future__ import annotations

import nbformat
import pytest

from tools.chapters import chapters, read
from tools.length import Length, length

MOST = Length(words=2500, words_with_folds=3200, cells=90, derivations=12)
LINES_IN_VIEW = 15


def faults(notebook: nbformat.NotebookNode) -> list[str]:
    """What is too long in a chapter."""
    measured, allowed = vars(length(notebook)), vars(MOST)
    found = [
        f"{measured[key]} {key}, at most {allowed[key]}" for key in allowed if measured[key] > allowed[key]
    ]
    for cell in notebook.cells:
        in_view = cell.cell_type == "code" and not cell.source.startswith("# @title")
        if in_view and len(cell.source.splitlines()) > LINES_IN_VIEW:
            found.append(f"a cell in view has more than {LINES_IN_VIEW} lines:\n{cell.source}")
    return found


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_a_chapter_is_one_sitting(page):
    assert faults(read(page)) == []


def chapter(*markdown: str, code: str = "") -> nbformat.NotebookNode:
    cells = [nbformat.v4.new_markdown_cell(text) for text in markdown]
    return nbformat.v4.new_notebook(cells=[*cells, nbformat.v4.new_code_cell(code)])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Two words.", 2),
        ("A formula $x = y$ and `code` are left out.", 6),
        ("Shown:\n\n$$a+b$$\n\n```python\nx = 1\n```\n", 1),
        ("| a | table |\n|---|---|\n", 0),
        ("[A link](somewhere/else.ipynb) reads as its words.", 6),
        ("It costs 3,600 or 2.5 % of well-kept things.", 8),
        ("Said {cite}`by_one`, and later {cite}`by_another` too.", 4),
    ],
)
def test_words_are_those_of_prose(text, words):
    assert length(chapter(text)).words == words


def test_a_fold_reaches_to_the_next_heading():
    folded = chapter("One.", "### Deeper: two three\n\nfour", "five", "## six\n\nseven")
    assert length(folded).words == 3
    assert length(folded).words_with_folds == 8


@pytest.mark.parametrize(
    ("notebook", "message"),
    [
        (chapter("word " * 2501), "2501 words, at most 2500"),
        (chapter("### Deeper: more\n\n" + "word " * 3200), "3202 words_with_folds"),
        (chapter(*["x"] * 90), "91 cells, at most 90"),
        (chapter(code="x = 1\n" * 16), "a cell in view"),
    ],
)
def test_too_long_is_told_on(notebook, message):
    found = faults(notebook)
    assert len(found) == 1 and found[0].startswith(message)


def test_derivations_are_counted_and_folded_cells_may_be_longer():
    thirteen = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("Derivation(1)") for _ in range(13)])
    assert faults(thirteen) == ["13 derivations, at most 12"]
    assert faults(chapter(code="# @title Folded\n" + "x = 1\n" * 20)) == []
