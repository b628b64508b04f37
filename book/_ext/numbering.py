"""Numbers that begin anew in each chapter: equation (3.2), figure 3.4, and links that show them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from folds import code_cells

# The last line of a derivation that has a label, as chapters_src/studio writes it.
LABELLED_LINE = re.compile(r'<li class="studio-line"[^>]* data-label="(?P<label>eq-[\w-]+)"[^>]*>')
KIND = re.compile(r"^(Picture|Figure|Explorer|Plot)(, [\w ]+)?: *", re.I)


@dataclass
class Numbered:
    """What a page numbers, in reading order."""

    equations: list[str] = field(default_factory=list)
    figures: list[tuple[str, str]] = field(default_factory=list)  # id and caption


def collected(env: BuildEnvironment) -> dict[str, Numbered]:
    if not hasattr(env, "every_line_numbered"):
        env.every_line_numbered = {}
    return env.every_line_numbered


def caption_of(title: str) -> str:
    """A figure's caption from the title of its cell."""
    words = re.sub(r", (its|the) (controls|handles)$", "", KIND.sub("", title)).strip()
    return words[:1].upper() + words[1:]


def has_picture(cell: nodes.container) -> bool:
    """Whether the cell shows a figure or an explorer."""
    if not {"tag_figure", "tag_explorer"} & set(cell["classes"]) or "title" not in cell:
        return False
    drawn = any(one.get("mime_type") == "image/png" for one in cell.findall(nodes.container))
    return drawn or any("<figure" in one.astext() for one in cell.findall(nodes.raw))


def figure_name(docname: str, caption: str, taken: set[str]) -> str:
    """A label such as ``fig-descent-two-walkers``, once per page."""
    chapter = docname.rpartition("/")[2].replace("_", "-")
    name = base = nodes.make_id(f"fig-{chapter}-{' '.join(caption.split()[:6])}")
    again = 2
    while name in taken:
        name, again = f"{base}-{again}", again + 1
    return name


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """Note the equations and figures of a page in reading order, and give each figure its caption."""
    found = collected(app.env)[app.env.docname] = Numbered()
    pictures = {id(cell): cell for cell in code_cells(doctree) if has_picture(cell)}
    for node in list(doctree.findall()):
        if isinstance(node, nodes.math_block) and node.get("label"):
            found.equations.append(node["label"])
        elif isinstance(node, nodes.raw):
            found.equations += [one["label"] for one in LABELLED_LINE.finditer(node.astext())]
        elif id(node) in pictures:
            caption = caption_of(node["title"])
            name = figure_name(app.env.docname, caption, {one for one, _ in found.figures})
            found.figures.append((name, caption))
            node += nodes.paragraph("", caption, classes=["figure-caption"], ids=[name])
    for label in found.equations:
        app.env.get_domain("math").data["objects"].setdefault(label, (app.env.docname, 0))


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    collected(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    collected(env).update({name: collected(other)[name] for name in docnames if name in collected(other)})


def reading_order(env: BuildEnvironment, docname: str) -> Iterator[str]:
    """The page and those below it in the table of contents."""
    yield docname
    for child in env.toctree_includes.get(docname, []):
        yield from reading_order(env, child)


def chapters(env: BuildEnvironment) -> list[str]:
    """The chapters in reading order: the pages that are notebooks."""
    order = dict.fromkeys(reading_order(env, env.config.root_doc))
    return [name for name in order if env.doc2path(name).endswith(".ipynb")]


def number(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Give out the numbers, once all pages are read."""
    equations, labels = env.get_domain("math").data["objects"], env.get_domain("std")
    for chapter, docname in enumerate(chapters(env), start=1):
        found = collected(env).get(docname, Numbered())
        for k, label in enumerate(found.equations, start=1):
            equations[label] = (docname, f"{chapter}.{k}")
        for k, (name, _) in enumerate(found.figures, start=1):
            labels.data["labels"][name] = (docname, name, f"Figure {chapter}.{k}")
            labels.data["anonlabels"][name] = (docname, name)
    return []


def write_numbers(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the numbers where the page shows them."""
    equations = app.env.get_domain("math").data["objects"]
    labels = app.env.get_domain("std").data["labels"]
    for block in doctree.findall(nodes.math_block):
        if block.get("label") in equations:
            block["number"] = equations[block["label"]][1]
    for caption in doctree.findall(nodes.paragraph):
        if "figure-caption" in caption["classes"] and caption["ids"]:
            words = labels[caption["ids"][0]][2]
            caption.insert(0, nodes.inline("", f"{words}.", classes=["figure-number"]))
            caption.insert(1, nodes.Text(" "))
    for raw in doctree.findall(nodes.raw):
        if "studio-line" in raw.astext():
            marked = LABELLED_LINE.sub(
                lambda found: found[0] + line_number(found["label"], equations), raw.astext()
            )
            raw.children, raw.rawsource = [nodes.Text(marked)], marked


def line_number(label: str, equations: dict[str, tuple[str, Any]]) -> str:
    """The number of a derivation's line, which is also what links to the equation lead to."""
    return f'<span class="eqno" id="equation-{label}">({equations[label][1]})</span>'


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", collect, priority=600)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("env-updated", number)
    app.connect("doctree-resolved", write_numbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
