"""Figures a reader can move: one Python function, alive in a kernel and alive on the static site.

The figure is drawn once. After that only the artists that ``update`` touches are drawn again; matplotlib
marks them stale, and that mark is all the bookkeeping there is. In a kernel a step draws those artists; for
the site the same steps are taken once for every position of the controls and stored as fragments of SVG.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any, NamedTuple

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from chapters_src.studio.controls import Choice, Slider
from chapters_src.studio.place import building_site
from chapters_src.studio.style import COLOURS, check_alt, png
from chapters_src.studio.svg import SvgRenderer

MOST_FRAMES = 1000  # what a page can carry


class ExplorerError(RuntimeError):
    """An update function that breaks the rules which make its frames exact."""


class Frame(NamedTuple):
    """One state of an explorer: the drawing of every moving artist, and what it shows in words."""

    fragments: tuple[str, ...]
    words: str


class Explorer:
    """A figure with controls.

    ``update`` gets the value of every control by name, moves artists of ``fig`` (``set_data``, ``set_text``,
    …) and returns a sentence that says what is to be seen now. It must set every artist it ever touches from
    its arguments alone, and leave axes limits as they are.
    """

    def __init__(
        self, title: str, fig: Figure, update: Callable[..., str], *, alt: str, **controls: Slider | Choice
    ):
        self.title = title
        self.figure = fig
        self.alt = check_alt("Explorer", alt)
        self.controls = controls
        self._update = update
        self._check_arguments()
        self.key = re.sub(r"\W+", "-", title.lower()).strip("-")
        name = "x" + hashlib.sha256(title.encode()).hexdigest()[:8]
        self._renderer = SvgRenderer(fig, name, COLOURS)
        self._moving: list[Artist] = []
        self._fragments: list[str] = []
        self._words = self._step(self.default)
        fig.draw(self._renderer)  # settles the layout …
        fig.set_layout_engine("none")  # … which must not shift while the reader moves something
        self._pieces = self._renderer.with_slots(fig, [])
        self._leaves = [artist for artist in fig.findobj() if not artist.get_children()]
        for state in self._corners():
            self.frame(**state)
        self.frame(**self.default)

    def _check_arguments(self) -> None:
        if not self.controls:
            raise ValueError("Explorer: controls must be given, at least one; got none")
        for name, control in self.controls.items():
            if not isinstance(control, Slider | Choice):
                raise ValueError(f"Explorer: {name} must be a Slider or a Choice; got {control!r}")
        expected = list(inspect.signature(self._update).parameters)
        if sorted(expected) != sorted(self.controls):
            raise ValueError(
                f"Explorer: update must take the controls {sorted(self.controls)} as arguments; "
                f"got {sorted(expected)}"
            )

    @property
    def default(self) -> dict[str, Any]:
        """The state in which the explorer is first seen."""
        return {name: control.value for name, control in self.controls.items()}

    def _corners(self) -> Iterator[dict[str, Any]]:
        """Every slider at both ends and every choice at all options, the others at their default."""
        for name, control in self.controls.items():
            grid = control.grid()
            for value in grid if isinstance(control, Choice) else (grid[0], grid[-1]):
                yield self.default | {name: value}

    def _step(self, state: Mapping[str, Any]) -> str:
        words = self._update(**state)
        if not isinstance(words, str) or not words.strip():
            raise ExplorerError(
                f"Explorer {self.title!r}: update must return a sentence on what is to be seen; got {words!r}"
            )
        return words

    def frame(self, **state: Any) -> Frame:
        """Move to a state and return its frame, drawing only what changed."""
        if set(state) != set(self.controls):
            raise ValueError(
                f"frame: state must name the controls {sorted(self.controls)}; got {sorted(state)}"
            )
        for leaf in self._leaves:
            leaf.stale = False
        self._words = self._step(state)
        changed = [leaf for leaf in self._leaves if leaf.stale]
        known = {id(artist): index for index, artist in enumerate(self._moving)}
        new = [artist for artist in changed if id(artist) not in known]
        if new:
            self._moving += new
            self._pieces = self._renderer.with_slots(self.figure, self._moving)
            self._fragments += [""] * len(new)
            known = {id(artist): index for index, artist in enumerate(self._moving)}
        for artist in changed:
            self._fragments[known[id(artist)]] = self._renderer.fragment(artist)
        return Frame(tuple(self._fragments), self._words)

    def svg(self) -> str:
        """Return the present state as one ``<svg>`` element, each moving artist in a group of its own."""
        body = [
            piece if isinstance(piece, str) else f'<g data-slot="{piece}">{self._fragments[piece]}</g>'
            for piece in self._pieces
        ]
        return self._renderer.svg(body, self.alt)

    def verify(self) -> None:
        """Raise `ExplorerError` if a frame is not what drawing the whole figure anew would show."""
        states = [self.default, *self._corners()]
        frames = [self.frame(**state) for state in states]
        for state, before in zip(reversed(states), reversed(frames), strict=True):
            after = self.frame(**state)
            if after.words != before.words or after.fragments[: len(before.fragments)] != before.fragments:
                raise ExplorerError(
                    f"Explorer {self.title!r}: update must depend on its arguments alone; "
                    f"at {state} it drew something else the second time"
                )
            pieces = (p if isinstance(p, str) else self._fragments[p] for p in self._pieces)
            if "".join(pieces) != self._renderer.fragment(self.figure):
                raise ExplorerError(
                    f"Explorer {self.title!r}: at {state} something moved that matplotlib was not told of; "
                    "update must use set_… methods, neither add nor remove artists and leave axes limits as "
                    "they are"
                )
        self.frame(**self.default)

    # On the site.

    def frames(self) -> Iterator[Frame]:
        """Yield the frame of every position of the controls, the last control fastest."""
        grids = [control.grid() for control in self.controls.values()]
        for values in itertools.product(*grids):
            yield self.frame(**dict(zip(self.controls, values, strict=True)))

    def html(self) -> str:
        """Return the explorer for the site: the default state, its controls, and every frame as data."""
        count = 1
        for control in self.controls.values():
            count *= len(control.grid())
        if count > MOST_FRAMES:
            raise ValueError(
                f"Explorer {self.title!r}: controls must have at most {MOST_FRAMES} positions together; "
                f"got {count}"
            )
        self.verify()
        frames = list(self.frames())
        slots = len(self._moving)
        if len(frames[0].fragments) < slots:  # something moved late: now that it is known, begin again
            frames = list(self.frames())
        tables: list[dict[str, int]] = [{} for _ in range(slots + 1)]
        indices: list[list[int]] = [[] for _ in range(slots + 1)]
        for frame in frames:
            for table, index, entry in zip(tables, indices, (*frame.fragments, frame.words), strict=True):
                index.append(table.setdefault(entry, len(table)))
        data = {
            "sizes": [len(c.grid()) for c in self.controls.values()],
            "tables": [*map(list, tables)],
            "indices": indices,
        }
        self.frame(**self.default)
        packed = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        return (
            f'<figure class="studio-explorer" id="explorer-{self.key}" aria-labelledby="title-{self.key}">'
            f'<figcaption class="studio-title" id="title-{self.key}">{escape(self.title)}</figcaption>'
            f'<div class="studio-controls">{"".join(map(self._control_html, self.controls))}</div>'
            f'<div class="studio-drawing" tabindex="0" role="group" '
            f'aria-label="{escape(self.title)}: picture">{self.svg()}</div>'
            f'<p class="studio-words" aria-live="polite">{escape(self._words)}</p>'
            f'<script type="application/json">{packed}</script></figure>'
        )

    def _control_html(self, name: str) -> str:
        control, key = self.controls[name], f"{self.key}-{name}"
        grid = control.grid()
        at, texts = grid.index(control.value), [control.text(value) for value in grid]  # type: ignore[arg-type]
        label = f'<label for="{key}">{escape(control.label)}</label>'
        if isinstance(control, Choice):
            options = "".join(
                f'<option value="{i}"{" selected" if i == at else ""}>{escape(text)}</option>'
                for i, text in enumerate(texts)
            )
            return f'<div class="studio-control">{label}<select id="{key}">{options}</select></div>'
        play = (
            f'<button type="button" class="studio-play" aria-label="Play {escape(control.label)}">▶</button>'
        )
        return (
            f'<div class="studio-control">{label}'
            f'<input type="range" id="{key}" min="0" max="{len(grid) - 1}" value="{at}" '
            f"data-texts='{escape(json.dumps(texts, ensure_ascii=False))}' aria-valuetext=\"{texts[at]}\">"
            f'<output for="{key}">{texts[at]}</output>{play if control.play else ""}</div>'
        )

    # In a kernel.

    def widget(self) -> Any:
        """Return the ipywidgets box: the controls above the figure and its words."""
        import ipywidgets

        holders, rows = {}, []
        for name, control in self.controls.items():
            holders[name], row = control.widgets()
            rows.append(ipywidgets.HBox(row))
        view = ipywidgets.HTML(self._view())

        def moved(_change: object) -> None:
            self.frame(**{name: holder.value for name, holder in holders.items()})
            view.value = self._view()

        for holder in holders.values():
            holder.observe(moved, names="value")
        return ipywidgets.VBox([ipywidgets.HTML(f"<b>{escape(self.title)}</b>"), *rows, view])

    def _view(self) -> str:
        return (
            f'<div style="background:#fff;color:#3d4451;max-width:52em;line-height:1.4">{self.svg()}'
            f'<p style="margin:.3em .6em" aria-live="polite">{escape(self._words)}</p></div>'
        )

    def __repr__(self) -> str:
        return f"[explorer: {self.title}. {self.alt} {self._words}]"

    def _repr_mimebundle_(self, **_: object) -> tuple[dict, dict]:
        self.frame(**self.default)
        if building_site():
            return {"text/html": self.html(), "text/plain": repr(self)}, {}
        view = {"version_major": 2, "version_minor": 0, "model_id": self.widget().model_id}
        bundle = {
            "application/vnd.jupyter.widget-view+json": view,
            "image/png": png(self.figure),
            "text/plain": repr(self),
        }
        return bundle, {"image/png": {"alt": self.alt}}
