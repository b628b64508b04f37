"""At the end of a chapter, the common slips that it clears up, each a link to its entry."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

PAGE = "slips"
LINK = re.compile(r"→ \[[^\]]+\]\((?P<chapter>[\w/]+)\.ipynb\)")


def by_chapter(text: str) -> dict[str, list[str]]:
    """The titles of the slips that lead to each chapter."""
    found: dict[str, list[str]] = {}
    for entry in re.split(r"(?m)^### ", text)[1:]:
        title = entry.partition("\n")[0].strip()
        for link in LINK.finditer(entry):
            found.setdefault(link["chapter"], []).append(title)
    return found


def list_slips(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Put the links behind the last paragraph."""
    path = Path(app.srcdir) / f"{PAGE}.md"
    titles = by_chapter(path.read_text(encoding="utf-8")).get(pagename, []) if path.exists() else []
    if titles and PAGE in app.env.found_docs and "body" in context:
        there = context["pathto"](PAGE)
        links = " · ".join(
            f'<a href="{there}#{nodes.make_id(title)}">{html.escape(title)}</a>' for title in titles
        )
        before, end, after = context["body"].rpartition("</section>")
        context["body"] = f'{before}<p class="slips-here">Common slips: {links}</p>\n{end}{after}'


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", list_slips)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
