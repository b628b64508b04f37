"""Folded cells: the author's ``# @title`` names the fold instead of standing in the code."""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

MARK = "# @title "


def code_cells(doctree: nodes.document) -> Iterator[nodes.container]:
    """The code cells of a page, in order."""
    return (one for one in doctree.findall(nodes.container) if one.get("nb_element") == "cell_code")


def fold_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Move each cell's title from its code to its fold; the cell keeps it as ``title``."""
    for cell in code_cells(doctree):
        for block in cell.findall(nodes.literal_block):
            first, _, rest = block.astext().partition("\n")
            if first.startswith(MARK) and "language" in block:
                cell["title"] = prompt = first.removeprefix(MARK)
                if "tag_solution" not in cell["classes"]:
                    prompt = f"Code: {prompt[0].lower()}{prompt[1:]}"
                cell["prompt_show"] = cell["prompt_hide"] = prompt
                block.children = [nodes.Text(rest.lstrip("\n"))]
                block.rawsource = rest.lstrip("\n")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", fold_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
