"""Every line of a reworked chapter can fail, most run from their formula, and breaks are noticed.

Chapters that are still to be reworked stand in not_yet_reworked.json; nothing may be added to it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.chapters import Page, chapters
from tools.derivations import Written, derivations
from tools.mutants import report, sampled

OLD = json.loads(Path(__file__).with_name("not_yet_reworked.json").read_text(encoding="utf-8"))
CHAPTERS = chapters()
REWORKED = [page for page in CHAPTERS if page.name not in OLD]
FROM_FORMULA = 0.6
NOTICED_BOUNDS = 0.95
CALLED_EQUIVALENT = 0.1


@pytest.fixture(scope="module")
def written() -> dict[str, list[Written]]:
    """The derivations of all chapters, each chapter executed once."""
    return {page.name: derivations(page) for page in CHAPTERS}


def problems(found: list[Written]) -> list[str]:
    return [
        f"cell {one.cell}, {one.derivation.title}, {problem}"
        for one in found
        for problem in one.derivation.problems
    ]


def share_from_formula(found: list[Written]) -> float:
    origins = [line.origin for one in found for line in one.derivation.lines]
    return sum(origin != "code" for origin in origins) / len(origins)


@pytest.mark.parametrize("page", REWORKED, ids=lambda page: page.name)
def test_no_line_breaks_a_rule(page: Page, written):
    found = problems(written[page.name])
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", REWORKED, ids=lambda page: page.name)
def test_most_lines_run_from_their_formula(page: Page, written):
    assert share_from_formula(written[page.name]) >= FROM_FORMULA


def test_a_chapter_that_keeps_the_rules_leaves_the_list(written):
    """And so the list only shrinks: what is on it needs to be."""
    done = [
        name
        for name in OLD
        if not problems(written[name]) and share_from_formula(written[name]) >= FROM_FORMULA
    ]
    assert not done, f"take {', '.join(done)} out of not_yet_reworked.json"
    assert set(OLD) <= {page.name for page in CHAPTERS}


def test_a_sample_of_breaks_is_noticed(written):
    found = [one for page in REWORKED for one in written[page.name]]
    if not found:  # until the first chapter is reworked, those that need it least stand in
        found = written["optimisation/stochastic"] + written["networks/deep"]
        found = [one for one in found if not one.derivation.problems]
    counts = report(sampled(found, 200, seed=0))
    lost = [s for s in counts["survivors"] if not s["bound"]]
    assert not lost, "\n".join(f"cell {s['cell']}, line {s['line']}: {s['break']}" for s in lost)
    bounds = counts["bounds"]
    assert bounds["survived"] <= (1 - NOTICED_BOUNDS) * (bounds["tried"] - bounds["equivalent"])
    assert counts["equivalent"] <= CALLED_EQUIVALENT * counts["tried"]
