"""matplotlib's paths in the words of SVG."""

from __future__ import annotations

import numpy as np
from matplotlib.path import Path

# a path code: its letter in SVG, and how many points it takes
SEGMENTS = {int(Path.LINETO): ("l", 1), int(Path.CURVE3): ("q", 2), int(Path.CURVE4): ("c", 3)}


def path_data(path: Path) -> str:
    """Return a path's ``d`` attribute: absolute moves, everything else relative."""
    vertices: np.ndarray = np.rint(path.vertices).astype(int)
    lines = [int(Path.MOVETO)] + [int(Path.LINETO)] * (len(vertices) - 1)
    codes: list[int] = lines if path.codes is None else np.asarray(path.codes).tolist()
    parts: list[str] = []
    here, start, i, letter = vertices[0], vertices[0], 0, ""
    points, steps = vertices.tolist(), np.diff(vertices, axis=0, prepend=vertices[:1]).tolist()
    while i < len(codes):
        code = codes[i]
        if code == Path.STOP:
            break
        if code == Path.MOVETO:
            parts.append(f"M{points[i][0]} {points[i][1]}")
            here = start = vertices[i]
            letter, i = "", i + 1
        elif code == Path.CLOSEPOLY:
            parts.append("z")
            here, letter, i = start, "", i + 1
        elif code == Path.LINETO and letter == "l":
            parts.append(f" {steps[i][0]} {steps[i][1]}")
            here, i = vertices[i], i + 1
        else:
            letter, count = SEGMENTS[code]
            numbers = " ".join(map(str, (vertices[i : i + count] - here).ravel().tolist()))
            parts.append(letter + numbers)
            here, i = vertices[i + count - 1], i + count
    return "".join(parts)


def circle_radius(path: Path) -> float | None:
    """The radius of a path that is matplotlib's circle about 0."""
    circle, points = np.asarray(Path.unit_circle().vertices), np.asarray(path.vertices)
    radius = float(np.abs(points).max())
    same = points.shape == circle.shape and np.allclose(points, radius * circle)
    return radius if same else None
