"""A notebook runs once: what a test run leaves behind becomes the site, unless something changed since."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import nbformat
import pytest
from jupyter_cache import get_cache

from tools import refresh
from tools.chapters import ROOT, Page, read
from tools.execute import execute_stale
from tools.notebooks import write
from tools.records import StaleRecord, begin, cells_of, folder_of, for_site, mark_of
from tools.running import NotebookError, Run, execute, readable

SHOWN = """\
import os

class Shown:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"[{self.name}]"

    def _repr_mimebundle_(self, include=None, exclude=None):
        forms = {"text/plain": repr(self), "image/png": b"png"}
        return forms | {"text/html": f"<b>{self.name}</b>"} if os.environ.get("EVERY_LINE_SITE") else forms
"""
SETUP = """\
# @title Setup
import sys
from pathlib import Path
sys.path.insert(0, str(Path.cwd().parents[1]))"""
CELLS = [
    "from chapters_src.shown import Shown\nprint('words')",
    "display(Shown('a'), 7, Shown('b'))\nShown('c')",
]
NAME = "p/one"


@pytest.fixture
def book(tmp_path):
    """A book of one chapter that displays three objects, executed and stored, with no record of a run."""
    (tmp_path / "chapters_src").mkdir()
    (tmp_path / "chapters_src/__init__.py").write_text("")
    (tmp_path / "chapters_src/shown.py").write_text(SHOWN)
    (tmp_path / "requirements.txt").write_text("numpy\n")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: p/one\n")
    cells = [nbformat.v4.new_code_cell(source) for source in (SETUP, *CELLS)]
    cells[0].metadata["tags"] = ["setup"]
    (tmp_path / "book/p").mkdir(parents=True)
    notebook = nbformat.v4.new_notebook(cells=cells)
    executed, _ = execute(Run(NAME, notebook, tmp_path / "book/p"))
    write(executed, path_of(tmp_path))
    shutil.copy(ROOT / "conftest.py", tmp_path)
    return tmp_path


def path_of(book):
    return book / f"book/{NAME}.ipynb"


def stored(book):
    return read(Page(NAME, path_of(book)))


def nbval(book):
    """Run the notebook as the tests do; how many cells failed."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        str(ROOT / "pyproject.toml"),
    ]
    command += ["--rootdir", str(book), f"--confcutdir={book}", str(path_of(book))]
    command += [f"--nbval-sanitize-with={ROOT / 'tests/book/sanitize.cfg'}", "-o", f"pythonpath={ROOT}"]
    done = subprocess.run(command, cwd=book, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode


def shown_on_site(book):
    """The HTML and the printed text that the site build would find, in order."""
    _, merged = get_cache(str(book / "_build/.jupyter_cache")).merge_match_into_notebook(stored(book))
    outputs = [output for cell in merged.cells for output in cell.outputs]
    return [
        output.get("text") or output.data.get("text/html") or output.data["text/plain"] for output in outputs
    ]


EXPECTED = ["words\n", "<b>a</b>", "7", "<b>b</b>", "<b>c</b>"]


def test_the_tests_run_is_the_sites_run(book):
    before = path_of(book).read_bytes()
    assert nbval(book) == 0
    assert path_of(book).read_bytes() == before
    assert execute_stale(book) == [], "nothing was left to execute"
    assert shown_on_site(book) == EXPECTED


def test_refreshing_leaves_the_same(book):
    assert refresh.main([], book) == 0
    assert execute_stale(book) == []
    assert shown_on_site(book) == EXPECTED


def test_without_a_run_the_build_makes_one(book):
    assert execute_stale(book) == [NAME]
    assert shown_on_site(book) == EXPECTED
    # Its outputs were compared with nothing, so they do not stand for the stored ones later.
    shutil.rmtree(book / "_build/.jupyter_cache")
    assert execute_stale(book) == [NAME]


def test_a_stale_run_is_refused(book):
    assert nbval(book) == 0
    (book / "chapters_src/shown.py").write_text(SHOWN.replace("<b>", "<i>"))
    assert execute_stale(book) == [NAME]
    assert shown_on_site(book)[1] == "<i>a</b>"


def test_a_run_that_differs_from_what_is_stored_is_refused(book):
    notebook = stored(book)
    notebook.cells[1].outputs[0].text = "other words\n"
    nbformat.write(notebook, path_of(book))
    assert nbval(book) == 1
    assert execute_stale(book) == [NAME]
    assert shown_on_site(book) == EXPECTED


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "3.json").unlink(), "cell 3 did not run"),
        (lambda folder: altered(folder, source="1"), "cell 3 ran otherwise"),
        (lambda folder: altered(folder, failed=True), "cell 3 ran otherwise"),
        (lambda folder: (folder / "fingerprint").write_text("another"), "no run with this code"),
    ],
)
def test_an_incomplete_run_is_refused(book, change, message):
    assert refresh.main([], book) == 0
    notebook = stored(book)
    assert len(cells_of(NAME, notebook, mark_of(notebook, book), book)) == 3
    change(folder_of(NAME, book))
    with pytest.raises(StaleRecord, match=message):
        cells_of(NAME, notebook, mark_of(notebook, book), book)


def altered(folder, **changes):
    path = folder / "3.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_display_that_is_not_stored_is_refused(book):
    notebook = stored(book)
    records = [{"displays": []}, {"displays": []}, {"displays": [{"plain": "[z]"}]}]
    with pytest.raises(StaleRecord, match=r"cell 3 displayed '\[z\]'"):
        for_site(notebook, records)


def recorded(book, source):
    """Run one cell after the setup, with a recorder."""
    cells = [nbformat.v4.new_code_cell(text) for text in (SETUP, CELLS[0], source)]
    environment = begin(NAME, "mark", book)
    executed, _ = execute(Run(NAME, nbformat.v4.new_notebook(cells=cells), book / "book/p", environment))
    return executed.cells[-1].outputs


def test_the_run_does_not_notice(book):
    """The form for the site is made in a copy of the kernel: what making it changes is not seen."""
    source = """\
class Counted(Shown):
    made = 0
    __module__ = "chapters_src.counted"

    def _repr_mimebundle_(self, include=None, exclude=None):
        Counted.made += 1
        return super()._repr_mimebundle_()


display(Counted("a"))
print(Counted.made)"""
    assert recorded(book, source)[-1].text == "1\n"
    display = json.loads((folder_of(NAME, book) / "3.json").read_text())["displays"][0]
    assert display["data"]["text/html"] == "<b>a</b>"
    assert display["kind"] == "Counted"


def test_an_object_without_a_form_for_the_site_stops_the_cell(book):
    source = """\
class Broken(Shown):
    __module__ = "chapters_src.broken"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": "", "text/html": 1 / ("EVERY_LINE_SITE" not in os.environ)}


import os

display(Broken("a"))"""
    with pytest.raises(NotebookError) as caught:
        recorded(book, source)
    assert "Broken has no form for the site" in readable(caught.value)
    assert "ZeroDivisionError" in readable(caught.value)
