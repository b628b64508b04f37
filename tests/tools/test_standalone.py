"""The notebook that carries the package."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import nbformat
import pytest

from tools.chapters import ROOT
from tools.plain import Plain
from tools.standalone import after_setup, package_archive, standalone

SETUP = "# @title Setup\nimport sys\nsys.path.insert(0, str(root))\n\nimport numpy as np"


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=list(cells))


def setup_cell():
    return nbformat.v4.new_code_cell(SETUP, metadata={"tags": ["setup"]})


@pytest.fixture
def project(tmp_path):
    (tmp_path / "chapters_src/__pycache__").mkdir(parents=True)
    for name in ("b.py", "a.py", "data.csv", "__pycache__/a.pyc"):
        (tmp_path / "chapters_src" / name).write_text(name)
    return tmp_path


def test_the_archive_holds_python_only_and_is_the_same_every_time(project):
    first = package_archive(project)
    names = zipfile.ZipFile(io.BytesIO(first)).namelist()
    assert names == ["chapters_src/a.py", "chapters_src/b.py"]
    for path in (project / "chapters_src").glob("*.py"):
        os.utime(path, (1, 1))
        path.chmod(0o600)
    assert package_archive(project) == first


def test_the_whole_package_is_in_it():
    names = zipfile.ZipFile(io.BytesIO(package_archive())).namelist()
    assert "chapters_src/__init__.py" in names
    assert len(names) == len(list((ROOT / "chapters_src").rglob("*.py")))


def test_the_setup_cell_unpacks_the_package_where_its_source_can_be_read(project, monkeypatch):
    (project / "chapters_src/__init__.py").write_text("")
    (project / "chapters_src/carried.py").write_text("def there():\n    return 'carried'\n")
    made = standalone(notebook(setup_cell()), package_archive(project), Plain(Path("none")))
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
