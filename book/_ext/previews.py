"""What a link leads to, kept in one file of the site so that a page can show it beside the link."""

from __future__ import annotations

import json
import re
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


def symbols(page: str) -> dict[str, list[str]]:
    """The rows of the notation's first table that explain each letter."""
    table = BeautifulSoup(page, "html.parser").select_one("table")
    found: dict[str, list[str]] = {}
    for row in table.select("tbody tr") if table else []:
        cells = row.find_all("td")
        said = f"<p>{inside(cells[0].p)}: {inside(cells[-1].p)}</p>"
        letters = (
            one.get_text()
            for one in cells[0].select("mi")
            if one.find_previous_sibling() is None or one.parent.name != "msub"
        )
        for letter in dict.fromkeys(letters):
            found.setdefault(letter, []).append(said)
    return found


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
