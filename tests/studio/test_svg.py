"""The SVG renderer against matplotlib's own, in pixels, and against the rules it promises to keep."""

import base64
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from chapters_src.studio import style
from chapters_src.studio.panels import whole
from chapters_src.studio.stage import Stage
from chapters_src.studio.svg import UNIT, SvgRenderer
from tests.studio.test_paths import absolute_points

SVG = "{http://www.w3.org/2000/svg}"


def picture(fig, alt="A test picture of five words."):
    return Stage(fig, whole(fig), "t", style.COLOURS).svgs(alt)[0]


def drawn(fig):
    return ET.fromstring(picture(fig))


def test_a_gap_in_the_data_is_a_gap_in_the_line():
    fig, ax = style.figure()
    (line,) = ax.plot([0, 1, np.nan, 3, 4], [0, 1, 2, 1, 0])
    renderer = SvgRenderer(fig, "t", style.COLOURS)
    fig.draw(renderer)
    assert renderer.fragment(line).count("M") == 2


def test_lines_stand_where_matplotlib_puts_them():
    fig, ax = style.figure()
    ax.set(xlim=(0, 10), ylim=(0, 1))
    (line,) = ax.plot([2, 8], [0.25, 0.75])
    renderer = SvgRenderer(fig, "t", style.COLOURS)
    fig.draw(renderer)
    expected = ax.transData.transform([[2, 0.25], [8, 0.75]])
    expected[:, 1] = renderer.height - expected[:, 1]
    d = re.search(r'd="([^"]+)"', renderer.fragment(line))[1]
    assert np.abs(absolute_points(d) - UNIT * expected).max() <= 1


def test_translucent_and_edged_markers_are_copies_drawn_one_after_the_other():
    for look in ({"alpha": 0.5}, {"markeredgecolor": style.truth}):
        fig, ax = style.figure()
        ax.plot(range(7), range(7), "o", color=style.ink, **look)
        root = drawn(fig)
        assert len(root.findall(f".//{SVG}use")) == 7
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(ids) == len(set(ids))


@pytest.mark.parametrize("marker", ["o", "s", "+"])
def test_markers_of_one_ink_are_one_path_that_looks_the_same(marker):
    fig, ax = style.figure()
    ax.set(xlim=(0, 10), ylim=(0, 10))
    (points,) = ax.plot([2, 5, 8], [3, 5, 4], marker, color=style.ink, markersize=8)
    renderer = SvgRenderer(fig, "t", style.COLOURS)
    fig.draw(renderer)
    (path,) = re.findall(r"<path [^>]+>", renderer.fragment(points))
    assert "use" not in renderer.fragment(points)
    starts = np.array(re.findall(r"M(-?\d+) (-?\d+)", path), dtype=int)
    expected = ax.transData.transform([[2, 3], [5, 5], [8, 4]]) * [1, -1] + [0, renderer.height]
    if marker == "o":
        assert np.abs(starts - UNIT * expected).max() <= 1
        wide = float(re.search(r"stroke-width:([\d.]+)", path)[1])
        assert wide == pytest.approx(UNIT * (8 + points.get_markeredgewidth()))
    else:
        each = len(starts) // 3
        corners = starts.reshape(3, each, 2).mean(axis=1)
        assert np.abs(np.diff(corners, axis=0) - UNIT * np.diff(expected, axis=0)).max() <= 1
        assert np.abs(starts[::each] - UNIT * expected).max() <= UNIT * 4 + 1  # half a marker away


def test_rings_are_arcs_about_their_places():
    fig, ax = style.figure()
    ax.set(xlim=(0, 10), ylim=(0, 10))
    (points,) = ax.plot([2, 8], [3, 4], "o", mfc="none", color=style.ink, markersize=8)
    renderer = SvgRenderer(fig, "t", style.COLOURS)
    fig.draw(renderer)
    (path,) = re.findall(r"<path [^>]+>", renderer.fragment(points))
    starts = np.array(re.findall(r"M(-?\d+) (-?\d+)a40 40 0 1 0 80 0a40 40 0 1 0 -80 0z", path), dtype=int)
    expected = ax.transData.transform([[2, 3], [8, 4]]) * [1, -1] + [0, renderer.height]
    assert np.abs(starts + np.array([40, 0]) - UNIT * expected).max() <= 1
    assert "fill:none;stroke:var(--studio-ink" in path


