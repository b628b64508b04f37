"""What a figure says outside its axes: words of one panel, titles and legends of all."""

from __future__ import annotations

from contextlib import ExitStack

from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox, IdentityTransform

from chapters_src.studio.fitting import Unit, wrap


def give_away(fig: Figure, units: list[Unit], renderer: RendererBase) -> bool:
    """Give every text of the figure to the panel it stands at; False if one stands across several."""
    shared = {id(text) for text in _titles(fig)}
    for text in fig.texts:
        if id(text) in shared:
            continue
        box = text.get_window_extent(renderer)
        crossed = [unit for unit in units if box.x0 < unit.authors[0].x1 and box.x1 > unit.authors[0].x0]
        rows = [(unit.authors[0].y0, unit.authors[0].y1) for unit in crossed]
        side_by_side = any(a[0] < b[1] and b[0] < a[1] for i, a in enumerate(rows) for b in rows[:i])
        if side_by_side or text.get_transform() is not fig.transFigure:
            return False
        middle = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        home = min(crossed or units, key=lambda unit: _distance(unit.authors[0], middle))
        home.extras.append((text, tuple(fig.transFigure.transform(text.get_position()))))
    return True


def _distance(box: Bbox, point: tuple[float, float]) -> float:
    return max(box.x0 - point[0], point[0] - box.x1, 0) + max(box.y0 - point[1], point[1] - box.y1, 0)


def _titles(fig: Figure) -> list[Text]:
    names = ("_suptitle", "_supxlabel", "_supylabel")
    return [text for name in names if isinstance(text := getattr(fig, name, None), Text)]


def strips(
    fig: Figure, left: float, bottom: float, wide: float, renderer: RendererBase, undo: ExitStack
) -> list[tuple[Text | Legend, Bbox, bool]]:
    """Set what belongs to all panels in places of their own; each with its box, and whether it goes first."""
    found: list[tuple[Text | Legend, Bbox, bool]] = []
    width, height = 72 * fig.get_size_inches()
    everyone: list[Text | Legend] = [*fig.legends, *_titles(fig)]
    for one in everyone:
        if isinstance(one, Legend):
            undo.callback(setattr, one, "_bbox_to_anchor", one._bbox_to_anchor)  # type: ignore[attr-defined]
            undo.callback(setattr, one, "_loc", one._loc)  # type: ignore[attr-defined]
            one.set_loc("lower left")
            one.set_bbox_to_anchor((left, bottom), transform=IdentityTransform())
        else:
            look = {"ha": one.get_horizontalalignment(), "va": one.get_verticalalignment()}
            undo.callback(one.set, position=one.get_position(), rotation=one.get_rotation(), **look)
            one.set(position=(left / width, bottom / height), ha="left", va="bottom", rotation=0)
            wrap(one, lambda: wide, undo)
        box = one.get_window_extent(renderer).padded(3)
        found.append((one, box, one is fig._suptitle or isinstance(one, Legend)))  # type: ignore[attr-defined]
        bottom += box.height + 20
    return found
