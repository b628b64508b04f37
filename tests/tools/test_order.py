"""How tests are spread over the cores, and in which order."""

from __future__ import annotations

import runpy

import pytest

from tools.chapters import ROOT, Page
from tools.one import sessions, unit_tests

CONFTEST = runpy.run_path(str(ROOT / "conftest.py"))


@pytest.mark.parametrize(
    ("nodeid", "unit"),
    [
        ("book/models/least_squares.ipynb::Cell 7", "book/models/least_squares.ipynb"),
        ("tests/models/test_x.py::test_y[a/b-1]", "tests/models/test_x.py"),
        ("tests/site/test_pages.py::test_a[models/x]", "tests/site/test_pages.py::models/x"),
        ("tests/site/test_pages.py::test_b[models/x-phone]", "tests/site/test_pages.py::models/x"),
        ("tests/site/test_pages.py::test_a[intro]", "tests/site/test_pages.py"),
        ("tests/site/test_standalone.py::test_c[models/x]", "tests/site/test_standalone.py::models/x"),
    ],
)
def test_a_worker_takes_a_file_or_a_page(nodeid, unit):
    assert CONFTEST["unit_of_work"](nodeid) == unit


class Item:
    """As much of a test as its place depends on."""

    def __init__(self, nodeid):
        self.nodeid = nodeid


def test_the_site_comes_last_because_it_is_made_of_the_notebooks_run():
    files = [
        "tests/site/test_pages.py",
        "tests/models/test_x.py",
        "tests/site/test_standalone.py",
        "book/a.ipynb",
    ]
    items = [Item(f"{file}::test") for file in files]
    assert [item.nodeid.split("::")[0] for item in sorted(items, key=CONFTEST["place"])] == files[::-1]


def test_one_chapter_is_its_notebook_and_its_tests_then_its_page(tmp_path):
    page = Page("p/one", tmp_path / "book/p/one.ipynb")
    (tmp_path / "tests/p/one").mkdir(parents=True)
    assert unit_tests(page, tmp_path) == ["tests/p/one"]
    computed, shown = sessions(page, tmp_path)
    assert computed == ["book/p/one.ipynb", "tests/p/one"]
    assert shown[-2:] == ["-k", "p/one"]