def test_house_colours_are_variables_with_their_light_value_as_fallback():
    fig, ax = style.figure()
    ax.plot([0, 1], [0, 1], color=style.error)
    ax.plot([0, 1], [1, 0], color="#123456")
    text = picture(fig)
    assert "stroke:var(--studio-error,#d55e00)" in text
    assert "stroke:#123456" in text


def test_text_is_text_and_mathematics_is_drawn():
    fig, ax = style.figure()
    ax.set(title="A < B & C", xlabel=r"$\theta_1$")
    texts = [element.text for element in drawn(fig).findall(f".//{SVG}text")]
    assert "A < B & C" in texts
    assert not any("theta" in text for text in texts)


def embedded(image):
    return Image.open(io.BytesIO(base64.b64decode(image.get("href").split(",")[1])))


@pytest.mark.parametrize("interpolation", ["none", "nearest"])
@pytest.mark.parametrize("origin", ["upper", "lower"])
def test_an_image_is_embedded_the_right_way_up(interpolation, origin):
    fig, ax = style.figure()
    pixels = np.array([[1.0, 0.0], [0.0, 0.0]])  # the first row of the array is the top, unless said
    ax.imshow(pixels, cmap="gray", aspect="auto", interpolation=interpolation, origin=origin)
    renderer = SvgRenderer(fig, "t", style.COLOURS)
    (image,) = drawn(fig).findall(f".//{SVG}image")
    picture = np.asarray(embedded(image).convert("L"))
    bright = picture[0 if origin == "upper" else -1, 0]
    assert bright > 250 and picture[0, -1] < 5 and picture[-1, -1] < 5
    fig.draw(renderer)
    box = ax.get_window_extent()
    place = [float(image.get(name)) for name in ("x", "y", "width", "height")]
    expected = [box.x0, renderer.height - box.y1, box.width, box.height]
    np.testing.assert_allclose(place, np.array(expected) * UNIT, atol=UNIT)


def test_a_picture_is_stored_pixel_by_pixel_and_grey_as_grey():
    for cmap, mode in (("gray", "L"), ("RdBu", "RGBA")):
        fig, ax = style.figure()
        ax.imshow(np.arange(12.0).reshape(3, 4), cmap=cmap)
        (image,) = drawn(fig).findall(f".//{SVG}image")
        assert (embedded(image).size, embedded(image).mode) == ((4, 3), mode)
        assert "pixelated" in image.get("style")


def test_the_alternative_text_is_the_accessible_name():
    fig, _ = style.figure()
    root = ET.fromstring(picture(fig, 'Say "a < b" in five words'))
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'Say "a < b" in five words'


def test_hatching_is_refused_rather_than_lost():
    fig, ax = style.figure()
    ax.bar([0], [1], hatch="//")
    with pytest.raises(ValueError, match="hatch must be None"):
        drawn(fig)


@pytest.mark.parametrize(
    ("draw", "clips"),
    [
        # two lines that end on the edges, a thin one and a thick one
        (lambda ax: ax.plot([0, 0.5, 1], [0.1, 0.9, 0.1], lw=0.6), 0),
        (lambda ax: ax.plot([0, 0.5, 1], [0.1, 0.9, 0.1], lw=3), 1),
        (lambda ax: ax.plot([0.2, 0.8], [0.5, 1.5]), 1),
        (lambda ax: ax.plot([0.2, 0.8], [0.5, 0.5], "o", ms=8), 0),
        (lambda ax: ax.plot([0.2, 0.999], [0.5, 0.5], "o", ms=8), 1),
        (lambda ax: ax.fill([0.2, 0.8, 0.8], [0.2, 0.2, 0.9]), 0),
        (lambda ax: ax.fill([0.2, 0.8, 0.8], [0.2, 0.2, 1.1]), 1),
        (lambda ax: ax.imshow(np.eye(3), extent=(0, 1, 0, 1), aspect="auto"), 0),
        (lambda ax: ax.imshow(np.eye(3), extent=(0, 2, 0, 1), aspect="auto", interpolation="none"), 1),
    ],
)
def test_only_what_crosses_the_edge_of_its_axes_is_clipped(draw, clips):
    fig, ax = style.figure()
    ax.set_axis_off()
    draw(ax)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    assert sum("clip-path" in element.attrib for element in drawn(fig).iter()) == clips


def test_what_has_neither_fill_nor_stroke_is_not_drawn():
    fig, ax = style.figure()
    ax.set_axis_off()
    (line,) = ax.plot([0.2, 0.8], [0.5, 0.5])
    seen = len(list(drawn(fig).iter(SVG + "path")))
    line.set_alpha(0)
    assert len(list(drawn(fig).iter(SVG + "path"))) == seen - 1
