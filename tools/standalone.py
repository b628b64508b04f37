"""Write one self-contained notebook a chapter: it carries the modules it reaches and needs what Colab has."""

from __future__ import annotations

import base64
import io
import textwrap
import zipfile
from pathlib import Path

import nbformat

from tools.chapters import ROOT, Page, chapters, read
from tools.dependencies import closure, plain_python
from tools.notebooks import normalise, role_of, text_of
from tools.plain import Plain

LONG_AGO = (1980, 1, 1, 0, 0, 0)
SETUP = '''\
# @title Setup (this notebook carries the book's code; nothing is installed)
import base64
import io
import sys
import tempfile
import zipfile

ARCHIVE = """
{archive}
"""
folder = tempfile.mkdtemp(prefix="every-line-runs-")
zipfile.ZipFile(io.BytesIO(base64.b64decode(ARCHIVE))).extractall(folder)
sys.path.insert(0, folder)
'''


def archive_of(notebook: nbformat.NotebookNode, root: Path = ROOT) -> bytes:
    """A zip of the files of ``chapters_src`` that a notebook reaches: same files, same bytes."""
    cells = [plain_python(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in closure(cells, root):
            entry = zipfile.ZipInfo(path.relative_to(root).as_posix(), LONG_AGO)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes())
    return memory.getvalue()


def after_setup(source: str) -> str:
    """What an author wrote in the setup cell after it made ``chapters_src`` importable."""
    marker = "sys.path.insert(0, str(root))"
    if marker not in source:
        raise ValueError(f"standalone: the setup cell must contain {marker}, as in every chapter")
    return source.split(marker, 1)[1].strip("\n")


def standalone(notebook: nbformat.NotebookNode, archive: bytes, plain: Plain) -> nbformat.NotebookNode:
    """``notebook`` with a first setup cell that unpacks ``archive``, plain Markdown, and no outputs."""
    made = normalise(notebook)
    packed = "\n".join(textwrap.wrap(base64.b64encode(archive).decode(), 120))
    packed_in = False
    for cell in made.cells:
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source)
            continue
        cell.outputs, cell.execution_count = [], None
        if role_of(cell) == "setup":
            cell.metadata.update({"jupyter": {"source_hidden": True}, "cellView": "form"})
        if role_of(cell) == "setup" and not packed_in:
            packed_in = True
            cell.source = (SETUP.format(archive=packed) + "\n" + after_setup(cell.source)).rstrip("\n")
    if not packed_in:
        raise ValueError("standalone: a chapter must have a cell tagged setup; got none")
    return made


def write_all(target: Path, root: Path = ROOT) -> list[Path]:
    """Write the standalone notebook of every chapter under ``target``."""
    return [write_one(page, target, root) for page in chapters(root)]


def write_one(page: Page, target: Path, root: Path = ROOT) -> Path:
    path = target / f"{page.name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    notebook, plain = read(page), Plain(root / "book" / "references.bib")
    path.write_text(text_of(standalone(notebook, archive_of(notebook, root), plain)), encoding="utf-8")
    return path


if __name__ == "__main__":
    for written in write_all(ROOT / "_build" / "html" / "standalone"):
        print(written.relative_to(ROOT))
