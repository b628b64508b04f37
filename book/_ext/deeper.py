"""Folds for what a first reader may skip: a section whose heading begins with "Deeper" opens on request."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

MARK = "Deeper"
SUMMARY = "Show; a first reader may skip this"


def fold_deeper(app: Sphinx, doctree: nodes.document) -> None:
    """Put all of such a section below its heading into a ``<details>``; a link to it opens it."""
    for section in list(doctree.findall(nodes.section)):
        title = next(iter(section.findall(nodes.title)), None)
        if title is None or title.parent is not section or not title.astext().startswith(MARK):
            continue
        at = section.index(title)
        section.insert(at + 1, _raw(f'<details class="deeper"><summary>{SUMMARY}</summary>'))
        section.append(_raw("</details>"))


def _raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def setup(app: Sphinx) -> dict[str, bool]:
    # after claims have found their sentences and code its button
    app.connect("doctree-read", fold_deeper, priority=700)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
