"""Time along a stored path: the browser plays it, and it costs no frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.lines import Line2D

from chapters_src.studio.controls import Choice, Slider


class ExplorerError(RuntimeError):
    """An update function that breaks the rules which make its frames exact."""


@dataclass(frozen=True)
class Trail:
    """What ``control`` does: reveal ``lines`` point by point, and move ``points`` along.

    At step k, counted from the lowest, a line must show its first k + 1 points (all of them if it has fewer),
    and each of ``points`` is a line of one point. Nothing else may depend on the control but the words.
    """

    control: str
    lines: Sequence[Line2D] = ()
    points: Sequence[Line2D] = ()

    def check(self, controls: Mapping[str, Slider | Choice]) -> None:
        """Raise if the trail does not fit its explorer."""
        control = controls.get(self.control)
        if not isinstance(control, Slider) or control.scale != "integer":
            raise ValueError(
                f"Trail: control must name a Slider with scale='integer' among {sorted(controls)}; "
                f"got {self.control!r}"
            )
        if not self.lines and not self.points:
            raise ValueError("Trail: lines or points must be given, at least one; got none")
        for artist in (*self.lines, *self.points):
            if not isinstance(artist, Line2D):
                raise ValueError(f"Trail: lines and points must be what ax.plot returns; got {artist!r}")

    def paths(self) -> list[np.ndarray]:
        """Return the points of its lines now, then of its points."""
        return [np.array(artist.get_xydata(), dtype=float) for artist in (*self.lines, *self.points)]

    def verify(self, title: str, seen: Sequence[Sequence[np.ndarray]]) -> None:
        """Raise `ExplorerError` if the paths seen at each step, the lowest first, are no trail."""
        last, revealed = seen[-1], len(self.lines)
        rule = None
        if not all(np.isfinite(path).all() for paths in seen for path in paths):
            rule = "every point of a trail must be finite"
        elif any(len(path) != 1 for paths in seen for path in paths[revealed:]):
            rule = "each of a trail's points must be a line of one point"
        elif all(np.array_equal(a, b) for paths in seen for a, b in zip(paths, last, strict=True)):
            rule = f"{self.control} must move something along the trail"
        for k, paths in enumerate(seen):
            if rule is None and not all(
                np.array_equal(path, full[: k + 1])
                for full, path in zip(last[:revealed], paths[:revealed], strict=True)
            ):
                rule = f"after {k} steps each line of the trail must show its first {k + 1} points"
        if rule is not None:
            self.refuse(title, rule)

    def refuse(self, title: str, rule: str) -> None:
        """Say which rule of trails an explorer breaks."""
        raise ExplorerError(f"Explorer {title!r}: {rule}")
