"""A figure drawn in panels, of which only what moves is drawn again; and its panels as boxes of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from chapters_src.studio.panels import Drawing
from chapters_src.studio.svg import SvgRenderer

PIXELS = 1.375  # CSS pixels a point at the least: the smallest text, of 8 points, has 11 pixels
GROWTH = 1.5  # how much larger a panel may become where there is room
WIDEST = 231.0  # points: 318 pixels, all that a phone of 360 leaves inside an explorer
HINT = '<p class="studio-hint" aria-hidden="true">⟷ The drawing is wider than the page: scroll it.</p>'


class Stage:
    """The drawing of a figure. matplotlib marks what changes as stale, and that is all the bookkeeping."""

    def __init__(self, fig: Figure, drawing: Drawing, name: str, colours: Mapping[str, str]) -> None:
        self.drawing = drawing
        self.renderer = SvgRenderer(fig, name, colours)
        self.moving: list[Artist] = []
        self.fragments: list[str] = []
        self._leaves = [artist for artist in fig.findobj() if not artist.get_children()]
        self._draw_panels()

    def _draw_panels(self) -> None:
        self._pieces = [self.renderer.with_slots(panel.artists, self.moving) for panel in self.drawing.panels]

    def step(self, update: Callable[[], str]) -> str:
        """Take one step, draw what it changed and return what it said."""
        for leaf in self._leaves:
            leaf.stale = False
        words = update()
        changed = [leaf for leaf in self._leaves if leaf.stale]
        known = {id(artist): index for index, artist in enumerate(self.moving)}
        new = [artist for artist in changed if id(artist) not in known]
        if new:
            known |= {id(artist): len(self.moving) + index for index, artist in enumerate(new)}
            self.moving += new
            self.fragments += [""] * len(new)
            self._draw_panels()
        for artist in changed:
            self.fragments[known[id(artist)]] = self.renderer.fragment(artist)
        return words

    def assembled(self) -> list[str]:
        """Return every panel as put together from its pieces."""
        return ["".join(p if isinstance(p, str) else self.fragments[p] for p in ps) for ps in self._pieces]

    def fresh(self) -> list[str]:
        """Return every panel drawn anew."""
        return ["".join(map(self.renderer.fragment, panel.artists)) for panel in self.drawing.panels]

    def panel_of(self, artist: Artist) -> int:
        """Return the index of the panel that shows ``artist``."""
        alone = len(self.drawing.panels) == 1
        return 0 if alone else next(i for i, p in enumerate(self.drawing.panels) if artist in p.artists)

    def html(self, alt: str) -> str:
        """Return the panels in boxes that a page sets side by side where there is room."""
        return _boxes(self.drawing, self.svgs(alt))

    def svgs(self, alt: str) -> list[str]:
        """Return every panel, each moving artist in a group of its own; the first one speaks for all."""
        bodies = [
            "".join(
                piece if isinstance(piece, str) else f'<g data-slot="{piece}">{self.fragments[piece]}</g>'
                for piece in pieces
            )
            for pieces in self._pieces
        ]
        bodies[0] = f"<defs>{self.renderer.definitions()}</defs>{bodies[0]}"
        return [
            self.renderer.svg(body, panel.box, "" if index else alt)
            for index, (body, panel) in enumerate(zip(bodies, self.drawing.panels, strict=True))
        ]


def _boxes(drawing: Drawing, svgs: list[str]) -> str:
    def box(order: int | tuple) -> tuple[str, float, float]:
        """Return the HTML, and the least and the most pixels across."""
        if isinstance(order, int):
            least = PIXELS * drawing.panels[order].box.width
            attributes = f'class="studio-panel" data-panel="{order}"'
            return _div(attributes, svgs[order], least=least, most=GROWTH * least)
        parts = [box(part) for part in order[1]]
        inner = "".join(part[0] for part in parts)
        widths = [part[1] for part in parts], [part[2] for part in parts]
        least, most = map(sum if order[0] == "row" else max, widths)
        if order[0] == "row" and all(isinstance(part, int) for part in order[1]):
            cell = max(part[1] for part in parts)
            return _div('class="studio-grid"', inner, least=least, most=most, cell=cell)
        return _div(f'class="studio-{order[0]}"', inner, least=least, most=most)

    html = box(drawing.order)[0]
    if any(panel.box.width > WIDEST for panel in drawing.panels):
        frame = 'class="studio-panels studio-wide" tabindex="0" role="group" aria-label="A wide drawing"'
        return f"<div {frame}>{html}</div>{HINT}"
    return f'<div class="studio-panels">{html}</div>'


def _div(attributes: str, inner: str, **sizes: float) -> tuple[str, float, float]:
    style = ";".join(f"--{name}:{size:.0f}px" for name, size in sizes.items())
    return f'<div {attributes} style="{style}">{inner}</div>', sizes["least"], sizes["most"]
