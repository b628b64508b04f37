"""The house look of figures: colours that mean something, and a text alternative that cannot be left out."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.figure import Figure
from PIL import Image

from chapters_src.studio.building import building_site
from chapters_src.studio.panels import arranged
from chapters_src.studio.stage import Stage

ink = "#3d4451"  # data
model = "#0072b2"  # the model
truth = "#111111"  # what is true or best, always dashed
error = "#d55e00"  # errors and gradients
second = "#009e73"  # a second model
latent = "#8f5a9e"  # latent variables and posteriors
highlight = "#e69f00"  # where to look
muted = "#5f6672"  # axes, ticks and their labels
grid = "#dfe2e8"
paper = "#ffffff"

COLOURS = {
    "ink": ink,
    "model": model,
    "truth": truth,
    "error": error,
    "second": second,
    "latent": latent,
    "highlight": highlight,
    "muted": muted,
    "grid": grid,
    "paper": paper,
}

HOUSE: Any = {
    "figure.facecolor": paper,
    "figure.dpi": 72,
    "axes.facecolor": "none",
    "axes.edgecolor": muted,
    "axes.labelcolor": muted,
    "axes.titlesize": 9.5,
    "axes.titlecolor": ink,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=[model, error, second, latent, highlight, ink]),
    "grid.color": grid,
    "grid.linewidth": 0.6,
    "xtick.color": muted,
    "ytick.color": muted,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.labelcolor": ink,
    "text.color": ink,
    "image.interpolation": "none",  # a pixel of a picture stays one, and the site stores it once
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "font.size": 9,
    "font.family": "DejaVu Sans",
}


def figure(
    rows: int = 1, columns: int = 1, *, size: tuple[float, float] = (7.2, 3.2), **subplots: Any
) -> tuple:
    """Return a figure in the house style and its axes, as ``plt.subplots`` would.

    The style is set globally, so that what is plotted later follows it too.
    """
    mpl.rcParams.update(HOUSE)
    fig = Figure(figsize=size, layout="constrained")
    return fig, fig.subplots(rows, columns, **subplots)


def mosaic(layout: str, *, size: tuple[float, float] = (7.2, 3.6)) -> tuple[Figure, dict]:
    """Return a figure in the house style and its axes by letter, as ``plt.subplot_mosaic`` would."""
    mpl.rcParams.update(HOUSE)
    fig = Figure(figsize=size, layout="constrained")
    return fig, fig.subplot_mosaic(layout)


def check_alt(function: str, alt: object) -> str:
    """Return the text alternative, or say why it will not do."""
    if not isinstance(alt, str) or len(alt.split()) < 5:
        raise ValueError(
            f"{function}: alt must say in a sentence (five words or more) what the picture shows; got {alt!r}"
        )
    return alt


def png(fig: Figure, dpi: int = 110) -> bytes:
    """Return the figure as PNG bytes with a palette of its own, a third of the size of full colour."""
    drawn, packed = io.BytesIO(), io.BytesIO()
    fig.savefig(drawn, format="png", dpi=dpi)
    Image.open(drawn).convert("RGB").quantize(128).save(packed, format="png", optimize=True)
    return packed.getvalue()


@dataclass(frozen=True)
class Picture:
    """A finished figure and its text alternative; displaying it shows the figure."""

    figure: Figure
    alt: str

    def __repr__(self) -> str:
        return f"[figure: {self.alt}]"

    def html(self) -> str:
        """Return the figure for the site, its panels drawings of their own."""
        name = "f" + hashlib.sha256(self.alt.encode()).hexdigest()[:8]
        with arranged(self.figure) as drawing:
            panels = Stage(self.figure, drawing, name, COLOURS).html(self.alt)
        return f'<figure class="studio-figure">{panels}</figure>'

    def _repr_mimebundle_(self, **_: object) -> tuple[dict, dict]:
        if building_site():
            return {"text/html": self.html(), "text/plain": repr(self)}, {}
        return {"image/png": png(self.figure), "text/plain": repr(self)}, {"image/png": {"alt": self.alt}}


def show(fig: Figure, *, alt: str) -> Picture:
    """Return the figure for display; ``alt`` says in words what it shows."""
    return Picture(fig, check_alt("show", alt))
