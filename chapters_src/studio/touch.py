"""What a reader can take hold of in a drawing: a point to drag, and bars, cells or curves to click."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from chapters_src.studio.controls import Choice, Slider

MOST_POSITIONS = 15  # of each of the two controls of a handle, so that an explorer keeps its thousand frames


@dataclass(frozen=True)
class Handle:
    """A point of ``axes`` to drag; it sets the controls ``x`` and ``y`` to the position nearest the pointer.

    The point is where the values of the controls are on the axes; if it moves along one axis alone, ``at`` is
    its place on the other (the middle unless said). If the controls are something else than coordinates, say
    where the point is: ``at`` as a function of controls that returns (x, y), or ``marker``, a line of one
    point that ``update`` moves.
    """

    x: str | None = None
    y: str | None = None
    axes: Axes | None = None
    at: float | Callable[..., tuple[float, float]] | None = None
    marker: Line2D | None = None

    def __post_init__(self) -> None:
        if self.axes is None and self.marker is not None:
            object.__setattr__(self, "axes", self.marker.axes)

    @property
    def names(self) -> list[str]:
        """The controls it moves."""
        return [name for name in (self.x, self.y) if name is not None]

    def check(self, controls: Mapping[str, Slider | Choice], axes: Sequence[Axes]) -> None:
        """Raise if the handle does not fit its explorer."""
        if not self.names:
            raise ValueError("Handle: x or y must name the control it moves; got neither")
        _check_place("Handle", self.names, self.axes, controls, axes)
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"Handle: x and y must name two different controls; got {self.x!r} twice")
        if self.marker is not None and (self.at is not None or self.marker.axes is not self.axes):
            raise ValueError("Handle: marker must be a line of the handle's axes, given without at")
        if callable(self.at):
            unknown = [name for name in inspect.signature(self.at).parameters if name not in controls]
            if unknown:
                raise ValueError(
                    f"Handle: at must be a function of controls {sorted(controls)}; got {unknown}"
                )
        for name in self.names:
            if isinstance(controls[name], Choice) and self.marker is None and not callable(self.at):
                raise ValueError(f"Handle: {name} must be a Slider, or at say where it is; got a Choice")
            count = len(controls[name].grid())
            if len(self.names) == 2 and count > MOST_POSITIONS:
                raise ValueError(
                    f"Handle: {name} must have at most {MOST_POSITIONS} positions (Slider(points=…)) "
                    f"beside a second control; got {count}"
                )

    def place(self, state: Mapping[str, Any]) -> np.ndarray:
        """Return where the handle is now, in points of the figure."""
        assert self.axes is not None  # as checked
        middle = self.axes.transData.inverted().transform(self.axes.transAxes.transform((0.5, 0.5)))
        if self.marker is not None:
            point = np.asarray(self.marker.get_xydata(), dtype=float)[-1]
        elif callable(self.at):
            point = np.array(self.at(**{name: state[name] for name in inspect.signature(self.at).parameters}))
        else:
            other = middle if self.at is None else (self.at, self.at)
            point = np.array([state[self.x] if self.x else other[0], state[self.y] if self.y else other[1]])
        # A point beyond the edge of its axes is held at the edge, where it can be seen.
        box = self.axes.bbox
        return np.clip(self.axes.transData.transform(point.astype(float)), box.min, box.max)


@dataclass(frozen=True)
class Pick:
    """Places of ``axes`` to click, one for every position of ``control``, in the order of its positions.

    A target is a point (x, y), a box (x0, y0, x1, y1), or a curve as an array of points.
    """

    control: str
    axes: Axes
    targets: Sequence[Any]

    def check(self, controls: Mapping[str, Slider | Choice], axes: Sequence[Axes]) -> None:
        """Raise if the targets do not fit their explorer."""
        _check_place("Pick", [self.control], self.axes, controls, axes)
        count = len(controls[self.control].grid())
        if len(self.targets) != count:
            raise ValueError(
                f"Pick: targets must be one for each of the {count} positions of {self.control!r}; "
                f"got {len(self.targets)}"
            )
        for target in self.targets:
            shape = np.shape(target)
            if shape not in ((2,), (4,)) and not (len(shape) == 2 and shape[1] == 2):
                raise ValueError(
                    f"Pick: targets must be (x, y), (x0, y0, x1, y1) or an n × 2 array; got shape {shape}"
                )

    def places(self) -> list[tuple[str, np.ndarray]]:
        """Return each target's kind and its points in points of the figure."""
        found = []
        for target in self.targets:
            points = np.asarray(target, dtype=float).reshape(-1, 2)
            found.append(
                ("box" if np.shape(target) == (4,) else "line", self.axes.transData.transform(points))
            )
        return found


def _check_place(
    kind: str,
    names: Sequence[str],
    ax: Axes | None,
    controls: Mapping[str, Slider | Choice],
    axes: Sequence[Axes],
) -> None:
    for name in names:
        if name not in controls:
            raise ValueError(f"{kind}: {name!r} must be one of the controls {sorted(controls)}")
    if ax not in axes:
        raise ValueError(f"{kind}: axes must be axes of the explorer's figure; got {ax!r}")
