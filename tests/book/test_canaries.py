"""The notebook check can fail: a wrong line of algebra and a stale output must both turn it red."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tools.chapters import ROOT, chapters, read
from tools.notebooks import role_of, write
from tools.running import Run, execute

DERIVATION = """\
# @title The square of a sum
from chapters_src.studio import Derivation, normal

d = Derivation("the square of a sum", a=normal(), b=normal())
d.start(r"(a + b)^2", lambda a, b: (a + b) ** 2)
d.equals(r"a^2 + 2ab + b^2", lambda a, b: a**2 + 2 * a * b + b**2, because="expand")
d"""
RESULT = 'print("mean", sum([1, 2, 3, 6]) / 4)'


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a chapter cut to its setup, with a derivation and a printed number, executed and stored."""
    folder = tmp_path_factory.mktemp("canary")
    (folder / "chapters_src").symlink_to(ROOT / "chapters_src")
    notebook = read(chapters()[0])
    setup = next(cell for cell in notebook.cells if cell.cell_type == "code" and role_of(cell) == "setup")
    derivation = nbformat.v4.new_code_cell(DERIVATION, metadata={"tags": ["derivation"]})
    notebook.cells = [notebook.cells[0], setup, derivation, nbformat.v4.new_code_cell(RESULT)]
    executed, _ = execute(Run("canary", notebook, folder))
    path = folder / "sound.ipynb"
    write(executed, path)
    return path


def verdict(path: Path) -> tuple[int, str]:
    """pytest's exit code and report on one notebook, with the options the book is checked with."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", str(path)]
    command += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(path.parent)]
    command += [f"--nbval-sanitize-with={ROOT / 'tests/book/sanitize.cfg'}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def changed(sound: Path, name: str, cell: int, old: str, new: str, stored: bool = False) -> Path:
    """A copy of the sound notebook with one thing changed: in a cell's source, or in its stored output."""
    notebook = nbformat.read(sound, as_version=4)
    if stored:
        output = notebook.cells[cell].outputs[0]
        assert old in output.text
        output.text = output.text.replace(old, new)
    else:
        assert old in notebook.cells[cell].source
        notebook.cells[cell].source = notebook.cells[cell].source.replace(old, new)
    path = sound.with_name(f"{name}.ipynb")
    nbformat.write(notebook, path)
    return path


def test_the_sound_notebook_passes(sound: Path):
    code, report = verdict(sound)
    assert code == 0, report
    assert "3 passed" in report


def test_a_wrong_line_of_algebra_turns_it_red(sound: Path):
    code, report = verdict(changed(sound, "wrong", 2, "+ 2 * a * b", "- 2 * a * b"))
    assert code == 1
    assert "DerivationError" in report


def test_a_stale_stored_output_turns_it_red(sound: Path):
    code, report = verdict(changed(sound, "stale", 3, "mean 3.0", "mean 3.1", stored=True))
    assert code == 1
    assert "3.1" in report
    assert "1 failed, 2 passed" in report


def test_a_stale_derivation_turns_it_red(sound: Path):
    """The rounding of a derivation is not compared, but its formulas are."""
    code, report = verdict(changed(sound, "formula", 2, "a^2 + 2ab", "a^2 + 2ba"))
    assert code == 1
    assert "2ba" in report
