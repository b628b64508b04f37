"""Execution for the site and the refreshing of stored notebooks, on a small book in a folder of its own."""

from __future__ import annotations

import json
import platform
import sys
from functools import partial

import nbformat
import pytest
from jupyter_cache import get_cache

from tools import chapters, refresh
from tools.chapters import Page, read
from tools.execute import execute_stale
from tools.notebooks import write
from tools.running import (
    NOT_STARTED,
    STARTS,
    NotebookError,
    Run,
    execute,
    kernel_environment,
    readable,
    start_again,
)

SETUP = "# @title Setup\nimport sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path.cwd().parents[1]))"
SITE = "import os\nprint(os.environ.get('EVERY_LINE_SITE'))"
INTRO = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n# Hello\n\n"


def store(path, *sources):
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[0].metadata["tags"] = ["setup"]
    write(nbformat.v4.new_notebook(cells=cells), path)


@pytest.fixture
def book(tmp_path):
    """A book of an introduction with code, two chapters and a page of text."""
    (tmp_path / "chapters_src").mkdir()
    (tmp_path / "chapters_src/__init__.py").write_text("")
    (tmp_path / "chapters_src/answer.py").write_text("ANSWER = 41\n")
    (tmp_path / "requirements.txt").write_text("numpy\n")
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: intro\nparts:\n- chapters: [{file: p/one}, {file: p/two}, {file: text}]\n"
    )
    store(tmp_path / "book/p/one.ipynb", SETUP, "from chapters_src.answer import ANSWER\nprint(ANSWER)")
    store(tmp_path / "book/p/two.ipynb", SETUP, SITE)
    (tmp_path / "book/intro.md").write_text(INTRO + "```{code-cell}\nprint('intro')\n```\n")
    (tmp_path / "book/text.md").write_text("# Words\n")
    return tmp_path


def cached_text(book, name):
    """What the site build would find printed by the last cell of a page."""
    suffix = "md" if name == "intro" else "ipynb"
    notebook = read(Page(name, book / f"book/{name}.{suffix}"))
    _, merged = get_cache(str(book / "_build/.jupyter_cache")).merge_match_into_notebook(notebook)
    return [cell for cell in merged.cells if cell.cell_type == "code"][-1].outputs[0].text


def test_only_what_changed_is_executed(book):
    assert sorted(execute_stale(book)) == ["intro", "p/one", "p/two"]
    assert cached_text(book, "p/one") == "41\n"
    assert cached_text(book, "p/two") == "None\n", "a run is the same for a reader and for the site"
    assert cached_text(book, "intro") == "intro\n"
    assert execute_stale(book) == []

    # What a chapter imports changes: its page is executed and read again, though its file is the same.
    doctrees = [book / f"_build/.doctrees/p/{name}.doctree" for name in ("one", "two")]
    doctrees[0].parent.mkdir(parents=True)
    for doctree in doctrees:
        doctree.write_text("")
    (book / "chapters_src/answer.py").write_text("ANSWER = 42\n")
    assert execute_stale(book) == ["p/one"]
    assert cached_text(book, "p/one") == "42\n"
    assert [doctree.exists() for doctree in doctrees] == [False, True]

    # One chapter is edited; then only words in it.
    store(book / "book/p/two.ipynb", SETUP, "print('edited')")
    assert execute_stale(book) == ["p/two"]
    notebook = nbformat.read(book / "book/p/two.ipynb", as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_markdown_cell("# Words"))
    nbformat.write(notebook, book / "book/p/two.ipynb")
    assert execute_stale(book) == []

    # The environment changes: everything.
    (book / "requirements.txt").write_text("numpy==2\n")
    assert len(execute_stale(book)) == 3


def test_a_failing_cell_is_shown_and_the_others_are_kept(book):
    store(book / "book/p/two.ipynb", SETUP, "denominator = 0\n1 / denominator")
    with pytest.raises(NotebookError) as caught:
        execute_stale(book)
    message = readable(caught.value)
    assert "p/two: a cell failed" in message
    assert "1 / denominator" in message
    assert "ZeroDivisionError" in message
    assert sorted(json.loads((book / "_build/executed.json").read_text())) == ["intro", "p/one"]
    with pytest.raises(NotebookError, match="p/two"):
        execute_stale(book)


def test_a_page_without_a_source_is_named(book):
    (book / "book/text.md").unlink()
    with pytest.raises(FileNotFoundError, match=r"_toc.yml lists text"):
        execute_stale(book)


def test_refresh_stores_live_outputs_and_leaves_a_failing_notebook_alone(book, monkeypatch, capsys):
    store(book / "book/p/one.ipynb", SETUP, "1 / 0")
    before = (book / "book/p/one.ipynb").read_bytes()
    monkeypatch.setenv("EVERY_LINE_SITE", "1")
    assert refresh.main([], book) == 1
    assert "p/one: a cell failed" in capsys.readouterr().err
    assert (book / "book/p/one.ipynb").read_bytes() == before
    two = nbformat.read(book / "book/p/two.ipynb", as_version=4)
    assert two.cells[1].outputs[0].text == "None\n", "stored notebooks hold what a live kernel shows"
    assert refresh.main(["p/two"], book) == 0
    assert not list((book / "book/p").glob(".*"))


def test_refresh_knows_its_chapters(book):
    with pytest.raises(SystemExit, match=r"no chapter p/three. Chapters: p/one, p/two"):
        chapters.select(["p/three"], book)
    assert [page.name for page in chapters.select(["book/p/two.ipynb"], book)] == ["p/two"]


def test_the_kernel_is_this_environment(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import sys\nprint(sys.prefix)")])
    executed, _ = execute(Run("where", notebook, tmp_path))
    assert executed.cells[0].outputs[0].text.strip() == sys.prefix


def test_a_kernel_that_does_not_start_is_started_again():
    starts = []

    def run(fails, words=NOT_STARTED):
        starts.append(fails)
        if len(starts) <= fails:
            raise RuntimeError(words)
        return "done"

    for fails in range(STARTS):
        starts.clear()
        assert (start_again(partial(run, fails)), len(starts)) == ("done", fails + 1)
    for words, tried in ((NOT_STARTED, STARTS), ("another error", 1)):
        starts.clear()
        with pytest.raises(RuntimeError, match=words):
            start_again(partial(run, STARTS, words))
        assert len(starts) == tried


def test_all_x86_processors_compute_with_the_same_instructions(tmp_path):
    code = (
        "import numpy, scipy.linalg, threadpoolctl, torch\n"
        "print(threadpoolctl.threadpool_info())\n"
        "print(numpy.show_config(mode='dicts')['SIMD Extensions']['found'])\n"
        "print(torch.backends.cpu.get_cpu_capability())"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    executed, _ = execute(Run("order", notebook, tmp_path))
    told = executed.cells[0].outputs[0].text
    assert "'internal_api': 'openblas'" in told
    alike = "OPENBLAS_CORETYPE" in kernel_environment()
    assert alike == (platform.machine().lower() in ("x86_64", "amd64"))
    assert told.count("'architecture': 'Haswell'") == alike * told.count("'internal_api': 'openblas'")
    if alike:
        assert told.splitlines()[1:] == ["['X86_V3']", "AVX2"]
