"""Handles, picks and trails: what the page is told of them, and what is refused."""

import json
import re

import numpy as np
import pytest

from chapters_src.studio import Choice, Explorer, ExplorerError, Handle, Pick, Slider, Trail, figure


def point_explorer(touch=None, trail=None, update=None, **changes):
    """A point with two coordinates and a path behind it."""
    fig, (left, right) = figure(1, 2)
    for ax in (left, right):
        ax.set(xlim=(0, 4), ylim=(0, 4))
    (point,) = left.plot([], [], "o")
    (path,) = right.plot([], [], "o-")

    def move(x, y, step):
        point.set_data([x], [y])
        path.set_data(np.arange(step + 1), x * np.arange(step + 1) / 4)
        return f"At {x}, {y} after {step}."

    controls = {
        "x": Slider(0, 4, 1, "x", points=5),
        "y": Slider(0, 3, 1, "y", points=4),
        "step": Slider(0, 3, 1, "step", scale="integer"),
    } | changes
    return Explorer(
        "Point",
        fig,
        update(point, path) if update else move,
        alt="A point and the path behind it.",
        touch=touch(left, right, point) if touch else (),
        trail=trail(point, path) if trail else None,
        **controls,
    )


def page_data(explorer):
    html = explorer.html()
    return html, json.loads(re.search(r'<script type="application/json">(.*)</script>', html, re.S)[1])


def panel_box(html, index):
    found = re.search(rf'data-panel="{index}".*?viewBox="(\S+) (\S+) (\S+) (\S+)"', html)
    return [int(number) for number in found.groups()]


def test_a_handle_is_where_its_controls_are_on_the_axes():
    html, data = page_data(point_explorer(lambda left, right, point: [Handle(x="x", y="y", axes=left)]))
    (handle,) = data["handles"]
    assert (handle["panel"], handle["controls"]) == (0, [0, 1])
    spots = np.array(handle["spots"]).reshape(5, 4, 4, 2)  # x, y, step, coordinate
    assert (np.diff(spots[..., 0], axis=0) > 0).all() and (np.diff(spots[..., 0], axis=1) == 0).all()
    assert (np.diff(spots[..., 1], axis=1) < 0).all() and (np.diff(spots, axis=2) == 0).all()
    left, top, width, height = panel_box(html, 0)
    assert (spots[..., 0] >= left).all() and (spots[..., 0] <= left + width).all()
    assert (spots[..., 1] >= top).all() and (spots[..., 1] <= top + height).all()
    assert "drag the ring" in html


def test_a_handle_along_one_axis_stays_at_its_height():
    _, data = page_data(point_explorer(lambda left, right, point: [Handle(x="x", axes=right)]))
    (handle,) = data["handles"]
    assert handle["panel"] == 1
    assert len(set(handle["spots"][1::2])) == 1 and len(set(handle["spots"][::2])) == 5


def test_a_handle_follows_a_marker_or_a_function():
    def touch(left, right, point):
        return [
            Handle(x="x", y="y", axes=left),
            Handle(x="x", y="y", axes=left, marker=point),
            Handle(x="x", y="y", axes=left, at=lambda y, x: (x, y)),
        ]

    _, data = page_data(point_explorer(touch))
    coordinates, marker, function = (handle["spots"] for handle in data["handles"])
    assert coordinates == marker == function


def test_picks_name_a_place_for_each_position():
    targets = [(0, 0), (1, 0, 2, 1), [(0, 0), (1, 1), (2, 0)], (3, 3), (4, 4)]
    html, data = page_data(point_explorer(lambda left, right, point: [Pick("x", right, targets)]))
    (pick,) = data["picks"]
    assert (pick["panel"], pick["control"]) == (1, 0)
    assert [(kind, len(points)) for kind, points in pick["targets"]] == [
        ("line", 2), ("box", 4), ("line", 6), ("line", 2), ("line", 2)
    ]  # fmt: skip
    assert "click what you want" in html


@pytest.mark.parametrize(
    ("touch", "rule"),
    [
        (lambda left, right, point: [Handle(x="z", axes=left)], "'z' must be one of the controls"),
        (
            lambda left, right, point: [Handle(axes=left)],
            "x or y must name the control it moves; got neither",
        ),
        (lambda left, right, point: [Handle(x="x", y="x", axes=left)], "two different controls"),
        (lambda left, right, point: [Handle(x="x")], "axes must be axes of the explorer's figure; got None"),
        (
            lambda left, right, point: [Handle(x="x", axes=figure()[1])],
            "Handle: axes must be axes of the explorer's figure",
        ),
        (lambda left, right, point: [Handle(x="x", axes=left, at=lambda q: (q, q))], r"got \['q'\]"),
        (lambda left, right, point: [Handle(x="x", axes=right, marker=point)], "marker must be a line"),
        (lambda left, right, point: [Pick("z", left, [])], "Pick: 'z' must be one of the controls"),
        (lambda left, right, point: [Pick("x", left, [(0, 0)])], "each of the 5 positions of 'x'; got 1"),
        (lambda left, right, point: [Pick("x", left, [(0, 0, 1)] * 5)], r"got shape \(3,\)"),
        (lambda left, right, point: ["left"], "touch must hold Handles and Picks; got 'left'"),
    ],
)
def test_what_cannot_be_touched_is_refused(touch, rule):
    with pytest.raises(ValueError, match=rule):
        point_explorer(touch)


