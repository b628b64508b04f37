"""Panels: every axes a drawing of its own that a phone can show, and the figure unharmed afterwards."""

import re

import numpy as np
import pytest
from matplotlib.patches import ConnectionPatch
from matplotlib.text import Text

from chapters_src.studio import figure, mosaic, show
from chapters_src.studio.fitting import LEAST_TEXT
from chapters_src.studio.panels import SMALL, WIDE, arranged
from chapters_src.studio.stage import PIXELS
from chapters_src.studio.svg import SvgRenderer

ALT = "A figure in five words."


def drawn_axes(drawing):
    return [panel.artists for panel in drawing.panels]


@pytest.mark.parametrize(("columns", "size"), [(1, (7.2, 3.2)), (2, (7.2, 3.2)), (3, (7.2, 2.4))])
def test_every_axes_is_a_panel_of_a_phones_width(columns, size):
    fig, axes = figure(1, columns, size=size)
    for ax in np.atleast_1d(axes):
        ax.plot([0, 1000], [0, 1e6])
        ax.set(title="a title with more words than fit in one line of a panel", ylabel="something")
    with arranged(fig) as drawing:
        assert drawn_axes(drawing) == [(ax,) for ax in np.atleast_1d(axes)]
        assert all(SMALL < panel.box.width <= WIDE + 1 for panel in drawing.panels)
        assert len({round(panel.box.height, 6) for panel in drawing.panels}) == 1
        for panel in drawing.panels:  # all of it, title and labels, is inside
            tight = panel.artists[0].get_tightbbox(SvgRenderer(fig, "", {}))
            assert panel.box.x0 <= tight.x0 and tight.x1 <= panel.box.x1
            assert panel.box.y0 <= tight.y0 and tight.y1 <= panel.box.y1


def test_the_figure_comes_back_as_it_was():
    fig, axes = figure(1, 2, sharey=True)
    axes[0].set_title("a title with more words than fit in one line of a panel", fontsize=7)
    axes[1].plot([0, 1], [0, 1], label="one")
    axes[1].plot([0, 1], [1, 0], label="another one that is rather long")
    axes[1].legend(ncols=2)
    fig.suptitle("Both")
    fig.text(0.02, 0.5, "at the left")

    def seen():
        fig.draw_without_rendering()
        texts = [(t.get_text(), t.get_fontsize(), t.get_rotation(), t.get_wrap()) for t in fig.findobj(Text)]
        places = [np.round(ax.get_position().bounds, 9).tolist() for ax in axes]
        return fig.get_size_inches().tolist(), texts, places, axes[1].get_legend()

    before = seen()
    show(fig, alt=ALT).html()
    assert seen() == before


def test_panels_stand_as_their_author_set_them():
    fig, axes = mosaic("AB;AC")
    with arranged(fig) as drawing:
        names = [next(key for key, ax in axes.items() if ax in panel.artists) for panel in drawing.panels]
        a, b, c = (names.index(key) for key in "ABC")
        assert drawing.order == ("row", (a, ("column", (b, c))))
    fig, _ = figure(2, 5)
    with arranged(fig) as drawing:
        assert drawing.order == ("row", tuple(range(10)))  # wrapped anywhere
        assert all(panel.box.width <= WIDE / 2 for panel in drawing.panels)


def test_small_text_is_made_readable():
    fig, ax = figure()
    ax.text(0.5, 0.5, "tiny", fontsize=5)
    html = show(fig, alt=ALT).html()
    sizes = [float(size) for size in re.findall(r"font:([\d.]+)px", html)]
    assert min(sizes) >= 10 * LEAST_TEXT and LEAST_TEXT * PIXELS >= 11


def test_a_neighbours_tick_labels_are_shown_again():
    fig, axes = figure(1, 2, sharey=True)
    axes[0].plot([0, 1], [0, 40])
    html = show(fig, alt=ALT).html()
    assert html.count(">40<") == 2


def test_colour_bars_and_twins_go_with_their_axes():
    fig, (left, right) = figure(1, 2)
    bar = fig.colorbar(left.imshow(np.eye(3)), ax=left).ax
    twin = right.twinx()
    with arranged(fig) as drawing:
        assert drawn_axes(drawing) == [(left, bar), (right, twin)]
        assert right.get_position().bounds == twin.get_position().bounds
        assert bar.get_position().x0 > left.get_position().x1


def test_words_go_with_the_panel_they_stand_at_and_titles_are_panels():
    fig, (left, right) = figure(1, 2)
    note = fig.text(0.6, 0.95, "right")
    fig.suptitle("A title of both")
    right.plot([0, 1], [0, 1], label="a line")
    fig.legend(loc="lower center")
    fig.supxlabel("below")
    with arranged(fig) as drawing:
        first, second, legend, title, below = drawn_axes(drawing)
        assert (first, second) == ((left,), (right, note))
        assert (legend, title, below) == ((fig.legends[0],), (fig._suptitle,), (fig._supxlabel,))
        grid = ("row", (0, 1))
        assert drawing.order == ("column", (("column", (3, ("column", (2, grid)))), 4))
    html = show(fig, alt=ALT).html()
    assert all(f">{words}<" in html for words in ("right", "A title of both", "a line", "below"))


@pytest.mark.parametrize("reason", ["text", "connection", "colour bar"])
def test_a_figure_that_cannot_be_taken_apart_is_scrolled(reason):
    fig, (left, right) = figure(1, 2)
    if reason == "text":
        fig.text(0.5, 0.95, "words across both of the panels", ha="center")
    elif reason == "connection":
        fig.add_artist(ConnectionPatch((0, 0), (1, 1), "data", "data", axesA=left, axesB=right))
    else:
        fig.colorbar(left.imshow(np.eye(3)), ax=[left, right])
    html = show(fig, alt=ALT).html()
    assert html.count("<svg ") == 1 and "studio-wide" in html and "studio-hint" in html


def test_a_crowd_of_axes_is_one_sheet_for_a_phone():
    fig, axes = figure(4, 10)
    for ax in axes.flat:
        ax.imshow(np.eye(3))
        ax.set(xticks=[], yticks=[])
    html = show(fig, alt=ALT).html()
    assert html.count("<svg ") == 1 and "studio-wide" not in html


def test_one_panel_speaks_for_all():
    fig, _ = figure(1, 3)
    html = show(fig, alt=ALT).html()
    assert html.count(f'role="img" aria-label="{ALT}"') == 1 and html.count('aria-hidden="true"') == 2


def test_a_formula_is_never_broken():
    fig, axes = figure(1, 3)
    axes[0].set_title(r"$a_1 = w_1 x + b_1 + w_2 x + b_2 + w_3 x + b_3$ and more")
    assert "w_1" not in show(fig, alt=ALT).html()  # drawn, not written
