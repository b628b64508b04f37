"""Nothing that the book was asked to teach falls between its chapters: coverage.csv has a row for each item.

``id`` is a section of the wish list and its number; ``chapter`` is the page that owns the item; ``label`` is
where that page computes, draws or derives it: an ``eq-…`` label, the slug of a cell's ``# @title``, or ``#``
and the slug of a heading under which a cell without a title does it (tools/coverage.py).
"""

from __future__ import annotations

import csv

import nbformat
import pytest

from tools.chapters import ROOT, chapters, read
from tools.coverage import labels, slug

ITEMS = {
    "book/intro": 12,
    "foundations/tensors": 24,
    "foundations/probability and foundations/information": 35,
    "foundations/risk": 62,
    "models/least_squares": 41,
    "models/classification": 36,
    "models/support_vectors": 11,
    "models/trees": 5,
    "evaluation/metrics and evaluation/calibration": 22,
    "evaluation/generalisation": 21,
    "optimisation/descent": 35,
    "optimisation/stochastic": 24,
    "networks/shallow": 26,
    "networks/deep": 51,
    "networks/autodiff": 20,
    "networks/backprop": 22,
    "networks/initialisation": 22,
    "networks/regularisation": 19,
    "networks/convolution": 59,
    "networks/residual": 16,
    "sequences/recurrent and sequences/decoding": 32,
    "sequences/attention": 17,
    "sequences/tokens and sequences/transformer": 37,
    "generative/components": 9,
    "generative/autoencoder": 15,
    "generative/elbo": 14,
    "generative/vae": 29,
    "generative/gan": 2,
    "generative/flows": 3,
    "generative/diffusion": 9,
    "Appendices / misc.": 11,
}
BEYOND = {"scale/parallel"}  # taught, and not asked for by any item


def rows() -> list[dict[str, str]]:
    with (ROOT / "tests/coverage.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def faults(table: list[dict[str, str]], known: dict[str, set[str]]) -> list[str]:
    """What is wrong with a table, given the labels of each page."""
    found = []
    for row in table:
        if row["chapter"] not in known:
            found.append(f"{row['id']}: there is no chapter {row['chapter']}")
        elif row["label"] not in known[row["chapter"]]:
            found.append(f"{row['id']}: {row['chapter']} has no label {row['label']}")
    return found


def test_there_is_a_row_for_every_item():
    expected = [f"{section}#{number}" for section, count in ITEMS.items() for number in range(1, count + 1)]
    assert [row["id"] for row in rows()] == expected
    assert len(expected) == 741


def test_owners_and_labels_exist():
    front = nbformat.v4.new_markdown_cell((ROOT / "book/intro.md").read_text(encoding="utf-8"))
    known = {page.name: set(labels(read(page))) for page in chapters()}
    known["intro"] = set(labels(nbformat.v4.new_notebook(cells=[front])))
    assert faults(rows(), known) == []


def test_every_chapter_owns_something():
    owned = {row["chapter"] for row in rows()}
    assert {page.name for page in chapters()} - BEYOND == owned - {"intro"}


@pytest.mark.parametrize(
    ("chapter", "label", "message"),
    [
        ("models/least_squares", "eq-none", "models/least_squares has no label eq-none"),
        ("models/least_squares", "", "models/least_squares has no label"),
        ("models/none", "eq-a", "there is no chapter models/none"),
    ],
)
def test_a_wrong_row_is_told_on(chapter, label, message):
    found = faults([{"id": "x#1", "chapter": chapter, "label": label}], {"models/least_squares": {"eq-a"}})
    assert len(found) == 1 and message in found[0]


def test_labels_are_equations_titles_and_headings():
    cells = [
        nbformat.v4.new_markdown_cell("# Page\n\n$$a = b$$ (eq-a)\n\n## Why it fails?\n\nSee {eq}`eq-z`."),
        nbformat.v4.new_code_cell("# @title Explorer: β, and more\nDerivation('t', label=\"eq-b\")"),
        nbformat.v4.new_markdown_cell("## Part\n\n### Words\n\n```{math}\n:label: eq-c\nc\n```"),
        nbformat.v4.new_markdown_cell("### Run\n\nSee below."),
        nbformat.v4.new_code_cell("print(1)"),
        nbformat.v4.new_markdown_cell("## Words again"),
    ]
    expected = ["eq-a", "eq-b", "eq-c", "explorer-β-and-more", "#why-it-fails", "#part", "#run"]
    assert labels(nbformat.v4.new_notebook(cells=cells)) == expected
    assert slug("The 2–1–2 network") == "the-2-1-2-network"