def test_a_handle_with_too_many_positions_is_refused():
    with pytest.raises(ValueError, match=r"x must have at most 15 positions .* got 16"):
        point_explorer(
            lambda left, right, point: [Handle(x="x", y="y", axes=left)], x=Slider(0, 4, 1, "x", points=16)
        )
    with pytest.raises(ValueError, match="kind must be a Slider, or at say where it is; got a Choice"):
        Handle(x="kind", axes=(ax := figure()[1])).check({"kind": Choice(["a", "b"], "a", "kind")}, [ax])


# Trails.


def revealed(point, path):
    return Trail("step", lines=[path])


def test_a_trail_costs_no_frames_and_keeps_every_sentence():
    explorer = point_explorer(trail=revealed, step=Slider(0, 3, 1, "step", scale="integer", points=2))
    html, data = page_data(explorer)
    assert data["sizes"] == [5, 4, 4]  # every step, whatever points says
    assert all(len(index) == 20 for _, index in data["slots"])
    table, index = data["words"]
    assert len(index) == 80
    assert table[index[4 * (4 * 2 + 1) + 3]] == "At 2.0, 1.0 after 3."
    assert 'max="3" value="1"' in html


def test_a_trail_is_stored_with_all_its_points():
    _, data = page_data(point_explorer(trail=revealed))
    (slot,) = data["trail"]["lines"]
    level = data["slots"][slot][0][0]  # x = 0: four points on one line, which drawing would make two
    line, dots = re.findall(r' d="([^"]*)"', level)
    assert len(re.findall(r"-?\d+", line)) == 8 and dots.count("M") == 4


def test_points_of_a_trail_go_from_place_to_place():
    def update(point, path):
        def move(x, y, step):
            point.set_data([step], [y])
            path.set_data([0, 4], [x, x])
            return f"At {x}, {y} after {step}."

        return move

    _, data = page_data(
        point_explorer(trail=lambda point, path: Trail("step", points=[point]), update=update)
    )
    ((_, table, index),) = data["trail"]["points"]
    assert len(table) == 4 and len(index) == 20  # y chooses the way, x does not
    assert (np.diff(table[0][::2]) > 0).all() and len(set(table[0][1::2])) == 1


def broken(change):
    def update(point, path):
        def move(x, y, step):
            point.set_data([x], [y])
            path.set_data(*change(np.arange(step + 1.0), step))
            return f"At {x}, {y} after {step}."

        return move

    return update


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda s, step: (s, s + step), "after 0 steps each line of the trail must show its first 1 points"),
        (lambda s, step: (s, np.where(s > 2, np.nan, s)), "every point of a trail must be finite"),
        (lambda s, step: (np.arange(2), np.arange(2) + step % 2), "must show its first 1 points"),
    ],
)
def test_a_line_that_is_no_trail_is_caught(change, rule):
    with pytest.raises(ExplorerError, match=rule):
        point_explorer(trail=revealed, update=broken(change), x=Slider(0, 4, 1, "x", points=2)).html()


def test_something_else_that_depends_on_time_is_caught():
    def update(point, path):
        def move(x, y, step):
            point.set_data([x + step / 10], [y])
            path.set_data(np.arange(step + 1), np.arange(step + 1))
            return f"At {x}, {y} after {step}."

        return move

    with pytest.raises(ExplorerError, match="nothing but the trail may depend on step"):
        point_explorer(trail=revealed, update=update).html()


@pytest.mark.parametrize(
    ("trail", "rule"),
    [
        (lambda point, path: Trail("time", lines=[path]), "control must name a Slider with scale='integer'"),
        (lambda point, path: Trail("x", lines=[path]), "got 'x'"),
        (lambda point, path: Trail("step"), "lines or points must be given"),
        (lambda point, path: Trail("step", lines=["path"]), "what ax.plot returns; got 'path'"),
    ],
)
def test_what_is_no_trail_is_refused(trail, rule):
    with pytest.raises(ValueError, match=rule):
        point_explorer(trail=trail)
