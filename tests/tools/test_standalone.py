"""The notebook that carries the package."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import nbformat
import pytest

from tools.chapters import ROOT, chapters, read
from tools.plain import Plain
from tools.standalone import after_setup, archive_of, standalone

SETUP = "# @title Setup\nimport sys\nsys.path.insert(0, str(root))\n\nimport numpy as np"


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=list(cells))


def setup_cell():
    return nbformat.v4.new_code_cell(SETUP, metadata={"tags": ["setup"]})


REACH = nbformat.v4.new_code_cell("from chapters_src import carried")


@pytest.fixture
def project(tmp_path):
    """A package of which a notebook reaches two modules and a record."""
    (tmp_path / "chapters_src").mkdir()
    files = {
        "__init__.py": "",
        "carried.py": "from chapters_src import deeper\n\ndef there():\n    return 'carried'\n",
        "deeper.py": "RECORD = 'run.json'",
        "run.json": "{}",
        "other.json": "{}",
        "left.py": "",
    }
    for name, text in files.items():
        (tmp_path / "chapters_src" / name).write_text(text)
    return tmp_path


def carried(notebook, root):
    return zipfile.ZipFile(io.BytesIO(archive_of(notebook, root))).namelist()


def test_the_archive_holds_what_is_reached_and_is_the_same_every_time(project):
    reaching = notebook(setup_cell(), REACH)
    assert carried(reaching, project) == [
        f"chapters_src/{name}" for name in ("__init__.py", "carried.py", "deeper.py", "run.json")
    ]
    first = archive_of(reaching, project)
    for path in (project / "chapters_src").glob("*.py"):
        os.utime(path, (1, 1))
        path.chmod(0o600)
    assert archive_of(reaching, project) == first


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_a_chapter_carries_its_own_modules_and_few_others(page):
    names = carried(read(page), ROOT)
    assert f"chapters_src/{page.name.split('/')[0]}/__init__.py" in names
    assert len(names) < 0.6 * len(list((ROOT / "chapters_src").rglob("*.py")))


def test_the_setup_cell_unpacks_the_package_where_its_source_can_be_read(project):
    reaching = notebook(setup_cell(), REACH)
    made = standalone(reaching, archive_of(reaching, project), Plain(Path("none")))
    cell = made.cells[0]
    assert cell.metadata.cellView == "form"
    assert cell.source.startswith("# @title Setup")
    assert cell.source.endswith("import numpy as np")
    scope: dict = {}
    exec(cell.source.replace("sys.path.insert(0, folder)", ""), scope)
    unpacked = Path(scope["folder"]) / "chapters_src/carried.py"
    assert unpacked.read_text() == (project / "chapters_src/carried.py").read_text()


def test_outputs_are_left_out_and_text_is_plain():
    code = nbformat.v4.new_code_cell("1", outputs=[nbformat.v4.new_output("stream", text="1")])
    text = nbformat.v4.new_markdown_cell("{eq}`e`")
    made = standalone(notebook(text, setup_cell(), code), b"", Plain(Path("none")))
    assert made.cells[0].source == "(1)"
    assert made.cells[2].outputs == []


def test_a_chapter_without_setup_is_an_error():
    with pytest.raises(ValueError, match="tagged setup"):
        standalone(notebook(nbformat.v4.new_code_cell("1")), b"", Plain(Path("none")))
    with pytest.raises(ValueError, match=r"must contain sys.path.insert"):
        after_setup("import sys")
