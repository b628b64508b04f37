"""How a line or an area looks, in the words of CSS: house colours are variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.colors import to_hex


class Inks:
    """Writes matplotlib's graphics contexts as CSS, ``unit`` CSS units a point."""

    def __init__(self, colours: Mapping[str, str], unit: int) -> None:
        self._variable = {value: f"var(--studio-{key},{value})" for key, value in colours.items()}
        self._unit = unit

    def colour(self, rgb: Sequence[float]) -> str:
        """A colour, as a variable where the house has a name for it."""
        code = to_hex((rgb[0], rgb[1], rgb[2]))
        return self._variable.get(code, code)

    def fill(self, gc: Any, rgb: Sequence[float] | None) -> str:
        """The filling of an area."""
        opacity = 0.0 if rgb is None else _opacity(gc, rgb)
        if rgb is None or opacity == 0:
            return "fill:none"
        return f"fill:{self.colour(rgb)}" + (f";fill-opacity:{opacity:.3g}" if opacity < 1 else "")

    def stroke(self, gc: Any) -> str:
        """The drawing of a line; empty if nothing of it can be seen."""
        width, rgb = gc.get_linewidth(), gc.get_rgb()
        opacity = _opacity(gc, rgb)
        if width == 0 or opacity == 0:
            return ""
        look = f";stroke:{self.colour(rgb)};stroke-width:{self._unit * width:.3g}"
        offset, dashes = gc.get_dashes()
        if dashes is not None:
            look += f";stroke-dasharray:{' '.join(f'{self._unit * dash:.3g}' for dash in dashes)}"
            look += f";stroke-dashoffset:{self._unit * offset:.3g}" if offset else ""
        if opacity < 1:
            look += f";stroke-opacity:{opacity:.3g}"
        if (join := gc.get_joinstyle()) != "miter":
            look += f";stroke-linejoin:{join}"
        if (cap := {"projecting": "square"}.get(gc.get_capstyle(), gc.get_capstyle())) != "butt":
            look += f";stroke-linecap:{cap}"
        return look

    def is_one(self, gc: Any, rgb: Sequence[float] | None) -> bool:
        """Whether fill and stroke are opaque and of one colour: the order of copies cannot be seen then."""
        colours = [
            colour for colour in (rgb, gc.get_rgb() if gc.get_linewidth() else None) if colour is not None
        ]
        inks = {(self.colour(colour), _opacity(gc, colour)) for colour in colours}
        return len({ink for ink in inks if ink[1]}) == 1 and all(opacity in (0, 1) for _, opacity in inks)

    def reach(self, gc: Any) -> float:
        """How far a stroke reaches beyond the line it follows."""
        return self._unit * gc.get_linewidth() / 2


def _opacity(gc: Any, rgb: Sequence[float]) -> float:
    if gc.get_forced_alpha():
        return gc.get_alpha()
    return rgb[3] if len(rgb) > 3 else 1.0
