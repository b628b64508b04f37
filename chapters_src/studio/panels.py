"""A figure as panels: each of its axes a drawing of its own, laid out for the width of a phone.

A page sets panels side by side or one below the other; they are stored once and never made smaller. While a
figure is arranged, its axes stand in one long row; afterwards it is as its author made it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from chapters_src.studio.fitting import (
    Sides,
    Unit,
    fit_legend,
    fit_text,
    keep_positions,
    label_ticks,
    lay_label,
    wrap_labels,
)
from chapters_src.studio.loose import give_away, strips
from chapters_src.studio.svg import SvgRenderer

WIDE = 225.0  # points: at 11 pixels for the smallest text 309 pixels, which a phone of 360 has to give
SMALL = 108.0  # of many panels each: two stand side by side on a phone
MANY, CROWD = 4, 20  # more panels than these are small; more than those are one sheet of thumbnails
GAP = 60.0  # points between panels while they are drawn


@dataclass(frozen=True)
class Panel:
    """What is drawn together, in this order, and the part of the figure it fills, in points."""

    artists: tuple[Artist, ...]
    box: Bbox


@dataclass(frozen=True)
class Group:
    """Panels that stand side by side, or one below the other, where there is room."""

    direction: Literal["row", "column"]
    parts: tuple[Group | Unit, ...]


@dataclass(frozen=True)
class Drawing:
    """The panels of a figure and how they stand: an index, or a direction and what stands in it."""

    panels: tuple[Panel, ...]
    order: int | tuple


def whole(fig: Figure) -> Drawing:
    """The figure as one panel, as its author laid it out."""
    width, height = fig.get_size_inches() * 72
    return Drawing((Panel((fig,), Bbox.from_bounds(0, 0, width, height)),), 0)


@contextmanager
def arranged(fig: Figure, states: Callable[[], Iterable[object]] = lambda: [None]) -> Iterator[Drawing]:
    """Lay the figure out as panels for the time of the context; its size and positions come back after it.

    ``states`` runs through what the figure may show; room is made for all of it.
    """
    renderer = SvgRenderer(fig, "", {})
    fig.draw(renderer)  # settles the layout of the author
    with ExitStack() as undo:
        undo.callback(fig.set_size_inches, *fig.get_size_inches())
        for text in fig.findobj(Text):
            fit_text(text, undo)
        if len(fig.axes) > CROWD:
            for ax in fig.axes:
                lay_label(ax, undo)
            fig.set_size_inches(*fig.get_size_inches() * WIDE / 72 / fig.get_figwidth())
            fig.draw(renderer)
            yield whole(fig)
            return
        units = _units(fig, renderer)
        if units is None:
            yield whole(fig)
            return
        undo.callback(fig.set_layout_engine, fig.get_layout_engine())
        fig.set_layout_engine("none")
        tree = _cut(units)
        _fit(fig, tree, units, states, renderer, undo)
        panels = [Panel((*unit.axes, *(text for text, _ in unit.extras)), unit.box) for unit in units]
        order = _order(tree, units)
        for artist, box, above in strips(fig, GAP / 2, 2.6 * WIDE, WIDE, renderer, undo):
            order = ("column", (len(panels), order) if above else (order, len(panels)))
            panels.append(Panel((artist,), box))
        yield Drawing(tuple(panels), order)


def _units(fig: Figure, renderer: SvgRenderer) -> list[Unit] | None:
    """The axes that belong together; ``None`` if the figure cannot be taken apart."""
    if not fig.axes or fig.subfigs or fig.lines or fig.patches or fig.images or fig.artists:
        return None
    if any(map(_joins, fig.findobj())) or any(len(_explained(ax)) > 1 for ax in fig.axes):
        return None
    units: list[Unit] = []
    for ax in fig.axes:
        partners = {*_explained(ax), *ax._twinned_axes.get_siblings(ax)}  # type: ignore[attr-defined]
        home = next((unit for unit in units if partners & set(unit.axes)), None)
        if home is None:
            home = Unit([], [])
            units.append(home)
        home.axes.append(ax)
        home.authors.append(ax.get_window_extent().frozen())
    return units if give_away(fig, units, renderer) else None


def _explained(ax: Axes) -> list[Axes]:
    """The axes whose colours a colour bar explains."""
    return getattr(ax, "_colorbar_info", {}).get("parents", [])


def _joins(artist: Artist) -> bool:
    """Whether an artist stands across axes."""
    if isinstance(artist, Annotation):
        coordinates = (artist.xycoords, artist.anncoords)
        return any(isinstance(one, str) and one.startswith(("figure", "subfigure")) for one in coordinates)
    return getattr(artist, "axesA", None) is not getattr(artist, "axesB", None)


def _cut(units: list[Unit]) -> Group | Unit:
    """Cut between axes, into rows first, then these into columns, as deep as it goes."""
    if len(units) == 1:
        return units[0]
    for direction in ("column", "row"):
        strips = _strips(units, direction)
        if len(strips) > 1:
            if direction == "column" and all(len(strip) > MANY for strip in strips):
                break  # rows that no phone holds: one long row, to be wrapped anywhere
            return Group(direction, tuple(map(_cut, strips)))
    return Group("row", tuple(units))


def _strips(units: list[Unit], direction: str) -> list[list[Unit]]:
    def span(unit: Unit) -> tuple[float, float]:
        box = unit.authors[0]
        return (-box.y1, -box.y0) if direction == "column" else (box.x0, box.x1)

    strips: list[list[Unit]] = []
    end = float("-inf")
    for unit in sorted(units, key=span):
        if span(unit)[0] >= end - 1:
            strips.append([])
        strips[-1].append(unit)
        end = max(end, span(unit)[1])
    return strips


def _rows(tree: Group | Unit) -> list[list[Unit]]:
    """Units that stand side by side."""
    if isinstance(tree, Unit):
        return [[tree]]
    beside = [part for part in tree.parts if isinstance(part, Unit)] if tree.direction == "row" else []
    rest = [row for part in tree.parts if part not in beside for row in _rows(part)]
    return [beside, *rest] if beside else rest


def _fit(
    fig: Figure,
    tree: Group | Unit,
    units: list[Unit],
    states: Callable[[], Iterable[object]],
    renderer: SvgRenderer,
    undo: ExitStack,
) -> None:
    rows = _rows(tree)
    for row in rows:
        for unit in row:
            unit.wide = _width(len(row), len(units), 72 * fig.get_figwidth())
    for unit in units:
        keep_positions(unit, undo)
        for ax in unit.axes:
            label_ticks(ax, undo)
        wrap_labels(unit, undo)
    fig.set_size_inches(len(units) * (WIDE + GAP) / 72, 4 * WIDE / 72)
    for attempt in range(4):
        for row in rows:
            tallest = max(unit.good_height() for unit in row)
            for unit in row:
                unit.height = tallest
        for index, unit in enumerate(units):
            unit.put(fig, index * (WIDE + GAP) + GAP / 2, WIDE)
            fit_legend(unit, renderer, undo)
        # The last two times with all that may be shown.
        reaches = [[unit.reach(renderer) for unit in units] for _ in (states() if attempt > 1 else [None])]
        for unit, *sides in zip(units, *reaches, strict=True):
            unit.sides = Sides(*map(max, *sides, sides[0]))
    for row in rows:  # what stands side by side has one height
        bottom, top = (max(getattr(unit.sides, side) for unit in row) for side in ("bottom", "top"))
        for unit in row:
            unit.sides = unit.sides._replace(bottom=bottom, top=top)


def _width(abreast: int, together: int, author: float) -> float:
    """The width of a panel, in points, among so many in its row and in the figure."""
    if together <= MANY or abreast == 1:
        return min(WIDE, author / abreast)
    return WIDE / 3 if abreast == 3 else SMALL


def _order(tree: Group | Unit, units: list[Unit]) -> int | tuple:
    if isinstance(tree, Unit):
        return units.index(tree)
    return tree.direction, tuple(_order(part, units) for part in tree.parts)
