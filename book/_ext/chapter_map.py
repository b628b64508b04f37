"""The first page's map: every chapter with what it needs, its minutes and a picture; and routes."""

from __future__ import annotations

import html
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from chapter_facts import Facts, data, facts
from numbering import chapters

THUMBNAILS = "thumbnails"


class waiting(nodes.General, nodes.Element):
    """Where a map or the routes will stand once all chapters are known."""


class ChapterMap(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [waiting(what="map")]


class Routes(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [waiting(what="routes")]


def all_facts(app: Sphinx) -> dict[str, Facts]:
    """The facts of every chapter in reading order; a need that is no chapter of the book, or a later one,
    stops the build. It need not be in the contents: a page that is built alone needs others all the same.
    """
    folder = Path(app.srcdir)
    found = {name: facts(folder, name) for name in chapters(app.env)}
    place = {name: at for at, name in enumerate(found)}
    for name, one in found.items():
        late = [need for need in one.needs if place.get(need, -1) >= place[name]]
        if late:
            raise ExtensionError(f"{name} needs {late[0]}, which comes later")
        strange = [need for need in one.needs if not (folder / f"{need}.ipynb").exists()]
        if strange:
            raise ExtensionError(f"{name} needs {strange[0]}, which is no chapter of this book")
    return found


def everything_before(name: str, known: dict[str, Facts]) -> set[str]:
    """All that a chapter needs, and what that needs."""
    found: set[str] = set()
    ahead = [name]
    while ahead:
        for need in known[ahead.pop()].needs:
            if need in known and need not in found:
                found.add(need)
                ahead.append(need)
    return found


def name_of(docname: str) -> str:
    return docname.replace("/", "-").replace("_", "-")


def link(app: Sphinx, docname: str) -> str:
    return f'<a href="{docname}.html">{html.escape(app.env.titles[docname].astext())}</a>'


def card(app: Sphinx, docname: str, known: dict[str, Facts]) -> str:
    """One chapter on the map."""
    one = known[docname]
    needs = [link(app, need) for need in one.needs if need in known]
    said = f"needs {', '.join(needs)}" if needs else "needs no other chapter"
    before = " ".join(sorted(map(name_of, everything_before(docname, known))))
    picture = (
        f'<img src="_static/{THUMBNAILS}/{name_of(docname)}.png" alt="" width="320" height="160">'
        if one.thumbnail
        else ""
    )
    return (
        f'<li class="map-chapter" data-chapter="{name_of(docname)}" data-before="{before}">{picture}'
        f'<p class="map-title">{link(app, docname)}</p>'
        f'<p class="map-facts">{one.minutes} min · {said}</p></li>'
    )


def draw_map(app: Sphinx, known: dict[str, Facts]) -> str:
    """The chapters by part, in reading order."""
    parts: dict[str, list[str]] = {}
    for docname in known:
        parts.setdefault(docname.partition("/")[0], []).append(card(app, docname, known))
    captions, purposes = part_captions(app), data(Path(app.srcdir))["parts"]
    return "".join(
        f'<h3 class="map-part">{html.escape(captions[part])}</h3><p>{html.escape(purposes[part])}</p>'
        f'<ul class="map">{"".join(cards)}</ul>'
        for part, cards in parts.items()
    )


def part_captions(app: Sphinx) -> dict[str, str]:
    """The name of each part, from the table of contents."""
    named = {}
    for part in app.env.external_site_map.root.subtrees:
        for item in part.items:
            named.setdefault(str(item).partition("/")[0], part.caption or "")
    return named


def draw_routes(app: Sphinx, known: dict[str, Facts]) -> str:
    """For each wish, the chapters that lead there and how long they take."""
    rows = []
    for wish, goal in data(Path(app.srcdir))["routes"].items():
        if goal not in known:
            continue
        way = [name for name in known if name in everything_before(goal, known) | {goal}]
        hours = sum(known[name].minutes for name in way) / 60
        steps = " → ".join(link(app, name) for name in way)
        long = f'<span class="map-facts">{len(way)} chapters, about {hours:.0f} hours</span>'
        rows.append(
            f'<details class="route"><summary>“{html.escape(wish)}” {long}</summary><p>{steps}</p></details>'
        )
    return "".join(rows)


def draw(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the map and the routes in their places."""
    places = list(doctree.findall(waiting))
    if places:
        known = all_facts(app)
        for place in places:
            drawn = draw_map(app, known) if place["what"] == "map" else draw_routes(app, known)
            place.replace_self(nodes.raw("", drawn, format="html"))


def write_thumbnails(app: Sphinx, error: Exception | None) -> None:
    """Put the small pictures among the site's files."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_static" / THUMBNAILS
    folder.mkdir(exist_ok=True)
    for docname, one in all_facts(app).items():
        if one.thumbnail:
            (folder / f"{name_of(docname)}.png").write_bytes(one.thumbnail)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("chapter-map", ChapterMap)
    app.add_directive("chapter-routes", Routes)
    app.connect("doctree-resolved", draw)
    app.connect("build-finished", write_thumbnails)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
