"""The report that make bench writes."""

from __future__ import annotations

import datetime
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as bench


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2 s"), (0.0123, "12.3 ms"), (4.5e-6, "4.5 µs"), (2e-9, "2 ns")]
)
def test_seconds_are_readable(value, text):
    assert bench.seconds(value) == text


def test_the_report_has_a_date_a_machine_and_a_table_each():
    ratio = SimpleNamespace(TITLE="Speed", rows=lambda: [("a step", 0.001, 0.02, 20.0)])
    own = SimpleNamespace(TITLE="Weight", HEADER=("page", "kB"), rows=lambda: [("chapter", "512")])
    text = bench.report([ratio, own], datetime.date(2026, 1, 2))
    assert "on 2026-01-02" in text
    assert "cores, Python 3" in text
    assert "| a step | 1 ms | 20 ms | 20.00 |" in text
    assert "## Weight\n\n| page | kB |\n| --- | --- |\n| chapter | 512 |" in text
