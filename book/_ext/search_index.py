"""Search by section: pagefind's index of what a page says in words, without TeX and without code."""

from __future__ import annotations

import asyncio
import html
import shutil
from pathlib import Path

from docutils import nodes
from pagefind.index import IndexConfig, PagefindIndex
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

from formulas import words

FOLDER = "pagefind"
READY_MADE = ("pagefind-*ui.*", "pagefind-highlight.js")  # search.js is our own
SPOKEN = (nodes.paragraph, nodes.term)
SILENT = (nodes.raw, nodes.literal_block, nodes.math_block, nodes.comment)


def sentence(node: nodes.Node) -> str:
    """A paragraph's words, its formulas as plain letters where they are short."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, pending_xref) and node["refdomain"] == "cite":
        return ""  # not yet an author and a year, but a key
    if isinstance(node, nodes.math):
        return words(node.astext())
    return "".join(map(sentence, node.children))


def of_section(section: nodes.Element, level: int) -> str:
    """A section and those inside it as bare HTML: headings with their anchors, and paragraphs."""
    parts = []
    for child in section.children:
        if isinstance(child, nodes.title) and isinstance(section, nodes.section):
            anchor = section["ids"][0]
            parts.append(f'<h{level} id="{html.escape(anchor)}">{html.escape(sentence(child))}</h{level}>')
        elif isinstance(child, nodes.section):
            parts.append(of_section(child, min(level + 1, 6)))
        elif isinstance(child, (nodes.title, *SPOKEN)):  # the title of a box has no anchor
            parts.append(f"<p>{html.escape(' '.join(sentence(child).split()))}</p>")
        elif isinstance(child, nodes.Element) and not isinstance(child, SILENT):
            parts.append(of_section(child, level))
    return "".join(parts)


def page_for_index(doctree: nodes.document, title: str) -> str:
    """A page as the index reads it."""
    head = f"<head><title>{html.escape(title)}</title></head>"
    return f'<html lang="en">{head}<body><main>{of_section(doctree, 1)}</main></body></html>'


async def index(pages: dict[str, str], output: Path) -> None:
    config = IndexConfig(output_path=str(output), keep_index_url=True)
    async with PagefindIndex(config=config) as made:
        for url, content in pages.items():
            await made.add_html_file(content=content, url=url)


def write_index(app: Sphinx, error: Exception | None) -> None:
    """Index all pages of the table of contents."""
    if error is not None or app.builder.format != "html":
        return
    env = app.env
    pages = {
        f"{name}.html": page_for_index(env.get_doctree(name), env.titles[name].astext())
        for name in sorted(env.found_docs)
    }
    folder = Path(app.outdir) / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    asyncio.run(index(pages, folder))
    for pattern in READY_MADE:
        for path in folder.glob(pattern):
            path.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
