"""The truth page says what was counted, and nothing else."""

from __future__ import annotations

import json

import nbformat
import pytest

from tools.chapters import ROOT, Page, chapters, read
from tools.notebooks import write
from tools.oracles import public_names, with_oracle
from tools.truth import COLUMNS, Counts, breaks, count, exercises, table

MODULE = """\
__all__ = ["compared", "alone", "CONSTANT"]
CONSTANT = 1
def compared(x): ...
def alone(x): ...
def hidden(x): ...
"""
TESTS = """\
import numpy as np
from scipy import special
from chapters_src.p.one import compared, alone, hidden

def reference(x):
    return special.gamma(x)

class TestOne:
    def test_through_a_helper(self):
        assert compared(3) == reference(3)

class TestMore:
    def test_hidden(self):
        assert hidden(3) == special.gamma(3)

def test_against_itself():
    assert alone(3) == alone(3) + np.zeros(1)
"""


@pytest.fixture
def book(tmp_path):
    """A chapter of two cells whose run was recorded."""
    files = {
        "chapters_src/p/one/main.py": MODULE,
        "chapters_src/p/one/exercises.py": "__all__ = ['f']\ndef f(): ...",
        "tests/p/one/test_main.py": TESTS,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    cells = [nbformat.v4.new_code_cell(source) for source in ("# @title Setup\nx = 2.5", "x")]
    cells[0].metadata["tags"] = ["setup"]
    words = nbformat.v4.new_markdown_cell("Here x is 2.5, and not 3.5.")
    (tmp_path / "book/p").mkdir(parents=True)
    write(nbformat.v4.new_notebook(cells=[words, *cells]), tmp_path / "book/p/one.ipynb")
    displays = [
        {"kind": "Claim", "facts": {}},
        {"kind": "Derivation", "facts": {"lines": 3, "from_formula": 2}},
        {"kind": "Picture", "facts": {}},
    ]
    record(tmp_path, "runs/p/one/1.json", {"displays": []})
    record(tmp_path, "runs/p/one/2.json", {"displays": displays})
    score = {"tried": 12, "caught": 9, "equivalent": 2, "survived": 1}
    (tmp_path / "book/_data").mkdir()
    (tmp_path / "book/_data/breaks.json").write_text(json.dumps({"date": "d", "chapters": {"p/one": score}}))
    return tmp_path


def record(book, name, content):
    (book / "_build" / name).parent.mkdir(parents=True, exist_ok=True)
    (book / "_build" / name).write_text(json.dumps(content))


def test_a_chapter_is_counted(book):
    found = count(Page("p/one", book / "book/p/one.ipynb"), book)
    expected = Counts(lines=3, from_formula=2, tried=10, caught=9, claims=1, numbers=2, traced=1)
    expected.functions, expected.with_oracle, expected.equivalent = 2, 1, 2
    assert found == expected


def test_oracles_are_read_off_the_tests(book):
    assert public_names("p/one", book) == {"compared", "alone"}
    assert with_oracle("p/one", book) == {"compared"}


def test_exercises_are_those_that_the_notebook_imports():
    page = next(page for page in chapters() if page.name == "models/least_squares")
    known, refused = exercises([cell.source for cell in read(page).cells if cell.cell_type == "code"])
    assert known >= 4
    assert refused >= 3 * known
    assert exercises(["import numpy"]) == (0, 0)


def test_the_table_has_totals_first_and_dashes_for_what_was_not_tried():
    rows = {"p/one": Counts(*range(1, 13)), "p/two": Counts(lines=1000)}
    text = table(rows, "on Monday")
    assert text.startswith("In 2 chapters 1,001 lines of algebra ran, 2 from their formula as printed")
    assert "Of 3 deliberate breaks of lines, 4 were caught (on Monday; 12 more changed nothing" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == 5
    assert {line.count("|") for line in lines} == {len(COLUMNS) + 2}
    assert lines[2] == "| **The whole book** | 2/1,001 | 4/3 | 5 | 7/6 | 8 (9) | 11/10 |"
    assert lines[4] == "| {doc}`/p/two` | 0/1,000 | – | – | – | – | – |"


def test_the_page_types_in_no_count():
    text = (ROOT / "book/truth.md").read_text(encoding="utf-8")
    assert "{include} ../_build/truth_table.md" in text
    assert "|---" not in text


def test_the_breaks_that_are_shown_were_made_in_this_book_and_few_change_nothing():
    kept = breaks()["chapters"]
    assert kept.keys() <= {page.name for page in chapters()}
    tried, equivalent = (sum(one[key] for one in kept.values()) for key in ("tried", "equivalent"))
    assert tried > 40_000
    assert equivalent < tried / 10
