"""An explorer as a page plays it back: every frame as data, the controls as HTML."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from chapters_src.studio.controls import Choice, Slider
from chapters_src.studio.stage import Stage
from chapters_src.studio.touch import Handle, Pick
from chapters_src.studio.trail import Trail

if TYPE_CHECKING:
    from chapters_src.studio.explorer import Explorer

MOST_FRAMES = 1000  # what a page can carry


def positions(control: Slider | Choice, trail: bool = False) -> list:
    """What the site offers; time along a trail is offered step by step, however many there are."""
    if trail and isinstance(control, Slider):
        return list(range(int(control.low), int(control.high) + 1))
    return control.grid()


def states(controls: Mapping[str, Slider | Choice], trail: Trail | None) -> Iterator[dict[str, Any]]:
    """Yield the state of every frame, the last control fastest, a trail at its end."""
    grids = [
        positions(control, True)[-1:] if trail and name == trail.control else control.grid()
        for name, control in controls.items()
    ]
    for values in itertools.product(*grids):
        yield dict(zip(controls, values, strict=True))


def count_frames(controls: Mapping[str, Slider | Choice], trail: Trail | None) -> int:
    """Return how many frames the site must store."""
    return math.prod(
        len(control.grid()) for name, control in controls.items() if not (trail and name == trail.control)
    )


class Table:
    """Entries that many frames share, each stored once."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}
        self.index: list[int] = []

    def add(self, entry: Any) -> None:
        self.index.append(self._known.setdefault(entry, len(self._known)))

    def packed(self) -> list:
        return [list(self._known), self.index]


def record(explorer: Explorer, stage: Stage) -> dict[str, Any]:
    """Return every frame of the explorer as data for the page."""
    recorded = _record_once(explorer, stage)
    if len(recorded["slots"]) < len(stage.moving):  # something moved late: now that it is known, begin again
        recorded = _record_once(explorer, stage)
    return recorded


def _record_once(explorer: Explorer, stage: Stage) -> dict[str, Any]:
    trail, controls = explorer.trail, explorer.controls
    slots, words = [Table() for _ in stage.moving], Table()
    handles = [one for one in explorer.touch if isinstance(one, Handle)]
    spots: list[list[int]] = [[] for _ in handles]
    runs = [Table() for _ in trail.points] if trail else []
    for state in states(controls, trail):
        if trail:
            for table, run in zip(runs, _walk(explorer, stage, trail, state, words), strict=True):
                table.add(run)
        frame = explorer.frame(**state)
        fragments = list(frame.fragments)
        if trail:
            for artist in trail.lines:
                fragments[_slot(stage, artist)] = stage.renderer.every_point_of(artist)
        else:
            words.add(frame.words)
        for table, fragment in zip(slots, fragments, strict=False):
            table.add(fragment)
        for spot, handle in zip(spots, handles, strict=True):
            spot += stage.renderer.place(handle.place(state)).tolist()
    names = list(controls)
    data: dict[str, Any] = {
        "sizes": [len(positions(c, bool(trail) and n == trail.control)) for n, c in controls.items()],  # type: ignore[union-attr]
        "slots": [table.packed() for table in slots],
        "words": words.packed(),
    }
    if trail:
        data["trail"] = {
            "control": names.index(trail.control),
            "lines": [_slot(stage, artist) for artist in trail.lines],
            "points": [
                [_slot(stage, artist), *run.packed()] for artist, run in zip(trail.points, runs, strict=True)
            ],
        }
    if explorer.touch:
        data["handles"] = [
            {
                "panel": stage.panel_of(handle.axes),  # type: ignore[arg-type]
                "controls": [names.index(name) for name in handle.names],
                "spots": spot,
            }
            for handle, spot in zip(handles, spots, strict=True)
        ]
        data["picks"] = [
            {
                "panel": stage.panel_of(one.axes),
                "control": names.index(one.control),
                "targets": [
                    [kind, stage.renderer.place(points).ravel().tolist()] for kind, points in one.places()
                ],
            }
            for one in explorer.touch
            if isinstance(one, Pick)
        ]
    return data


def _slot(stage: Stage, artist: Any) -> int:
    return next(index for index, one in enumerate(stage.moving) if one is artist)


def _walk(explorer: Explorer, stage: Stage, trail: Trail, state: dict, words: Table) -> list[tuple]:
    """Walk a trail from its first step to its last; return the way of each of its points."""
    seen = []
    steps = positions(explorer.controls[trail.control], True)
    ends = [explorer.frame(**state | {trail.control: steps[at]}).fragments for at in (0, -1)]
    own = {id(artist) for artist in (*trail.lines, *trail.points)}
    for artist, *drawn in zip(stage.moving, *ends, strict=False):
        if id(artist) not in own and drawn[0] != drawn[1]:
            trail.refuse(explorer.title, f"nothing but the trail may depend on {trail.control}; got {artist}")
    for value in steps:
        words.add(explorer.step(state | {trail.control: value}))
        seen.append(trail.paths())
    trail.verify(explorer.title, seen)
    ways = []
    for index, artist in enumerate(trail.points, start=len(trail.lines)):
        path = np.concatenate([paths[index] for paths in seen])
        places = stage.renderer.place(artist.axes.transData.transform(path))  # type: ignore[union-attr]
        ways.append(tuple(places.ravel().tolist()))
    return ways


def page(explorer: Explorer, stage: Stage, data: Mapping[str, Any]) -> str:
    """Return the explorer's figure as HTML, in its default state."""
    explorer.frame(**explorer.default)
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    key, title = explorer.key, escape(explorer.title)
    controls = "".join(_control(explorer, name) for name in explorer.controls)
    return (
        f'<figure class="studio-explorer" id="explorer-{key}" aria-labelledby="title-{key}">'
        f'<figcaption class="studio-title" id="title-{key}">{title}</figcaption>'
        f'<div class="studio-controls">{controls}</div>'
        f'<div class="studio-drawing">{stage.html(explorer.alt)}</div>'
        f'{_grip(explorer)}<p class="studio-words" aria-live="polite">{escape(explorer.words)}</p>'
        f'<script type="application/json">{packed}</script></figure>'
    )


def _grip(explorer: Explorer) -> str:
    """Say what can be done in the drawing itself."""
    kinds = {type(one) for one in explorer.touch}
    ways = [way for kind, way in ((Handle, "drag the ring"), (Pick, "click what you want")) if kind in kinds]
    return f'<p class="studio-grip">In the drawing: {" or ".join(ways)}.</p>' if ways else ""


def _control(explorer: Explorer, name: str) -> str:
    control, key = explorer.controls[name], f"{explorer.key}-{name}"
    grid: list = positions(control, bool(explorer.trail) and name == explorer.trail.control)  # type: ignore[union-attr]
    at, texts = grid.index(control.value), [control.text(value) for value in grid]
    label = f'<label for="{key}">{escape(control.label)}</label>'
    if isinstance(control, Choice):
        options = "".join(
            f'<option value="{i}"{" selected" if i == at else ""}>{escape(text)}</option>'
            for i, text in enumerate(texts)
        )
        return f'<div class="studio-control">{label}<select id="{key}">{options}</select></div>'
    play = f'<button type="button" class="studio-play" aria-label="Play {escape(control.label)}"></button>'
    return (
        f'<div class="studio-control">{label}'
        f'<input type="range" id="{key}" min="0" max="{len(grid) - 1}" value="{at}" '
        f"data-texts='{escape(json.dumps(texts, ensure_ascii=False))}' aria-valuetext=\"{texts[at]}\">"
        f'<output for="{key}">{texts[at]}</output>{play if control.play else ""}</div>'
    )
