"""What a link leads to, kept in one file of the site so that a page can show it beside the link."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

FILE = "preview-data.js"
EQUATION = re.compile(r'<div class="math[^"]*" id="(?P<id>equation-[\w-]+)">(?P<inside>.*?</math>)', re.S)
# A derivation's line with a number: the formula stands a little behind it.
LINE = re.compile(
    r'<span class="eqno" id="(?P<id>equation-[\w-]+)">.*?<span class="studio-maths.*?'
    r"(?P<inside><math\b.*?</math>)",
    re.S,
)
UNWANTED = re.compile(r'<span class="eqno">.*?</span>|<a class="headerlink".*?</a>', re.S)


def inside(tag: Tag) -> str:
    """What is in an element, without the signs that link to it."""
    return UNWANTED.sub("", tag.decode_contents()).strip()


def glossary(page: str) -> dict[str, str]:
    """The definition of each term, by the term's anchor."""
    soup = BeautifulSoup(page, "html.parser")
    return {
        term[
            "id"
        ]: f"<p><strong>{term.get_text().rstrip('#').strip()}</strong></p>{inside(term.find_next('dd'))}"
        for term in soup.select("dl.glossary dt[id]")
    }


def citations(page: str) -> dict[str, str]:
    """Each reference, by its anchor."""
    soup = BeautifulSoup(page, "html.parser")
    found = {}
    for one in soup.select("div.citation[id]"):
        for sign in one.select(".label, .backrefs"):
            sign.decompose()
        found[one["id"]] = inside(one)
    return found


def rows(table: Tag | None) -> Iterator[tuple[str, bool, str]]:
    """The letters of a table's first column, whether each stands there bare, and what its row says."""
    for row in table.select("tbody tr") if table else []:
        cells = row.find_all("td")
        said = f"<p>{inside(cells[0].p)}: {inside(cells[-1].p)}</p>"
        for letter in cells[0].select("mi"):
            if letter.find_previous_sibling() is None or letter.parent.name != "msub":
                yield letter.get_text(), letter.find_parent("mover") is None, said


def symbols(page: str) -> dict[str, dict[str, list[str]]]:
    """What each letter means: in the whole book (the key is empty), and in chapters that have a table.

    A chapter's own meaning of a letter replaces the book's, unless only the letter with an accent is its own.
    """
    soup = BeautifulSoup(page, "html.parser")
    found: dict[str, dict[str, list[str]]] = {"": {}}
    for letter, _, said in rows(soup.select_one("table")):
        add(found[""], letter, said)
    for heading in soup.select("h3 a[href$='.html']"):
        chapter = found.setdefault(heading["href"].removesuffix(".html"), {})
        own = list(rows(heading.find_parent("section").select_one("table")))
        for letter, _, said in own:
            add(chapter, letter, said)
        for letter in chapter.keys() - {letter for letter, bare, _ in own if bare}:
            for said in found[""].get(letter, []):
                add(chapter, letter, said)
    return found


def add(letters: dict[str, list[str]], letter: str, said: str) -> None:
    if said not in letters.setdefault(letter, []):
        letters[letter].append(said)


def equations(page: str) -> dict[str, str]:
    """Each numbered equation of a page, by its anchor."""
    return {
        one["id"]: UNWANTED.sub("", one["inside"]).strip()
        for pattern in (EQUATION, LINE)
        for one in pattern.finditer(page)
    }


def write_previews(app: Sphinx, error: Exception | None) -> None:
    """Write what all pages may show into one script, which a page loads when it is first needed."""
    if error is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    links: dict[str, str] = {}
    for docname in sorted(app.env.found_docs):
        page = (site / f"{docname}.html").read_text(encoding="utf-8")
        readers = {"glossary": glossary, "references": citations}
        found = readers.get(docname, equations)(page)
        links |= {f"{docname}.html#{anchor}": shown for anchor, shown in found.items()}
    notation = site / "notation.html"
    letters = symbols(notation.read_text(encoding="utf-8")) if notation.exists() else {}
    content = json.dumps({"links": links, "symbols": letters}, ensure_ascii=False)
    (site / "_static" / FILE).write_text(f"window.previewData = {content};\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_previews)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
