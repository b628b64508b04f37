"""A small SVG renderer for matplotlib that can draw one artist at a time.

Coordinates are whole tenths of a point and relative, so that frames which differ little compress well; house
colours become CSS variables, so that one drawing serves light, dark and print.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D, Bbox
from PIL import Image

from chapters_src.studio.inks import Inks
from chapters_src.studio.paths import circle_radius, path_data

UNIT = 10  # SVG units a point
HAIR = 0.4 * UNIT  # as far as this the ends of grid lines may reach beyond the axes: nobody sees it


class SvgRenderer(RendererBase):
    """Draws artists as SVG text. Clip rectangles and marker shapes are shared; all else is self-contained."""

    def __init__(self, fig: Figure, name: str, colours: Mapping[str, str]) -> None:
        super().__init__()
        fig.set_dpi(72)  # so that a pixel is a point
        self.width, self.height = fig.get_size_inches() * 72
        self.name = name
        self._inks = Inks(colours, UNIT)
        self._shapes: dict[str, str] = {}  # definitions shared by all fragments: SVG with {key} in it → key
        self._flip = Affine2D().scale(UNIT, -UNIT).translate(0, UNIT * self.height)
        self._parts: list[str] = []
        self._every_point = False

    def fragment(self, artist: Artist) -> str:
        """Return the SVG of one artist, or of a whole figure."""
        self._parts = []
        artist.draw(self)
        return "".join(self._parts)

    def every_point_of(self, line: Artist) -> str:
        """Return the SVG of a line with all its points, even those that nobody would miss."""
        self._every_point = True
        try:
            return self.fragment(line)
        finally:
            self._every_point = False

    def with_slots(self, drawn: Iterable[Artist], slots: Sequence[Artist]) -> list[str | int]:
        """Draw all but ``slots``: pieces of SVG, and the index of a slot where it belongs."""
        pieces: list[str | int] = []

        def leave_out(index: int) -> Callable[[RendererBase], None]:
            def draw(_renderer: RendererBase) -> None:
                pieces.extend(["".join(self._parts), index])
                self._parts = []

            return draw

        self._parts = []
        try:
            for index, artist in enumerate(slots):
                vars(artist)["draw"] = leave_out(index)
            for artist in drawn:
                artist.draw(self)
        finally:
            for artist in slots:
                vars(artist).pop("draw", None)
        return [*pieces, "".join(self._parts)]

    def definitions(self) -> str:
        """Return the shapes that fragments refer to; one drawing of a page serves them all."""
        return "".join(shape.format(key=key) for shape, key in self._shapes.items())

    def place(self, points: np.ndarray) -> np.ndarray:
        """Return points of the figure, in points from its lower left corner, in the units of the SVG."""
        return np.rint(self._flip.transform(points)).astype(int)

    def svg(self, body: str, box: Bbox, alt: str) -> str:
        """Wrap what is drawn inside ``box`` in an ``<svg>``; without ``alt`` another one speaks for it."""
        left, top = self.place(np.array([[box.x0, box.y1]]))[0]
        size = f"{round(UNIT * box.width)} {round(UNIT * box.height)}"
        name = f'role="img" aria-label="{escape(alt)}"' if alt else 'aria-hidden="true"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {size}" {name}>{body}</svg>'

    # What matplotlib asks of a renderer.

    def get_canvas_width_height(self) -> tuple[float, float]:
        return self.width, self.height

    def draw_path(self, gc: Any, path: Any, transform: Any, rgbFace: Any = None) -> None:
        line = rgbFace is None and not self._every_point
        paper = (-UNIT, -UNIT, UNIT * (self.width + 1), UNIT * (self.height + 1))
        drawn = path.cleaned(
            transform + self._flip,
            remove_nans=True,
            clip=paper if line else None,
            simplify=path.should_simplify and line,
            curves=True,
        )
        if len(drawn.vertices) < 2 or drawn.codes[0] == Path.STOP:
            return
        if gc.get_hatch() is not None:
            raise ValueError(
                "draw_path: hatch must be None: say it with colour, line style or marker; got a hatch"
            )
        fill, stroke = self._inks.fill(gc, rgbFace), self._inks.stroke(gc)
        if fill != "fill:none" or stroke:
            places = drawn.vertices[~np.isin(drawn.codes, (Path.CLOSEPOLY, Path.STOP))]
            clip = self._clip(gc, places, self._inks.reach(gc))
            self._parts.append(f'<path d="{path_data(drawn)}" style="{fill}{stroke}"{clip}/>')

    def draw_markers(
        self, gc: Any, marker_path: Any, marker_trans: Any, path: Any, trans: Any, rgbFace: Any = None
    ) -> None:
        places = path.cleaned(trans + self._flip, remove_nans=True)
        inside = np.abs(places.vertices) <= UNIT * (self.width + self.height)
        keep = (inside.all(axis=1) | self._every_point) & (places.codes != Path.STOP)
        spots = np.rint(places.vertices[keep]).astype(int)
        shape = marker_path.cleaned(marker_trans + Affine2D().scale(UNIT, -UNIT), curves=True)
        fill, stroke = self._inks.fill(gc, rgbFace), self._inks.stroke(gc)
        clip = self._clip(gc, spots, self._inks.reach(gc) + np.abs(shape.vertices).max())
        if not self._inks.is_one(gc, rgbFace):  # copies that overlap must be drawn one after the other
            key = self._shared(f'<path id="{{key}}" d="{path_data(shape)}"/>')
            copies = "".join(f'<use href="#{key}" x="{x}" y="{y}"/>' for x, y in spots.tolist())
            self._parts.append(f'<g style="{fill}{stroke}"{clip}>{copies}</g>')
            return
        radius = circle_radius(marker_path.transformed(marker_trans))
        look = fill + stroke
        if radius and fill != "fill:none":  # a dot is a line of no length with round ends
            data = "".join(f"M{x} {y}h0" for x, y in spots.tolist())
            wide = UNIT * (2 * radius + (gc.get_linewidth() if stroke else 0))
            look = (
                f"fill:none;stroke:{self._inks.colour(rgbFace)};stroke-width:{wide:.3g};stroke-linecap:round"
            )
        elif radius:  # a ring is two arcs
            r = round(UNIT * radius)
            arcs = f"a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z"
            data = "".join(f"M{x - r} {y}{arcs}" for x, y in spots.tolist())
        else:
            data = "".join(path_data(Path(shape.vertices + spot, shape.codes)) for spot in spots)
        self._parts.append(f'<path d="{data}" style="{look}"{clip}/>')

    def draw_image(self, gc: Any, x: Any, y: Any, im: Any, transform: Any = None) -> None:
        if transform is None:  # resampled by matplotlib
            corners = np.array([[0, 0], im.shape[1::-1]]) / self.get_image_magnification()
        else:  # one pixel a number, from (0, 0) to (1, 1) of the transform: the browser makes it large
            corners = transform.transform([[0, 0], [1, 1]])
        (left, low), (right, high) = corners + np.array([x, y])
        pixels = im[:: -1 if high > low else 1, :: -1 if right < left else 1]
        grey = (pixels[..., 3] == 255).all() and (pixels[..., :3] == pixels[..., :1]).all()
        buffer = io.BytesIO()
        Image.fromarray(pixels[..., 0] if grey else pixels).save(buffer, format="png", optimize=True)
        data = base64.b64encode(buffer.getvalue()).decode()
        place = np.rint(UNIT * np.array([min(left, right), self.height - max(low, high)])).astype(int)
        size = np.rint(UNIT * np.abs([right - left, high - low])).astype(int)
        look = ' style="image-rendering:pixelated"' if transform is not None else ""
        clip = self._clip(gc, np.array([place, place + size]))
        self._parts.append(
            f'<image x="{place[0]}" y="{place[1]}" width="{size[0]}" height="{size[1]}" '
            f'preserveAspectRatio="none" href="data:image/png;base64,{data}"{look}{clip}/>'
        )

    def option_scale_image(self) -> bool:
        return True

    def get_image_magnification(self) -> float:
        return 2.0

    def draw_text(
        self, gc: Any, x: Any, y: Any, s: str, prop: Any, angle: Any, ismath: Any = False, mtext: Any = None
    ) -> None:
        size = prop.get_size_in_points()
        if ismath:
            vertices, codes = text_to_path.get_text_path(prop, s, ismath=True)
            scale = UNIT * size / text_to_path.FONT_SCALE
            place = Affine2D().scale(scale, -scale).rotate_deg(-angle).translate(UNIT * x, UNIT * y)
            if len(vertices):
                data = path_data(Path(vertices, codes).transformed(place))
                self._parts.append(f'<path d="{data}" style="{self._inks.fill(gc, gc.get_rgb())}"/>')
            return
        # The reader's font may be wider or narrower than ours: anchor the text where matplotlib aligned it.
        share = {"center": 0.5, "right": 1.0}.get(mtext.get_horizontalalignment() if mtext else "left", 0.0)
        wide = self.get_text_width_height_descent(s, prop, False)[0] * share
        turn = np.deg2rad(angle)
        left, base = round(UNIT * (x + wide * np.cos(turn))), round(UNIT * (y - wide * np.sin(turn)))
        anchor = {0.5: ' text-anchor="middle"', 1.0: ' text-anchor="end"'}.get(share, "")
        rotate = f' transform="rotate({-angle:g} {left} {base})"' if angle else ""
        weight = ";font-weight:bold" if prop.get_weight() in ("bold", 700) else ""
        self._parts.append(
            f'<text x="{left}" y="{base}"{anchor}{rotate} '
            f'style="font:{UNIT * size:g}px DejaVu Sans,Verdana,sans-serif{weight};'
            f'{self._inks.fill(gc, gc.get_rgb())}">{escape(s)}</text>'
        )

    def _clip(self, gc: Any, points: np.ndarray, reach: float = 0.0) -> str:
        """Cut what is drawn within ``reach`` of ``points`` at the clip, where it crosses it.

        A browser keeps account of every clip at every step of an explorer: most drawings need none.
        """
        path, transform = gc.get_clip_path()
        box = gc.get_clip_rectangle()
        if path is not None:
            outline = path.transformed(transform + self._flip)
        elif box is not None:
            outline = Path.unit_rectangle().transformed(
                Affine2D().scale(box.width, box.height).translate(box.x0, box.y0) + self._flip
            )
            corners = np.asarray(outline.vertices)
            beyond = np.maximum(corners.min(axis=0) - points, points - corners.max(axis=0))
            if (beyond + reach <= HAIR).all():
                return ""
        else:
            return ""
        key = self._shared(f'<clipPath id="{{key}}"><path d="{path_data(outline)}"/></clipPath>')
        return f' clip-path="url(#{key})"'

    def _shared(self, shape: str) -> str:
        return self._shapes.setdefault(shape, f"{self.name}-{len(self._shapes)}")
