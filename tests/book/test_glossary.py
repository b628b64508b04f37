"""The glossary is in order, points where a word is explained, and is linked from there or elsewhere."""

from __future__ import annotations

import re
import unicodedata

from tools.chapters import ROOT, chapters, read

ENTRY = re.compile(r"(?m)^(?P<term>\S[^\n`]*)\n(?P<said>(?:  \S.*\n?)+)")
SEE = re.compile(r"\[(?P<title>[^\]]+)\]\((?P<name>[\w/]+)\.ipynb\)")
TERM = re.compile(r"\{term\}`(?:[^`<]*<(?P<target>[^>]+)>|(?P<bare>[^`<]+))`")

GLOSSARY = (ROOT / "book/glossary.md").read_text(encoding="utf-8")
ENTRIES = {one["term"].strip(): one["said"] for one in ENTRY.finditer(GLOSSARY)}
BOOK = {page.name: [cell.source for cell in read(page).cells] for page in chapters()}


def place(term: str) -> str:
    """What a term is sorted by: its letters and digits, without signs and accents."""
    plain = unicodedata.normalize("NFKD", re.sub("[-–]", " ", term)).lower()
    return re.sub("[^a-z0-9 ]", "", plain)


def linked(text: str) -> set[str]:
    """The terms that a text links."""
    return {(one["target"] or one["bare"]).strip().lower() for one in TERM.finditer(text)}


def test_terms_are_in_order_and_none_is_there_twice():
    terms = [one["term"].strip() for one in ENTRY.finditer(GLOSSARY)]
    assert terms == sorted(terms, key=place)
    assert len({place(term).replace(" ", "") for term in terms}) == len(terms) > 300


def test_every_entry_names_a_chapter_by_its_title():
    titles = {name: cells[0].splitlines()[0].removeprefix("# ") for name, cells in BOOK.items()}
    for term, said in ENTRIES.items():
        chapters_named = {one["name"]: one["title"] for one in SEE.finditer(said)}
        assert chapters_named, term
        assert chapters_named.items() <= titles.items(), term


def test_every_term_is_linked_from_a_chapter():
    found = linked("\n".join("\n".join(cells) for cells in BOOK.values()))
    assert {term for term in ENTRIES if term.lower() not in found} == set()


def test_links_are_read_in_both_forms():
    assert linked("{term}`loss`, {term}`the rate <learning rate>`, {eq}`eq-a`") == {"loss", "learning rate"}
    assert [place(term) for term in ("Q–Q plot", "Bayes' theorem", "Fréchet distance")] == [
        "q q plot",
        "bayes theorem",
        "frechet distance",
    ]
