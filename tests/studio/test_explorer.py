"""Explorers: only what changes is drawn again, and every frame is exactly what a fresh drawing would show."""

import json
import re
import xml.etree.ElementTree as ET
from html import unescape

import pytest

from chapters_src.studio import Choice, Explorer, ExplorerError, Slider, figure, style
from chapters_src.studio.panels import arranged
from chapters_src.studio.stage import Stage


def line_explorer(update=None, **changes):
    """A line whose slope and style are controlled, over a point that never moves."""
    fig, ax = figure()
    ax.set(xlim=(0, 1), ylim=(-3, 3))
    ax.plot([0.5], [1.0], "s")
    (line,) = ax.plot([0, 1], [0, 0])
    note = ax.text(0.1, 2, "")

    def move(slope, kind):
        line.set_data([0, 1], [0, slope])
        note.set_text(kind)
        return f"The {kind} line ends at {slope:.2f}."

    controls = {
        "slope": Slider(-2, 2, 1, "slope", points=5),
        "kind": Choice(["thin", "bold"], "thin", "kind of line"),
    }
    explorer = Explorer(
        "Slope",
        fig,
        update(ax, line, note) if update else move,
        alt="A line that can be tilted.",
        **(controls | changes),
    )
    return explorer, line, note


def test_only_artists_that_change_are_drawn_again(monkeypatch):
    explorer, line, note = line_explorer()
    drawn = []
    renderer = explorer._stage.renderer
    fragment = renderer.fragment
    monkeypatch.setattr(renderer, "fragment", lambda artist: drawn.append(artist) or fragment(artist))
    explorer.frame(slope=0.5, kind="thin")
    assert drawn == [line]  # the note's text is the same, the point and the axes never move
    explorer.frame(slope=0.5, kind="bold")
    assert drawn == [line, line, note]


def test_a_frame_assembled_from_fragments_equals_a_fresh_drawing():
    explorer, *_ = line_explorer()
    for slope, kind in [(-2, "thin"), (2, "bold"), (0.123, "thin")]:
        explorer.frame(slope=slope, kind=kind)
        assert explorer._stage.assembled() == explorer._stage.fresh()


def test_moving_artists_keep_their_place_in_the_stack():
    fig, ax = figure()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.plot([0, 1], [0, 1], color="#000001", zorder=1)
    (moving,) = ax.plot([0, 1], [0.5, 0.5], color="#000002", zorder=2)
    ax.plot([0, 1], [1, 0], color="#000003", zorder=3)

    def update(height):
        moving.set_ydata([height, height])
        return f"The line is at {height}."

    explorer = Explorer(
        "Stack", fig, update, alt="One moving line between two others.", height=Slider(0, 1, 0.5, "height")
    )
    (svg,) = explorer._stage.svgs(explorer.alt)
    assert svg.index("#000001") < svg.index("#000002") < svg.index("#000003")


def site_data(explorer):
    html = explorer.html()
    return html, json.loads(re.search(r'<script type="application/json">(.*)</script>', html, re.S)[1])


def test_stored_frames_equal_live_frames_at_every_position():
    explorer, *_ = line_explorer()
    _, data = site_data(explorer)
    with arranged(explorer.figure) as drawing:
        explorer._stage = Stage(explorer.figure, drawing, explorer._name, style.COLOURS)
        explorer.verify()
        position = 0
        for slope in explorer.controls["slope"].grid():
            for kind in explorer.controls["kind"].grid():
                live = explorer.frame(slope=slope, kind=kind)
                stored = [table[index[position]] for table, index in [*data["slots"], data["words"]]]
                assert stored == [*live.fragments, live.words]
                position += 1
    assert position == 10 and data["sizes"] == [5, 2]


def test_an_artist_that_moves_only_between_the_ends_is_in_every_frame():
    def late(ax, line, note):
        def update(slope, kind):
            line.set_data([0, 1], [0, slope + (kind == "bold")])
            note.set_text("level" if slope == 0 else "")
            return f"Slope {slope}, {kind}."

        return update

    explorer, *_ = line_explorer(late)
    _, data = site_data(explorer)
    ((table, index),) = (slot for slot in data["slots"] if any("level" in entry for entry in slot[0]))
    shown = [table[entry] for entry in index]
    assert ["level" in fragment for fragment in shown] == [False] * 4 + [True] * 2 + [False] * 4


def test_a_fragment_shared_by_many_frames_is_stored_once():
    _, data = site_data(line_explorer()[0])
    assert sorted(len(table) for table, _ in data["slots"]) == [2, 5]  # note, line
    assert len(data["words"][0]) == 10


def test_the_site_shows_the_default_without_a_script_and_names_every_control():
    explorer, *_ = line_explorer()
    html, _ = site_data(explorer)
    assert "The thin line ends at 1.00." in html
    html = re.sub(r"<script.*</script>", "", html, flags=re.S).replace(" selected", ' selected="selected"')
    page = ET.fromstring(re.sub(r"(<input[^>]*)>", r"\1/>", html))
    labels = {label.get("for"): label.text for label in page.iter("label")}
    inputs = [*page.iter("input"), *page.iter("select")]
    assert [labels[control.get("id")] for control in inputs] == ["slope", "kind of line"]
    (slider,) = page.iter("input")
    texts = json.loads(unescape(slider.get("data-texts")))
    assert texts == ["−2", "−1", "0", "1", "2"] and texts[int(slider.get("value"))] == "1"


