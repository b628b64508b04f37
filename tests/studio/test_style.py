"""The house style: text alternatives are required, colours can be told apart, figures fit in git."""

import io
import itertools

import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from chapters_src.studio import figure, show, style


@pytest.mark.parametrize("alt", ["", "a plot", None, 3, "one two three four"])
def test_a_picture_without_words_is_refused(alt):
    fig, _ = figure()
    with pytest.raises(ValueError, match=r"show: alt must say in a sentence .*; got"):
        show(fig, alt=alt)


def test_in_a_notebook_a_picture_is_a_small_png_with_its_words():
    fig, ax = figure()
    ax.plot([0, 1], [0, 1])
    data, metadata = show(fig, alt="A line rising from zero to one.")._repr_mimebundle_()
    assert Image.open(io.BytesIO(data["image/png"])).size == (792, 352)
    assert len(data["image/png"]) < 40_000
    assert metadata["image/png"]["alt"] == "A line rising from zero to one."
    assert data["text/plain"] == "[figure: A line rising from zero to one.]"
    assert "text/html" not in data


def test_on_the_site_a_picture_is_svg(monkeypatch):
    monkeypatch.setenv("EVERY_LINE_SITE", "1")
    fig, ax = figure()
    ax.plot([0, 1], [0, 1])
    data, _ = show(fig, alt="A line rising from zero to one.")._repr_mimebundle_()
    assert data["text/html"].startswith('<figure class="studio-figure"><div class="studio-panels">')
    assert data["text/html"].count("<svg ") == 1
    assert "image/png" not in data


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", ["ink", "model", "truth", "error", "second", "latent", "muted"])
def test_lines_stand_out_from_the_paper(name):
    contrast = 1.05 / (luminance(style.COLOURS[name]) + 0.05)
    assert contrast >= (4.5 if name in ("ink", "muted") else 3.0)  # WCAG 2: text 4.5, graphics 3


def test_no_two_colours_are_close():
    meaning = [style.ink, style.model, style.truth, style.error, style.second, style.latent, style.highlight]
    for a, b in itertools.combinations(meaning, 2):
        assert sum((x - y) ** 2 for x, y in zip(to_rgb(a), to_rgb(b), strict=True)) ** 0.5 > 0.25


def test_the_site_knows_the_same_colours():
    from pathlib import Path

    css = (Path(__file__).parents[2] / "book/_static/explorer.css").read_text(encoding="utf-8")
    for name, value in style.COLOURS.items():
        assert css.count(f"--studio-{name}: {value};") == 1
        assert css.count(f"--studio-{name}: ") == 2  # and a dark one …
    assert "@media screen {\n  html[data-theme" in css  # … which is not for paper
