"""Break the formula and the code behind every line of the book, and count the breaks that nobody notices.

python -m tools.mutants models/least_squares        every break of a chapter
SAMPLE=200 SEED=0 python -m tools.mutants           a sample of the whole book
python -m tools.mutants                             all of them; the counts are kept for book/truth.md
"""

from __future__ import annotations

import datetime
import json
import os
import random
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

from chapters_src.studio.breaks import BrokenLine, breaks_of, judge
from tools.chapters import ROOT, select
from tools.derivations import Written, derivations

VERDICTS = ("caught", "equivalent", "survived")
RECORD = ROOT / "book/_data/breaks.json"


@dataclass(frozen=True)
class Tried:
    """A break, the cell and line it was made in, and what became of it."""

    cell: int
    line: int
    latex: str
    kind: str
    what: str
    is_bound: bool
    verdict: str


def breaks(found: list[Written]) -> list[tuple[Written, BrokenLine]]:
    """Every break of every line that has a neighbour to notice it."""
    return [
        (written, broken)
        for written in found
        if len(written.derivation.lines) > 1
        for at in range(len(written.derivation.lines))
        for broken in breaks_of(written.derivation, at)
    ]


def tried(written: Written, broken: BrokenLine) -> Tried:
    """Put a break in its place and see."""
    d, at = written.derivation, broken.at
    around = {d.lines[i].relation for i in (at, at + 1) if i < len(d.lines)}
    is_bound = bool(around) and around <= {"", "≤", "≥"}
    verdict = judge(d, broken)
    return Tried(written.cell, at + 1, d.lines[at].latex, broken.kind, broken.what, is_bound, verdict)


def report(results: list[Tried]) -> dict:
    """The counts, for equalities and bounds apart, and what survived."""

    def counts(part: list[Tried]) -> dict[str, int]:
        found = {verdict: sum(result.verdict == verdict for result in part) for verdict in VERDICTS}
        return {"tried": len(part), **found}

    survivors = [result for result in results if result.verdict == "survived"]
    return {
        **counts(results),
        "equalities": counts([result for result in results if not result.is_bound]),
        "bounds": counts([result for result in results if result.is_bound]),
        "survivors": [
            {
                "cell": s.cell,
                "line": s.line,
                "formula": s.latex,
                "kind": s.kind,
                "break": s.what,
                "bound": s.is_bound,
            }
            for s in survivors
        ],
    }


def sampled(found: list[Written], sample: int | None = None, seed: int = 0) -> list[Tried]:
    """What became of all breaks, or of a sample of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = breaks(found)
        if sample is not None and sample < len(every):
            every = random.Random(seed).sample(every, sample)
        return [tried(*one) for one in every]


def main(names: list[str]) -> int:
    sample, seed = os.environ.get("SAMPLE"), int(os.environ.get("SEED") or 0)
    folder = Path(os.environ.get("TO") or ROOT / "_build" / "mutants")
    pages = select(names)
    share = -(-int(sample) // len(pages)) if sample else None
    kept: dict[str, dict[str, int]] = {}
    for page in pages:
        found = {"chapter": page.name, **report(sampled(derivations(page), share, seed))}
        path = folder / f"{page.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        counts = ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS)
        print(f"{page.name}: {found['tried']} breaks, {counts}", flush=True)
        for s in found["survivors"]:
            place = f"cell {s['cell']}, line {s['line']}{' (bound)' if s['bound'] else ''}"
            print(f"  {place}: {s['kind']}, {s['break']}")
        kept[page.name] = {key: found[key] for key in ("tried", *VERDICTS)}
    if not names and not sample:
        whole = {"date": datetime.date.today().isoformat(), "chapters": kept}
        RECORD.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
