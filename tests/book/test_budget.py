"""The time that all notebooks may take together, so that the whole test run stays within an hour.

Seconds are of the processor, with what the site needs drawn as well, as the recorder counts them on a quiet
machine. No test times a run: a busy machine is no bug.
"""

from __future__ import annotations

import json

import pytest

from tools.chapters import ROOT, chapters

USUAL, MOST, LONGEST, LONG_ONES, TOGETHER = 20, 45, 100, 8, 1650
BUDGET = json.loads((ROOT / "tests/book/budget.json").read_text(encoding="utf-8"))


def faults(budget: dict) -> list[str]:
    """What is too long in a budget."""
    seconds, long = budget["cpu_seconds"], budget["long"]
    found = [f"{len(long)} long chapters, but at most {LONG_ONES}"] if len(long) > LONG_ONES else []
    for name, value in seconds.items():
        limit = LONGEST if name in long else MOST
        if value > limit:
            found.append(f"{name}: {value} s, but at most {limit}")
    expected = sum(seconds.values()) + USUAL * (budget["chapters_planned"] - len(seconds))
    if expected > TOGETHER:
        found.append(f"{expected:.0f} s together, with {USUAL} for each chapter to come; at most {TOGETHER}")
    return found


def test_every_chapter_has_a_budget_and_nothing_else_does():
    assert set(BUDGET["cpu_seconds"]) == {page.name for page in chapters()}


def test_the_budget_holds():
    assert faults(BUDGET) == []


@pytest.mark.parametrize(
    ("seconds", "long", "message"),
    [
        ({"a": 46}, [], "a: 46 s, but at most 45"),
        ({"a": 101}, ["a"], "a: 101 s, but at most 100"),
        ({f"{i}": 9 for i in range(9)}, [f"{i}" for i in range(9)], "9 long chapters"),
        ({f"{i}": 40 for i in range(30)}, [], "1840 s together"),
    ],
)
def test_too_long_is_told_on(seconds, long, message):
    budget = {"cpu_seconds": seconds, "long": long, "chapters_planned": 62}
    found = faults(budget)
    assert len(found) == 1 and message in found[0]
