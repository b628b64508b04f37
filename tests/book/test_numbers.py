"""Every number of the prose is computed in its section, stated in its code, or cited: see tools/prose.py."""

from __future__ import annotations

import nbformat
import pytest

from tools.chapters import chapters, read
from tools.prose import numbers


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_every_number_is_traced(page):
    lost = [f"{number} (in “{section}”)" for section, number, traced in numbers(read(page)) if not traced]
    assert not lost, f"no run, code or citation of its section gives {', '.join(lost)}"


def chapter(*parts: str, printed: str = "") -> nbformat.NotebookNode:
    """A chapter of Markdown cells, with one code cell at the end of the last section."""
    cells = [nbformat.v4.new_markdown_cell(part) for part in parts]
    code = nbformat.v4.new_code_cell("rate = 0.25\nprint(error)")
    code.outputs = [nbformat.v4.new_output("stream", text=printed)]
    return nbformat.v4.new_notebook(cells=[*cells, code])


@pytest.mark.parametrize(
    ("prose", "printed", "expected"),
    [
        ("The error is 12.24.", "error 12.2398", [("12.24", True)]),
        ("The error is 12.25.", "error 12.2398", [("12.25", False)]),
        ("With a rate of 0.25 it falls.", "", [("0.25", True)]),
        ("It sees 60,000 digits.", "60000", [("60,000", True)]),
        ("It sees 60,000 digits.", "60_000", [("60,000", True)]),
        ("It sees 6000 digits.", "60000", [("6000", False)]),
        ("It is right in 97.3 % of them.", "0.9731", [("97.3", True)]),
        ("It is right in 97.3 of them.", "0.9731", [("97.3", False)]),
        ("Legendre was first in 1805 {cite}`legendre1805`.", "", [("1805", True)]),
        ("Legendre was first in 1805. See {cite}`legendre1805`.", "", [("1805", False)]),
        ("One {cite}`one1805`. Then 2.5. Two {cite}`two1809`.", "", [("2.5", False)]),
        ("It costs $3.5$, or $x_{100} + 2.5$, or `1.5`.", "", [("3.5", False)]),
        ("Two of 12 are wrong, in {eq}`eq-100` and $$a = 4.5$$", "", []),
        ("[here](http://a.org/2020.html), version 1.2.3", "", []),
    ],
)
def test_a_number_is_found_and_judged(prose, printed, expected):
    found = numbers(chapter(prose, printed=printed))
    assert [(text, traced) for _, text, traced in found] == expected


def test_a_number_of_another_section_does_not_count():
    found = numbers(chapter("# T\n\n7.5 here.", "## One\n\n7.5 there.", printed="7.5"))
    assert found == [("", "7.5", False), ("One", "7.5", True)]
