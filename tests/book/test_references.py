"""Every entry of references.bib is cited somewhere. That every citation has an entry is Sphinx's to check."""

from __future__ import annotations

import re

from tools.chapters import ROOT

CITED = re.compile(r"\{cite[\w:]*\}`([^`]+)`")
ENTRY = re.compile(r"(?m)^@\w+\{([^,\s]+),")


def cited(text: str) -> set[str]:
    """The keys that a text cites."""
    return {key.strip() for keys in CITED.findall(text) for key in keys.split(",")}


def test_every_entry_is_cited():
    pages = [*(ROOT / "book").glob("*.md"), *(ROOT / "book").rglob("*.ipynb")]
    known = cited("\n".join(page.read_text(encoding="utf-8") for page in pages))
    entries = ENTRY.findall((ROOT / "book/references.bib").read_text(encoding="utf-8"))
    assert len(entries) == len(set(entries)) > 400
    assert set(entries) - known == set()


def test_citations_are_read_in_all_their_forms():
    assert cited("{cite}`a2020, b2021` and {cite:t}`c2022`, not {eq}`d2023`") == {"a2020", "b2021", "c2022"}
