"""Explorers and figures in a real browser: dragged, clicked, played and read on a phone.

A book of one page is built for it, with one explorer of each kind.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.site.conftest import serve
from tests.site.drawings import CUT_OFF, OUTSIDE, SMALL_TEXT
from tools.chapters import ROOT

CELLS = (
    """
import numpy as np
from chapters_src.studio import Choice, Explorer, Handle, Pick, Slider, Trail, figure, show, style
""",
    """
fig, (left, right) = figure(1, 2, size=(7.2, 3.2))
left.set(xlim=(-2, 2), ylim=(-2, 2), title="a point to hold", xlabel="x", ylabel="y")
right.set(xlim=(-2, 2), ylim=(0, 3), title="its distance from the middle, at a distance that wraps")
(ball,) = left.plot([], [], "o", color=style.model, ms=9)
(bar,) = right.plot([], [], lw=4, color=style.error)

def update(across, up, kind):
    ball.set_data([across], [up])
    bar.set_data([across, across], [0, np.hypot(across, up) * (1 if kind == "plain" else 0.5)])
    return f"The point is at ({across:.2g}, {up:.2g}), {kind}."

Explorer(
    "Hold", fig, update, alt="A point to drag and how far it is from the middle.",
    touch=[Handle(x="across", y="up", axes=left)],
    across=Slider(-1.5, 1.5, 0.5, "across", points=13), up=Slider(-1.5, 1.5, 1, "up", points=13),
    kind=Choice(["plain", "halved"], "plain", "kind"),
)
""",
    """
fig, ax = figure(size=(7.2, 3))
names = ["one", "two", "three", "four"]
heights = [1, 2, 3, 4]
ax.bar(names, heights, color=style.grid)
(mark,) = ax.plot([], [], "v", color=style.highlight)
ax.set(ylim=(0, 5))

def update(bar, shade):
    mark.set_data([names.index(bar)], [heights[names.index(bar)] + 0.4])
    mark.set_color(style.highlight if shade == "bright" else style.ink)
    return f"Bar {bar}, {shade}."

Explorer(
    "Choose", fig, update, alt="Four bars and a mark above one of them.",
    touch=[Pick("bar", axes=ax, targets=[(i - 0.4, 0, i + 0.4, heights[i]) for i in range(4)])],
    bar=Choice(names, "one", "bar"), shade=Choice(["bright", "dark"], "bright", "shade"),
)
""",
    """
fig, ax = figure(size=(5, 3.6))
ax.set(xlim=(0, 1), ylim=(0, 1))
ax.plot(np.linspace(0, 1, 50), (2 * np.linspace(0, 1, 50) - 1) ** 2, color=style.muted)
(bead,) = ax.plot([], [], "o", color=style.model, ms=9)

def update(along):
    bead.set_data([along], [(2 * along - 1) ** 2])
    return f"The bead is at {along:.2f}."

Explorer(
    "Slide", fig, update, alt="A bead on a steep curve.",
    touch=[Handle(x="along", marker=bead)], along=Slider(0, 1, 0.1, "along", points=41),
)
""",
    """
fig, ax = figure(size=(7.2, 3))
turns = np.linspace(0, 4 * np.pi, 61)
ax.set(xlim=(-2.2, 2.2), ylim=(-2.2, 2.2), aspect="equal")
(path,) = ax.plot([], [], "o-", ms=3)
(head,) = ax.plot([], [], "o", color=style.highlight, ms=8)

def update(size, step):
    x, y = size * turns / 13 * np.cos(turns), size * turns / 13 * np.sin(turns)
    path.set_data(x[: step + 1], y[: step + 1])
    head.set_data(x[step : step + 1], y[step : step + 1])
    return f"Size {size:.2g} after {step} steps."

Explorer(
    "Spiral", fig, update, alt="A spiral that is drawn step by step.",
    trail=Trail("step", lines=[path], points=[head]),
    size=Slider(0.5, 2, 1, "size", points=7), step=Slider(0, 60, 20, "step", scale="integer", play=True),
)
""",
    """