def test_text_cannot_break_out_of_the_page():
    fig, ax = figure()
    note = ax.text(0.5, 0.5, "")

    def update(a):
        note.set_text(f"</script><b>{a}")
        return f"</script><script>alert({a})</script>"

    explorer = Explorer(
        "<i>", fig, update, alt='A "<note>" in five words', a=Slider(0, 1, 0, "<u>", points=2)
    )
    html = explorer.html()
    assert html.count("</script>") == 1 and "<i>" not in html and "<u>" not in html and "<b>" not in html


def test_in_a_kernel_the_bundle_holds_the_widget_a_picture_and_words():
    explorer, *_ = line_explorer()
    data, metadata = explorer._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert data["image/png"].startswith(b"\x89PNG") and metadata["image/png"]["alt"] == explorer.alt
    assert data["text/plain"] == "[explorer: Slope. A line that can be tilted. The thin line ends at 1.00.]"
    assert "text/html" not in data


# Update functions that break the rules are caught when the site is built.


def test_an_artist_moved_behind_matplotlibs_back_is_caught():
    def sly(ax, line, note):
        def update(slope, kind):
            line.set_data([0, 1], [0, slope])
            ax.texts[0]._text = kind  # no set_text: nothing is marked stale
            return f"{slope} {kind}"

        return update

    with pytest.raises(ExplorerError, match="something moved that matplotlib was not told of"):
        line_explorer(sly)[0].verify()


def test_changed_limits_are_caught():
    def zoom(ax, line, note):
        def update(slope, kind):
            ax.set_ylim(-abs(slope) - 1, abs(slope) + 1)
            note.set_text(kind)
            return f"{slope} {kind}"

        return update

    with pytest.raises(ExplorerError, match="leave axes limits as"):
        line_explorer(zoom)[0].verify()


def test_an_update_that_remembers_is_caught():
    def remembering(ax, line, note):
        steps = []

        def update(slope, kind):
            steps.append(slope)
            line.set_data([0, 1], [0, len(steps) / 10])
            return "Something moved."

        return update

    with pytest.raises(ExplorerError, match="must depend on its arguments alone"):
        line_explorer(remembering)[0].verify()


def test_an_update_that_leaves_an_artist_as_it_was_is_caught():
    def forgetful(ax, line, note):
        def update(slope, kind):
            if slope > 0:
                line.set_data([0, 1], [0, slope])
            note.set_text(kind)
            return "Something moved."

        return update

    with pytest.raises(ExplorerError, match="must depend on its arguments alone"):
        line_explorer(forgetful)[0].verify()


def test_a_control_that_does_nothing_where_it_starts_is_caught():
    def flat(ax, line, note):
        def update(slope, kind):
            line.set_data([0, 1], [0, max(slope, 1)])
            note.set_text(kind)
            return f"{slope} {kind}"

        return update

    with pytest.raises(ExplorerError, match=r"moving slope from 1 to 0\.0 must change the drawing"):
        line_explorer(flat)[0].verify()


def test_building_the_page_leaves_the_live_figure_as_it_was():
    explorer, *_ = line_explorer()
    before = explorer._stage.svgs(explorer.alt), explorer.figure.get_size_inches().tolist()
    explorer.html()
    assert (explorer._stage.svgs(explorer.alt), explorer.figure.get_size_inches().tolist()) == before
    assert explorer._stage.assembled() == explorer._stage.fresh()


def test_an_update_without_words_is_refused():
    with pytest.raises(ExplorerError, match="must return a sentence"):
        line_explorer(lambda ax, line, note: lambda slope, kind: None)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"slope": 3}, "slope must be a Slider or a Choice; got 3"),
        ({"extra": Slider(0, 1, 0, "extra")}, "update must take the controls"),
    ],
)
def test_controls_that_do_not_fit_are_refused(changes, rule):
    with pytest.raises(ValueError, match=rule):
        line_explorer(**changes)


def test_no_controls_and_no_alternative_text_are_refused():
    fig, _ = figure()
    with pytest.raises(ValueError, match="at least one; got none"):
        Explorer("None", fig, lambda: "words", alt="A figure without any controls.")
    with pytest.raises(ValueError, match="Explorer: alt must say"):
        Explorer("Mute", fig, lambda a: "words", alt="", a=Slider(0, 1, 0, "a"))


def test_too_many_frames_are_refused_with_their_number():
    with pytest.raises(ValueError, match="at most 1000 positions together; got 1800"):
        line_explorer(slope=Slider(0, 899, 1, "slope", scale="integer", points=900))


def test_a_state_must_name_every_control():
    with pytest.raises(
        ValueError, match=r"frame: state must name the controls \['kind', 'slope'\]; got \['slope'\]"
    ):
        line_explorer()[0].frame(slope=1)
