"""The moving picture of the first page: a line learns to follow points while its loss rolls downhill."""

from __future__ import annotations

import json

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

WIDTH, HEIGHT = 320, 240
SCALE = 110  # pixels per unit, in both pictures
ALT = (
    "Two pictures side by side. On the left a line turns until it runs through a cloud of points; on the "
    "right a ball rolls down an oval valley, the loss of that line, to its lowest place."
)


def points() -> tuple[np.ndarray, np.ndarray]:
    """Points about a line, around the origin."""
    rng = np.random.default_rng(4)
    x = np.linspace(-1.1, 1.1, 15)
    y = 0.1 + 0.55 * x + 0.16 * rng.normal(size=x.size)
    return x, y


def picture() -> str:
    """Both drawings in their final state; hero.js moves them."""
    x, y = points()
    slope, level = np.polyfit(x, y, 1)
    spread = float(np.mean(x**2))
    dots = "".join(
        f'<circle cx="{SCALE * a:.1f}" cy="{-SCALE * b:.1f}" r="4.5"/>' for a, b in zip(x, y, strict=True)
    )
    ovals = "".join(
        f'<ellipse cx="{SCALE * level:.1f}" cy="{-SCALE * slope:.1f}" rx="{SCALE * r:.1f}" '
        f'ry="{SCALE * r / spread**0.5:.1f}"/>'
        for r in np.linspace(0.12, 1.5, 9)
    )
    numbers = json.dumps({"level": level, "slope": slope, "spread": spread, "scale": SCALE})
    view = f'viewBox="{-WIDTH / 2} {-HEIGHT / 2} {WIDTH} {HEIGHT}" aria-hidden="true"'
    left, top = SCALE * level - WIDTH / 2, -SCALE * slope - HEIGHT / 2
    centred = f'viewBox="{left:.1f} {top:.1f} {WIDTH} {HEIGHT}" aria-hidden="true"'
    line = (
        f'x1="-170" y1="{-SCALE * level + 170 * slope:.1f}" x2="170" y2="{-SCALE * level - 170 * slope:.1f}"'
    )
    ball = f'cx="{SCALE * level:.1f}" cy="{-SCALE * slope:.1f}"'
    return (
        f"<div class='hero' role='img' aria-label='{ALT}' data-problem='{numbers}'>"
        f'<svg {view} class="hero-points">{dots}<line {line}/></svg>'
        f'<svg {centred} class="hero-valley">{ovals}<polyline points=""/><circle {ball} r="7"/></svg></div>'
        '<button type="button" class="hero-pause" hidden>Pause the picture</button>'
    )


class Hero(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", picture(), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("hero", Hero)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