fig, ax = figure(size=(7.2, 3))
ax.set(xlim=(0, 24), ylim=(-1, 1))
(wave,) = ax.plot([], [])

def update(step):
    x = np.linspace(0, 24, 40)
    wave.set_data(x, np.sin(x - step / 4))
    return f"Step {step}."

Explorer(
    "Wave", fig, update, alt="A wave that runs to the right.",
    step=Slider(0, 40, 0, "step", scale="integer", points=41, play=True),
)
""",
    """
fig, axes = figure(1, 3, size=(7.2, 2.4), sharey=True)
for ax in axes:
    ax.plot([0, 1, 2], [1, 3, 2])
    ax.set(title="one of three panels", xlabel="something measured")
show(fig, alt="Three small panels with the same broken line.")
""",
    """
fig, axes = figure(1, 2)
fig.text(0.5, 0.5, "across both", ha="center")
show(fig, alt="Two empty panels with words across both.")
""",
)


@pytest.fixture(scope="module")
def page_address(tmp_path_factory):
    """The address of a book of one page."""
    folder = tmp_path_factory.mktemp("tiny")
    shutil.copytree(ROOT / "book/_static", folder / "book/_static")
    shutil.copytree(ROOT / "book/_ext", folder / "book/_ext")
    shutil.copytree(ROOT / "book/_data", folder / "book/_data")
    shutil.copy(ROOT / "book/references.bib", folder / "book")
    shutil.copy(ROOT / "_config.yml", folder)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: page\n", encoding="utf-8")
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# Explorers"), *map(nbformat.v4.new_code_cell, CELLS)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    nbformat.write(notebook, folder / "book/page.ipynb")
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", "book", "--config"]
    built = subprocess.run(
        [
            *command,
            str(folder / "_config.yml"),
            "--toc",
            str(folder / "_toc.yml"),
            "--path-output",
            str(folder),
        ],
        cwd=folder,
        env=os.environ | {"EVERY_LINE_SITE": "1", "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
    )
    if built.returncode:
        pytest.fail(built.stdout + built.stderr)
    for address in serve(folder / "_build/html"):
        yield f"{address}page.html"


@pytest.fixture
def opened(browser, page_address):
    """Open the page: ``opened(width, motion, touch)``."""
    contexts = []

    def go(width=1280, motion="no-preference", touch=False):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, reduced_motion=motion, has_touch=touch, is_mobile=touch
        )
        contexts.append(context)
        page = context.new_page()
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.goto(page_address)
        page.wait_for_load_state("networkidle")
        return page

    yield go
    for context in contexts:
        context.close()


def explorer(page, name):
    return page.locator(f"#explorer-{name}")


def values(one):
    return one.locator("input, select").evaluate_all("all => all.map((one) => Number(one.value))")


def middle(locator):
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_point_is_dragged_and_its_controls_follow(opened):
    page = opened()
    hold = explorer(page, "hold")
    drawing = "one => one.querySelector('[data-panel=\"1\"]').innerHTML"
    before, bar = values(hold), hold.evaluate(drawing)
    hold.evaluate("one => one.scrollIntoView({block: 'center', behavior: 'instant'})")
    x, y = middle(hold.locator(".studio-handle"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y + 50, steps=6)
    assert hold.locator(".studio-words").get_attribute("aria-live") == "off"
    page.mouse.up()
    across, up, kind = values(hold)
    assert across < before[0] and up < before[1] and kind == before[2]
    assert hold.evaluate(drawing) != bar  # the other panel moved too
    # The ring is within half a position of where it was dropped, in both directions.
    ring = middle(hold.locator(".studio-handle"))
    panel = hold.locator('[data-panel="0"] svg').bounding_box()
    assert abs(ring[0] - x + 60) < panel["width"] / 20 and abs(ring[1] - y - 50) < panel["height"] / 20
    shown = hold.locator("output").first.inner_text()
    assert f"({shown.replace('−', '-')}, " in hold.locator(".studio-words").inner_text()
    page.wait_for_function(
        "one => one.getAttribute('aria-live') === 'polite'",
        arg=hold.locator(".studio-words").element_handle(),
    )
    assert page.problems == []


def test_a_point_on_a_steep_curve_follows_the_hand(opened):
    page = opened()
    slide = explorer(page, "slide")
    slide.evaluate("one => one.scrollIntoView({block: 'center', behavior: 'instant'})")
    x, y = middle(slide.locator(".studio-handle"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=6)
    page.mouse.up()
    assert abs(middle(slide.locator(".studio-handle"))[0] - x - 60) < 6
    assert page.problems == []


def test_a_point_is_dragged_by_touch_and_the_page_stays(opened):
    page = opened(width=390, touch=True)
    hold = explorer(page, "hold")
    before = values(hold)
    x, y = middle(hold.locator(".studio-handle"))
    scrolled = page.evaluate("scrollY")
    session = page.context.new_cdp_session(page)

    def touch(kind, *points):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [*points]})

    touch("touchStart", {"x": x, "y": y})
    for k in range(1, 6):
        touch("touchMove", {"x": x - 12 * k, "y": y + 14 * k})
    touch("touchEnd")
    page.wait_for_timeout(100)
    after = values(hold)
    assert after[0] < before[0] and after[1] < before[1]
    assert page.evaluate("scrollY") == scrolled
    assert hold.locator(".studio-handle").bounding_box()["width"] >= 44


def test_arrow_keys_move_the_handle_one_position(opened):
    page = opened()
    hold = explorer(page, "hold")
    before = values(hold)
    hold.locator(".studio-handle").focus()
    page.keyboard.press("ArrowRight")
    assert values(hold) == [before[0] + 1, *before[1:]]
    page.keyboard.press("ArrowUp")
    assert values(hold) == [before[0] + 1, before[1] + 1, before[2]]


def test_arrow_keys_move_a_handle_along_a_steep_curve(opened):
    page = opened()
    slide = explorer(page, "slide")
    (before,) = values(slide)
    slide.locator(".studio-handle").focus()
    for key, expected in (("ArrowRight", before + 1), ("ArrowRight", before + 2), ("ArrowLeft", before + 1)):
        page.keyboard.press(key)
        assert values(slide) == [expected]


def test_a_control_moves_the_handle(opened):
    page = opened()
    hold = explorer(page, "hold")
    ring = middle(hold.locator(".studio-handle"))
    hold.locator("input").first.focus()
    page.keyboard.press("Home")
    assert middle(hold.locator(".studio-handle"))[0] < ring[0] - 50


def test_a_bar_is_chosen_by_a_click_and_only_by_one_that_hits(opened):
    page = opened()
    choose = explorer(page, "choose")
    svg = choose.locator("svg")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    svg.click(position={"x": box["width"] * 0.86, "y": box["height"] * 0.7})
    assert values(choose) == [3, 0]
    assert choose.locator(".studio-words").inner_text() == "Bar four, bright."
    framed = choose.locator(".studio-picked").bounding_box()
    assert framed["x"] > box["x"] + box["width"] * 0.7
    svg.click(position={"x": box["width"] * 0.2, "y": 20})  # high above the lowest bar
    assert values(choose) == [3, 0]


def drawn(page, one):
    return one.locator("g[data-slot] path").first.evaluate("one => one.getTotalLength()")


def test_a_trail_is_revealed_by_its_slider_and_stored_once(opened):
    page = opened()
    spiral = explorer(page, "spiral")
    slider = spiral.locator("input").last
    slider.focus()
    page.keyboard.press("End")
    whole = drawn(page, spiral)
    page.keyboard.press("Home")
    assert drawn(page, spiral) == 0
    page.keyboard.press("ArrowRight")
    first = drawn(page, spiral)
    assert 0 < first < whole / 30
    data = spiral.locator("script").evaluate("one => JSON.parse(one.textContent)")
    assert [len(table) for table, _ in data["slots"]] == [7, 7]  # a path for each size, none for a step
    assert spiral.locator(".studio-words").inner_text() == "Size 1 after 1 steps."


@pytest.mark.parametrize("name", ["spiral", "wave"])
def test_time_plays_quickly_between_the_steps_too_loops_and_speaks_at_its_end(opened, name):
    page = opened()
    one = explorer(page, name)
    one.locator(".studio-play").scroll_into_view_if_needed()
    seen = page.evaluate(
        """async (figure) => {
          const path = figure.querySelector("g[data-slot]");
          const steps = [...figure.querySelectorAll("input")].pop();
          const at = new Set(), drawings = new Set(), began = performance.now();
          let looped = false, last = -1;
          figure.querySelector(".studio-play").click();
          const live = figure.querySelector(".studio-words").getAttribute("aria-live");
          while (performance.now() - began < 6500 && !looped) {
            await new Promise(requestAnimationFrame);
            at.add(steps.value);
            drawings.add(path.innerHTML);
            if (Number(steps.value) < last) looped = true;
            last = Number(steps.value);
            if (performance.now() - began < 1000) figure.second = at.size;
          }
          figure.querySelector(".studio-play").click();
          await new Promise(requestAnimationFrame);
          return [figure.second, at.size, drawings.size, looped, live,
                  figure.querySelector(".studio-words").getAttribute("aria-live")];
        }""",
        one.element_handle(),
    )
    in_a_second, steps, drawings, looped, playing, stopped = seen
    assert in_a_second >= 15  # 20 steps a second, less what a busy machine drops
    assert drawings > 1.2 * steps  # drawings between the steps
    assert looped and (playing, stopped) == ("off", "polite")
    assert page.problems == []


def test_with_reduced_motion_play_takes_one_step(opened):
    page = opened(motion="reduce")
    wave = explorer(page, "wave")
    wave.locator(".studio-play").click()
    page.wait_for_timeout(400)
    assert values(wave) == [1]
    assert wave.locator(".studio-play").get_attribute("aria-pressed") == "false"


@pytest.mark.parametrize("width", [360, 390, 768, 1280])
def test_drawings_are_whole_and_readable_at_every_width(opened, width):
    page = opened(width=width)
    assert page.evaluate(SMALL_TEXT) == []
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(OUTSIDE) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_panels_stand_side_by_side_or_one_below_the_other(opened):
    tops = "all => all.map((one) => Math.round(one.getBoundingClientRect().top))"
    for width, rows in ((360, 2), (1280, 1)):
        panels = explorer(opened(width=width), "hold").locator(".studio-panel")
        assert len(set(panels.evaluate_all(tops))) == rows


def test_controls_are_large_enough_for_a_finger(opened):
    page = opened(width=390, touch=True)
    heights = page.locator(".studio-control :is(input, select, button)").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44
    sizes = page.locator(".studio-control :is(input, select)").evaluate_all(
        "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 16


def test_a_long_option_stays_inside_a_phone(opened):
    hold = explorer(opened(width=390), "hold")
    hold.locator("option").first.evaluate("one => (one.textContent = 'said at length '.repeat(5))")
    menu, around = hold.locator("select").bounding_box(), hold.bounding_box()
    assert menu["x"] + menu["width"] <= around["x"] + around["width"]


def test_a_drawing_that_cannot_be_taken_apart_scrolls_in_its_own_frame(opened):
    page = opened(width=390)
    wide = page.locator(".studio-wide")
    assert wide.count() == 1
    assert wide.evaluate("one => one.scrollWidth > one.clientWidth")
    assert page.locator(".studio-hint").is_visible()
