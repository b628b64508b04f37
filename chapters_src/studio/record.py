"""What is known about a derivation after it ran, as plain data for the site, the truth page and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chapters_src.studio.derivation import Derivation

__all__ = ["record"]


def record(d: Derivation) -> dict[str, Any]:
    """Title, label and lines: what each shows, what ran, what was declared, and the rules it breaks."""
    lines = []
    for at, line in enumerate(d.lines, start=1):
        problems = [{"rule": p.rule, "text": p.text} for p in d.problems if p.line == at]
        lines.append(
            {
                "relation": line.relation,
                "latex": line.latex,
                "because": line.because,
                "origin": line.origin,
                "by_definition": line.by_definition,
                "tight": line.has_tight,
                "never_tight": line.never_tight,
                "broken": None if line.broken is None else [line.broken.latex, line.broken.says],
                "problems": problems,
            }
        )
    return {"title": d.title, "label": d.label, "trials": d.trials, "lines": lines}
