"""What every stored notebook must be like, before anyone runs it. nbval runs them: see pyproject.toml."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import nbformat
import pytest

from tools.chapters import ROOT, Page, chapters, read
from tools.dependencies import plain_python
from tools.notebooks import LARGEST, normalise, role_of, text_of

LONGEST_CELL = 25
MACHINE_PATH = re.compile(r"(?<![\w.])(/home/|/root/|/Users/|/tmp/|/var/folders/|[A-Z]:\\Users\\)")
CHAPTERS = chapters()


def chapter_ids(page: Page) -> str:
    return page.name


@pytest.fixture(params=CHAPTERS, ids=chapter_ids)
def page(request: pytest.FixtureRequest) -> Page:
    return request.param


@pytest.fixture
def notebook(page: Page) -> nbformat.NotebookNode:
    return read(page)


def code_cells(notebook: nbformat.NotebookNode) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_every_notebook_is_in_the_table_of_contents():
    stored = {path for path in (ROOT / "book").rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts}
    assert stored == {page.path for page in CHAPTERS}


def test_an_equation_that_a_docstring_names_stands_in_a_chapter():
    text = "\n".join(cell.source for page in CHAPTERS for cell in read(page).cells)
    labels = set(re.findall(r"""[("'](eq-[\w-]+)[)"']""", text))
    assert len(labels) > 100
    for path in sorted((ROOT / "chapters_src").rglob("*.py")):
        named = set(re.findall(r"\{eq\}`(eq-[\w-]+)`", path.read_text(encoding="utf-8")))
        assert named <= labels, f"{path.relative_to(ROOT)}: no chapter has {sorted(named - labels)}"


def test_it_is_stored_executed_and_without_errors(notebook: nbformat.NotebookNode):
    counts = [cell.execution_count for cell in code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1)), "run make refresh"
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output.text for output in outputs if output.get("name") == "stderr"]


def test_it_is_in_normal_form(page: Page, notebook: nbformat.NotebookNode):
    # Compared outside the assertion: pytest's account of the difference would be as long as the notebook.
    same = page.path.read_text(encoding="utf-8") == text_of(normalise(notebook, page.name))
    assert same, "run make refresh"


def test_it_is_small(page: Page):
    assert page.path.stat().st_size <= LARGEST


def test_cells_are_short(notebook: nbformat.NotebookNode):
    sources = [cell.source for cell in code_cells(notebook)]
    long = [source for source in sources if len(source.splitlines()) > LONGEST_CELL]
    assert not long, f"{len(long)} cells have more than {LONGEST_CELL} lines; the first:\n{long[0]}"


def test_it_opens_with_its_title_and_its_setup(notebook: nbformat.NotebookNode):
    assert notebook.cells[0].cell_type == "markdown"
    assert notebook.cells[0].source.startswith("# ")
    assert role_of(code_cells(notebook)[0]) == "setup"


def test_no_output_is_an_accident(notebook: nbformat.NotebookNode):
    """matplotlib's calls return their artists; as the last expression of a cell they would be printed."""
    texts = [
        out.data.get("text/plain", "")
        for cell in code_cells(notebook)
        for out in cell.outputs
        if "data" in out
    ]
    assert [
        text
        for text in texts
        if re.match(r"\(?\[?(Text\(|<matplotlib|<Axes|<Figure|<function|<module)", text)
    ] == []


def lost_claims(source: str) -> list[int]:
    """The lines of claims whose result is neither kept nor the last of the cell: no reader sees their ✓."""
    statements = ast.parse(plain_python(source)).body
    values = [one.value for one in statements[:-1] if isinstance(one, ast.Expr)]
    return [one.lineno for one in values if isinstance(one, ast.Call) and ast.unparse(one.func) == "claim"]


def test_every_claim_is_displayed(notebook: nbformat.NotebookNode):
    assert [cell.source for cell in code_cells(notebook) if lost_claims(cell.source)] == []


def test_a_claim_that_is_not_displayed_is_told_on():
    one = 'claim("a", 1, equals=1)'
    assert lost_claims(f"{one}\n{one}") == [1]
    assert lost_claims(f"x = 1\n{one}") == lost_claims(f"display({one}, {one})") == []


def test_it_names_no_path_of_a_machine(page: Page):
    text = json.loads(page.path.read_text(encoding="utf-8"))
    found = MACHINE_PATH.findall(json.dumps(text, ensure_ascii=False))
    assert not found


def test_a_machine_path_would_be_found(tmp_path: Path):
    assert MACHINE_PATH.search('File "/home/ada/book.py"')
    assert not MACHINE_PATH.search("1/home/2 and x/root/y")
