"""Every line of a chapter can fail, most run from their formula, and breaks are noticed.

The chapters run in a process of their own, as for a reader: here the shapes in signatures are checked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.chapters import ROOT, chapters

CHAPTERS = [page.name for page in chapters()]
FROM_FORMULA = 0.6
NOTICED_BOUNDS = 0.95
CALLED_EQUIVALENT = 0.1


def reports(module: str, names: list[str], folder: Path, **settings: str) -> dict:
    """What a tool writes about these chapters."""
    environment = os.environ | {"TO": str(folder), "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1", **settings}
    subprocess.run([sys.executable, "-m", module, *names], cwd=ROOT, env=environment, check=True)
    return {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in names}


@pytest.fixture(scope="module")
def lines(request, tmp_path_factory) -> dict[str, list[dict]]:
    """The lines of the chapters that are asked for, each with the cell it stands in."""
    mine = [item for item in request.session.items if item.path == Path(__file__)]
    names = {item.callspec.params["name"] for item in mine if hasattr(item, "callspec")}
    found = reports("tools.derivations", sorted(names), tmp_path_factory.mktemp("lines"))
    return {
        name: [{"cell": one["cell"], **line} for one in written for line in one["lines"]]
        for name, written in found.items()
    }


def problems(lines: list[dict]) -> list[str]:
    return [
        f"cell {line['cell']}, {line['latex']}: {problem['text']}"
        for line in lines
        for problem in line["problems"]
    ]


def share_from_formula(lines: list[dict]) -> float:
    return sum(line["origin"] != "code" for line in lines) / len(lines)


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_line_breaks_a_rule(name: str, lines):
    assert not problems(lines[name]), "\n".join(problems(lines[name]))


@pytest.mark.parametrize("name", CHAPTERS)
def test_most_lines_run_from_their_formula(name: str, lines):
    assert share_from_formula(lines[name]) >= FROM_FORMULA


def test_a_sample_of_breaks_is_noticed(tmp_path: Path):
    found = reports("tools.mutants", CHAPTERS, tmp_path, SAMPLE="200", SEED="0").values()
    lost = [
        f"cell {s['cell']}, line {s['line']}: {s['break']}"
        for f in found
        for s in f["survivors"]
        if not s["bound"]
    ]
    assert not lost, "\n".join(lost)
    tried, equivalent = (sum(f[word] for f in found) for word in ("tried", "equivalent"))
    assert tried >= 200
    assert equivalent <= CALLED_EQUIVALENT * tried
    bounds = {word: sum(f["bounds"][word] for f in found) for word in ("tried", "equivalent", "survived")}
    assert bounds["survived"] <= (1 - NOTICED_BOUNDS) * (bounds["tried"] - bounds["equivalent"])
