"""What the studio's own SVG renderer is worth: time and bytes of frames, against matplotlib's."""

from __future__ import annotations

import gzip
import io
import re
import time
from collections.abc import Callable

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

from chapters_src.studio import figure, style
from chapters_src.studio.panels import whole
from chapters_src.studio.stage import Stage

TITLE = "Frames of a two-panel explorer as SVG: `studio/svg.py` against matplotlib's renderer"
HEADER = ("how", "time a frame", "bytes a frame", "gzipped, a frame", "gzipped, all frames together")
FRAMES = 60


def explorer() -> tuple[Figure, list[Artist], Callable[[int], str]]:
    """A path on contours and its heights, as in the chapter on descent."""
    fig, (left, right) = figure(1, 2)
    x, y = np.meshgrid(np.linspace(-3, 3, 80), np.linspace(-2, 2, 80))
    left.contour(x, y, x**2 + 4 * y**2, levels=12, colors=style.muted, linewidths=0.7)
    right.set(xlim=(0, 40), ylim=(1e-6, 1e3), yscale="log")
    (path,) = left.plot([], [], "o-", ms=3)
    (curve,) = right.plot([], [])
    note = right.text(20, 100, "")

    def update(frame: int) -> str:
        rate = 0.01 + 0.2 * frame / FRAMES
        points = np.array([2.4, 1.1]) * np.array([1 - 2 * rate, 1 - 8 * rate]) ** np.arange(40)[:, None]
        path.set_data(*points.T)
        curve.set_data(np.arange(40), points[:, 0] ** 2 + 4 * points[:, 1] ** 2)
        note.set_text(f"rate {rate:.3f}")
        return "A step."

    return fig, [path, curve, note], update


def ours() -> list[str]:
    """The fragments that the site stores."""
    fig, _, update = explorer()
    fig.draw_without_rendering()
    stage = Stage(fig, whole(fig), "x", style.COLOURS)
    stage.step(lambda: update(0))
    return _each(lambda frame: (stage.step(lambda: update(frame)), "".join(stage.fragments))[1])


def matplotlib_artists() -> list[str]:
    """The same artists, one at a time, by matplotlib's renderer."""
    fig, artists, update = explorer()
    fig.set_dpi(72)
    fig.draw_without_rendering()

    def draw(frame: int) -> str:
        update(frame)
        text = io.StringIO()
        renderer = RendererSVG(*fig.get_size_inches() * 72, text, image_dpi=72)
        start = text.tell()
        for artist in artists:
            artist.draw(renderer)
        text.seek(start)
        return text.read()

    return _each(draw)


def matplotlib_whole() -> list[str]:
    """The whole figure anew in every frame, as ``savefig`` writes it."""
    fig, _, update = explorer()

    def draw(frame: int) -> str:
        update(frame)
        text = io.StringIO()
        fig.savefig(text, format="svg", metadata={"Date": None})
        return re.sub(r"^.*?<svg", "<svg", text.getvalue(), flags=re.S)

    return _each(draw)


def _each(draw: Callable[[int], str]) -> list[str]:
    return [draw(frame) for frame in range(FRAMES)]


def rows() -> list[tuple[str, ...]]:
    """Return a row of text for each way of drawing all frames."""
    mpl.rcParams["svg.fonttype"] = "none"  # text as text, as ours has it
    found = []
    for name, run in (
        ("only what moves, studio/svg.py", ours),
        ("only what moves, matplotlib's SVG renderer", matplotlib_artists),
        ("the whole figure, savefig", matplotlib_whole),
    ):
        run()
        start = time.perf_counter()
        frames = run()
        seconds = (time.perf_counter() - start) / FRAMES
        alone = sum(len(gzip.compress(frame.encode())) for frame in frames) / FRAMES
        together = len(gzip.compress("".join(frames).encode()))
        size = sum(map(len, frames)) / FRAMES
        found.append(
            (name, f"{1e3 * seconds:.1f} ms", f"{size:,.0f}", f"{alone:,.0f}", f"{together / 1e3:.1f} kB")
        )
    return found
