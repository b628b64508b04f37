"""The report that make bench writes."""

from __future__ import annotations

import datetime
import importlib
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as bench
from benchmarks import page
from tools.chapters import chapters


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2 s"), (0.0123, "12.3 ms"), (4.5e-6, "4.5 µs"), (2e-9, "2 ns")]
)
def test_seconds_are_readable(value, text):
    assert bench.seconds(value) == text


RATIO = SimpleNamespace(TITLE="Speed", rows=lambda: [("a step", 0.001, 0.02, 20.0)])


def test_the_report_has_a_date_a_machine_and_a_table_each():
    own = SimpleNamespace(TITLE="Weight", HEADER=("page", "kB"), rows=lambda: [("chapter", "512")])
    assert "on 2026-01-02" in bench.intro(datetime.date(2026, 1, 2))
    assert "cores, Python 3" in bench.intro(datetime.date(2026, 1, 2))
    assert "| a step | 1 ms | 20 ms | 20.00 |" in bench.section(RATIO)
    assert "## Weight\n\n| page | kB |\n| --- | --- |\n| chapter | 512 |" in bench.section(own)


def test_only_a_full_run_is_written_down(tmp_path, monkeypatch, capsys):
    for name in ("speed.py", "_shared.py"):
        (tmp_path / name).touch()
    monkeypatch.setattr(bench, "HERE", tmp_path)
    monkeypatch.setattr(bench.importlib, "import_module", {"benchmarks.speed": RATIO}.__getitem__)
    bench.main(["speed"])
    assert "a step" in capsys.readouterr().out
    assert not (tmp_path / "README.md").exists()
    bench.main([])
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == capsys.readouterr().out[:-1]


def test_the_stored_report_is_of_every_benchmark_and_of_every_chapter():
    stored = (bench.HERE / "README.md").read_text(encoding="utf-8")
    modules = [path.stem for path in sorted(bench.HERE.glob("*.py")) if not path.stem.startswith("_")]
    titles = [importlib.import_module(f"benchmarks.{name}").TITLE for name in modules]
    assert [line.removeprefix("## ") for line in stored.splitlines() if line.startswith("## ")] == titles
    [pages] = [part for part in stored.split("\n## ") if part.startswith(page.TITLE)]
    named = [line.split(" | ")[0].removeprefix("| ") for line in pages.splitlines() if line.startswith("| ")]
    assert named[3:] == [chapter.name for chapter in chapters()]  # after the header and the empty page
