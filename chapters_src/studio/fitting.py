"""Making axes fit a narrow panel: room for what they are labelled with, and text that wraps.

Everything that is changed goes with the way back on an `ExitStack`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

LEAST_TEXT = 8.0  # points
FLATTEST, TALLEST = 0.72, 1.25  # height over width of axes, unless their author made them lower still
LEAST_SHARE = 0.4  # of a panel's width, for the axes themselves


class Sides(NamedTuple):
    """How far labels reach beyond their axes, in points."""

    left: float = 30.0
    bottom: float = 24.0
    right: float = 8.0
    top: float = 18.0


@dataclass(eq=False)
class Unit:
    """Axes that belong together, the main one first: a colour bar or a twin goes where it goes."""

    axes: list[Axes]
    authors: list[Bbox]  # where their author had them, in points
    # words of the figure that belong here, and where their author had them
    extras: list[tuple[Text, tuple[float, float]]] = field(default_factory=list)
    wide: float = 0.0  # what the panel may take
    height: float = 0.0
    sides: Sides = field(default_factory=Sides)
    frame: Bbox = field(default_factory=Bbox.null)  # the main axes in the panel

    @property
    def box(self) -> Bbox:
        """The whole panel, labels included."""
        (left, bottom, right, top), s = self.frame.extents, self.sides
        return Bbox.from_extents(left - s.left, bottom - s.bottom, right + s.right, top + s.top)

    @property
    def width(self) -> float:
        """What the panel leaves for the main axes."""
        return max(self.wide - self.sides.left - self.sides.right, LEAST_SHARE * self.wide)

    def good_height(self) -> float:
        """Keep the author's proportions, but never so flat that a curve cannot be read."""
        author = self.authors[0]
        height = self.width * author.height / author.width
        if self.axes[0].get_aspect() == "auto":
            height = max(height, min(author.height, FLATTEST * self.width))
        return min(height, TALLEST * self.width)

    def put(self, fig: Figure, left: float, bottom: float) -> None:
        """Set the main axes, and the others as they stood to them."""
        self.frame = Bbox.from_bounds(left + self.sides.left, bottom, self.width, self.height)
        size = 72 * fig.get_size_inches()
        for ax, author in zip(self.axes, self.authors, strict=True):
            ax.set_position(Bbox(_followed(author, self.authors[0], self.frame).get_points() / size))
        for text, at in self.extras:
            text.set_position(_followed(Bbox([at, at]), self.authors[0], self.frame).p0 / size)

    def reach(self, renderer: RendererBase) -> Sides:
        """How far everything that is drawn reaches beyond the main axes now."""
        drawn = [ax.get_tightbbox(renderer) for ax in self.axes]
        drawn += [text.get_window_extent(renderer) for text, _ in self.extras]
        box, frame = Bbox.union([self.frame, *(one for one in drawn if one is not None)]), self.frame
        return Sides(
            frame.x0 - box.x0 + 2, frame.y0 - box.y0 + 2, box.x1 - frame.x1 + 4, box.y1 - frame.y1 + 4
        )


def _followed(box: Bbox, old: Bbox, new: Bbox) -> Bbox:
    """Where ``box`` is when ``old`` becomes ``new``: inside at the same share, outside as far as before."""

    def edge(value: float, low: float, high: float, start: float, end: float) -> float:
        if value < low:
            return start - (low - value)
        if value > high:
            return end + (value - high)
        return start + (value - low) / (high - low) * (end - start)

    xs = [edge(x, old.x0, old.x1, new.x0, new.x1) for x in (box.x0, box.x1)]
    ys = [edge(y, old.y0, old.y1, new.y0, new.y1) for y in (box.y0, box.y1)]
    return Bbox.from_extents(xs[0], ys[0], xs[1], ys[1])


def keep_positions(unit: Unit, undo: ExitStack) -> None:
    """Bring axes and words back to where they are now."""
    for text, _ in unit.extras:
        undo.callback(text.set_position, text.get_position())
    for ax in unit.axes:
        for which in ("active", "original"):
            box = ax.get_position(original=which == "original").frozen()
            undo.callback(ax.set_position, box, which=which)


def label_ticks(ax: Axes, undo: ExitStack) -> None:
    """Show the tick labels that a figure leaves to a neighbour which is now a drawing of its own."""
    for axis, side, shared in (
        (ax.xaxis, "labelbottom", ax.get_shared_x_axes()),
        (ax.yaxis, "labelleft", ax.get_shared_y_axes()),
    ):
        labelled = axis.get_tick_params().get(side, True)
        if len(shared.get_siblings(ax)) > 1 and axis.get_visible() and not labelled:
            name: Any = axis.axis_name
            undo.callback(ax.tick_params, name, **{side: False})
            ax.tick_params(name, **{side: True})


def fit_text(text: Text, undo: ExitStack) -> None:
    """Make text as large as a reader needs."""
    size = text.get_fontproperties().get_size_in_points()
    if size < LEAST_TEXT:
        undo.callback(text.set_fontsize, size)
        text.set_fontsize(LEAST_TEXT)


def wrap(text: Text, width: Callable[[], float], undo: ExitStack) -> None:
    """Break text into lines of at most ``width`` points, whatever it says by then."""
    undo.callback(text.set_rotation_mode, text.get_rotation_mode())
    undo.callback(text.set_wrap, text.get_wrap())
    undo.callback(vars(text).pop, "_get_wrap_line_width")
    text.set_wrap(True)
    # Formulas are left whole: a part of one is none.
    vars(text)["_get_wrap_line_width"] = lambda: float("inf") if "$" in text.get_text() else width()


def wrap_labels(unit: Unit, undo: ExitStack) -> None:
    """Break titles and axis labels where the panel ends."""
    for ax in unit.axes:
        for title in (ax.title, ax._left_title, ax._right_title):  # type: ignore[attr-defined]
            wrap(title, lambda: unit.wide - unit.sides.left - 2, undo)
        wrap(ax.xaxis.label, lambda: unit.wide - 2, undo)
        wrap(ax.yaxis.label, lambda: unit.height + 10, undo)


def fit_legend(unit: Unit, renderer: RendererBase, undo: ExitStack) -> None:
    """Set the entries of a legend that is wider than its axes one below the other."""
    for ax in unit.axes:
        legend = ax.get_legend()
        if legend is None or legend._ncols == 1:  # type: ignore[attr-defined]
            continue
        if legend.get_window_extent(renderer).width > unit.frame.width:
            undo.callback(setattr, ax, "legend_", legend)
            labels = [text.get_text() for text in legend.get_texts()]
            place, title = legend._loc, legend.get_title().get_text()  # type: ignore[attr-defined]
            look = {"prop": legend.prop, "frameon": legend.get_frame_on()}
            handles = [handle for handle in legend.legend_handles if handle is not None]
            ax.legend(handles, labels, loc=place, title=title, **look)


def lay_label(ax: Axes, undo: ExitStack) -> None:
    """Write the label of a low row from left to right."""
    label = ax.yaxis.label
    undo.callback(
        label.set,
        rotation=label.get_rotation(),
        ha=label.get_horizontalalignment(),
        va=label.get_verticalalignment(),
    )
    label.set(rotation=0, ha="right", va="center")
