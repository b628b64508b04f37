"""Figures a reader can move: one Python function, alive in a kernel and alive on the static site.

The figure is drawn once. After that only the artists that ``update`` touches are drawn again. In a kernel a
step draws those artists; for the site the same steps are taken once for every position of the controls and
stored as fragments of SVG.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from chapters_src.studio.building import building_site
from chapters_src.studio.controls import Choice, Slider
from chapters_src.studio.panels import arranged, whole
from chapters_src.studio.playback import MOST_FRAMES, count_frames, page, record
from chapters_src.studio.stage import Stage
from chapters_src.studio.style import COLOURS, check_alt, png
from chapters_src.studio.svg import SvgRenderer
from chapters_src.studio.touch import Handle, Pick
from chapters_src.studio.trail import ExplorerError, Trail


class Frame(NamedTuple):
    """One state of an explorer: the drawing of every moving artist, and what it shows in words."""

    fragments: tuple[str, ...]
    words: str


class Explorer:
    """A figure with controls.

    ``update`` gets the value of every control by name, moves artists of ``fig`` (``set_data``, ``set_text``,
    …) and returns a sentence that says what is to be seen now. It must set every artist it ever touches from
    its arguments alone, and leave axes limits as they are. ``touch`` says what can be dragged and clicked in
    the drawing, ``trail`` which control is time along a path.
    """

    def __init__(
        self,
        title: str,
        fig: Figure,
        update: Callable[..., str],
        *,
        alt: str,
        touch: Sequence[Handle | Pick] = (),
        trail: Trail | None = None,
        **controls: Slider | Choice,
    ):
        self.title = title
        self.figure = fig
        self.alt = check_alt("Explorer", alt)
        self.controls = controls
        self.touch = tuple(touch)
        self.trail = trail
        self._update = update
        self._check_arguments()
        self.key = re.sub(r"\W+", "-", title.lower()).strip("-")
        self._name = "x" + hashlib.sha256(title.encode()).hexdigest()[:8]
        self.words = self.step(self.default)
        fig.draw(SvgRenderer(fig, "", {}))  # settles the layout …
        fig.set_layout_engine("none")  # … which must not shift while the reader moves something
        self._stage = Stage(fig, whole(fig), self._name, COLOURS)
        for state in [*self._corners(), self.default]:
            self.frame(**state)

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
        for one in self.touch:
            if not isinstance(one, Handle | Pick):
                raise ValueError(f"Explorer: touch must hold Handles and Picks; got {one!r}")
            one.check(self.controls, self.figure.axes)
            if self.trail and self.trail.control in (one.names if isinstance(one, Handle) else [one.control]):
                raise ValueError(f"Explorer: touch must leave {self.trail.control!r} to the trail")
        if self.trail:
            self.trail.check(self.controls)
        count = count_frames(self.controls, self.trail)
        if count > MOST_FRAMES:
            raise ValueError(
                f"Explorer {self.title!r}: controls must have at most {MOST_FRAMES} positions together; "
                f"got {count}"
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

    def step(self, state: Mapping[str, Any]) -> str:
        """Move the artists to a state without drawing them; return what is to be seen."""
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
        self.words = self._stage.step(lambda: self.step(state))
        return Frame(tuple(self._stage.fragments), self.words)

    def verify(self) -> None:
        """Raise `ExplorerError` if a frame is not what drawing anew would show, or a control does nothing."""
        visited = [self.default, *self._corners()]
        frames = [self.frame(**state) for state in visited]
        for state, before in zip(reversed(visited), reversed(frames), strict=True):
            after = self.frame(**state)
            if after.words != before.words or after.fragments[: len(before.fragments)] != before.fragments:
                raise ExplorerError(
                    f"Explorer {self.title!r}: update must depend on its arguments alone; "
                    f"at {state} it drew something else the second time"
                )
            if self._stage.assembled() != self._stage.fresh():
                raise ExplorerError(
                    f"Explorer {self.title!r}: at {state} something moved that matplotlib was not told of; "
                    "update must use set_… methods, neither add nor remove artists and leave axes limits as "
                    "they are"
                )
        for name, state in self._neighbours():
            here = self.frame(**self.default).fragments
            if self.frame(**state).fragments == here:
                raise ExplorerError(
                    f"Explorer {self.title!r}: moving {name} from {self.default[name]} to {state[name]} must "
                    "change the drawing; nothing changed"
                )
        self.frame(**self.default)

    def _neighbours(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The states one position from the default, one control at a time."""
        for name, control in self.controls.items():
            grid = control.grid()
            at = grid.index(control.value)  # type: ignore[arg-type]
            for value in grid[max(at - 1, 0) : at] + grid[at + 1 : at + 2]:
                yield name, self.default | {name: value}

    # On the site.

    def html(self) -> str:
        """Return the explorer for the site: the default state, its controls, and every frame as data."""
        live = self._stage

        def shown() -> Iterator[None]:
            for state in [*self._corners(), self.default]:
                yield self._update(**state)  # type: ignore[misc]

        try:
            with arranged(self.figure, shown) as drawing:
                self._stage = Stage(self.figure, drawing, self._name, COLOURS)
                self.verify()
                return page(self, self._stage, record(self, self._stage))
        finally:
            self._stage = live
            self.frame(**self.default)

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
            '<div style="background:#fff;color:#3d4451;max-width:52em;line-height:1.4">'
            f'{self._stage.svgs(self.alt)[0]}<p style="margin:.3em .6em" aria-live="polite">'
            f"{escape(self.words)}</p></div>"
        )

    def __repr__(self) -> str:
        return f"[explorer: {self.title}. {self.alt} {self.words}]"

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
