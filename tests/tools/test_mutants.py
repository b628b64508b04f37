"""The derivations of a small notebook, run by themselves and broken on purpose."""

import json

import nbformat
import pytest

from tools import chapters, mutants
from tools import derivations as tool
from tools.derivations import code_cells, derivations, needed

CELLS = [
    "from chapters_src.studio import Derivation, normal",
    "import numpy as np\nslow = 'a long training'\nraise RuntimeError(slow)",
    "print('drawn')\nhalf = lambda x: x / 2\nused = 2",
    "used = half(used)",
    'd = Derivation("halves", x=normal(3))\n'
    'd.start("\\\\mathbb E a", lambda x: used * half(x))\n'
    'd.equals("\\\\frac x2", because="one half")',
    'b = Derivation("bound", x=normal(3))\n'
    'b.start("x^\\\\top x")\n'
    'b.at_most("x^\\\\top x+1", because="more", never_tight="an example")',
    "later = [used for used in range(3)]",
]


@pytest.fixture
def page(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title")])
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in CELLS]
    path = tmp_path / "book" / "part" / "small.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
    return chapters.Page("part/small", path)


def test_only_what_derivations_need_is_run(page):
    cells = code_cells(chapters.read(page))
    assert [cell.number for cell in needed(cells)] == [1, 3, 4, 5, 6]


def test_names_a_cell_binds_and_uses():
    cell = tool.Cell(
        1, "a = b + a\nf = lambda x: x + c\n[k for k in d]\nimport e.g\n\ndef h(y):\n    return y * i"
    )
    assert cell.names() == ({"a", "f", "e", "h"}, {"a", "b", "c", "d", "i"})


def test_derivations_come_with_their_cells(page, capsys):
    found = derivations(page)
    assert [(one.cell, one.derivation.title) for one in found] == [(5, "halves"), (6, "bound")]
    assert capsys.readouterr().out == ""


@pytest.fixture
def book(page, monkeypatch, tmp_path):
    for module in (mutants, tool):
        monkeypatch.setattr(module, "select", lambda names: [page])
    monkeypatch.setenv("TO", str(tmp_path / "out"))
    monkeypatch.setattr(mutants, "RECORD", tmp_path / "breaks.json")
    return tmp_path / "out" / "part" / "small.json"


def test_the_report_lists_what_survives(book, capsys):
    mutants.main([])
    found = json.loads(book.read_text(encoding="utf-8"))
    assert found["tried"] == found["caught"] + found["equivalent"] + found["survived"] > 10
    assert found["equalities"]["survived"] == 0
    assert found["equalities"]["tried"] + found["bounds"]["tried"] == found["tried"]
    survivors = found["survivors"]
    assert survivors
    assert all(s["bound"] and s["cell"] == 6 for s in survivors)
    assert "cell 6, line 2 (bound)" in capsys.readouterr().out


def test_a_sample_is_the_same_each_time(book, monkeypatch):
    monkeypatch.setenv("SAMPLE", "5")
    counts = []
    for seed in ("0", "0", "1"):
        monkeypatch.setenv("SEED", seed)
        mutants.main([])
        counts.append(json.loads(book.read_text(encoding="utf-8")))
    assert counts[0] == counts[1]
    assert counts[0]["tried"] == 5
    assert not mutants.RECORD.exists()


def test_a_full_run_is_kept_for_the_page_of_truth(book):
    mutants.main(["part/small"])
    assert not mutants.RECORD.exists()
    mutants.main([])
    kept, found = (json.loads(path.read_text(encoding="utf-8")) for path in (mutants.RECORD, book))
    assert kept["chapters"] == {
        "part/small": {key: found[key] for key in ("tried", "caught", "equivalent", "survived")}
    }


def test_the_lines_are_written_down(book, capsys):
    tool.main([])
    found = json.loads(book.read_text(encoding="utf-8"))
    origins = [line["origin"] for one in found for line in one["lines"]]
    assert origins == ["code", "formula", "formula", "formula"]
    assert "part/small: 4 lines, 3 run from their formula" in capsys.readouterr().out
