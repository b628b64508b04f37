"""What a reader can touch, in a real browser: questions, lines of a derivation, ticks on numbers, code."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import axe_playwright_python
import pytest

from chapters_src.studio.typeset import html_sentence
from tests.site.toy_book import build, cells, code
from tests.studio.question_examples import descent, half, steps
from tools.chapters import ROOT

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
PHONE = {"width": 390, "height": 844}
ANSWERS = {
    "predict": [
        *("0.25", "1/4", "25 %", "2.5e-1", "2.5 × 10⁻¹", ".25", "0.251", "0.2511", "0.249", "0.25 "),
        *("0.5", "0.501", "0.5011", "1", "1.0000001", "1,650", "1e300", "-0.25", "−0.5", "-1", "-1.1", "0"),
        *(
            "",
            "  ",
            "x",
            "0,5",
            "1/0",
            "1e400",
            "0.3",
            "$&",
            "1/2/3",
            "--1",
            "<b>",
            "1\u202f650",
            "2.5·10^{-1}",
        ),
    ],
    "choose": ["a", "b", "c", ""],
    "order": ["".join(order) for order in itertools.permutations("abcd")],
}
JUDGE = """([answer]) => {
  const form = document.forms[0];
  const { judge, unwrap } = window.everyLineRuns;
  const found = judge(unwrap(form.dataset.answers), answer);
  const text = form.querySelector(`[data-key="${found.key}"]`)?.innerHTML ?? "";
  return { ...found, text };
}"""


@pytest.mark.parametrize(
    "question", [half(), half(unit="%"), steps(), descent(), descent(before=[])], ids=str
)
def test_the_page_judges_as_python_does(question, visit, tmp_path):
    script = (ROOT / "book/_static/questions.js").read_text(encoding="utf-8")
    page = f'<!doctype html><html lang="en"><link rel="icon" href="data:,"><body>{question.html()}'
    (tmp_path / "one.html").write_text(f"{page}<script>{script}</script>", encoding="utf-8")
    with visit(f"{tmp_path.as_uri()}/one.html", tmp_path.as_uri()) as opened:
        for answer in ANSWERS[question.kind]:
            mine, verdict = opened.page.evaluate(JUDGE, [answer]), question.check(answer, 1)
            assert (mine["accepted"], mine["attempted"], mine["finding"]) == (
                verdict.accepted,
                verdict.attempted,
                verdict.finding,
            ), answer
            if mine.get("unforeseen"):
                assert verdict.hint == question.hints[-1], answer
            else:
                said = f"Hint: {html_sentence(verdict.hint)}" if verdict.hint else html_sentence(verdict.note)
                assert mine["text"] == said, answer
        assert opened.problems == []


@pytest.fixture(scope="module")
def toy(tmp_path_factory) -> Path:
    """The folder of the toy book's site."""
    folder = tmp_path_factory.mktemp("toy")
    built = build(folder, cells())
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "_build" / "html"


@pytest.fixture
def opened(toy, visit):
    with visit(f"{toy.as_uri()}/part/toy.html", toy.as_uri()) as opened:
        opened.page.evaluate("localStorage.clear()")
        yield opened
        assert opened.problems == []


def answer(form, value=None):
    if value is not None:
        form.locator("input[type=text]").fill(value)
    form.get_by_role("button", name="Check").click()
    return form.locator(".studio-verdict").inner_text()


def test_hints_come_one_at_a_time(opened):
    form = opened.page.locator("#question-half-of-a-half")
    hints = form.locator(".studio-hints > li:visible")
    assert answer(form) == "Not attempted yet."
    assert answer(form, "0.5") == "Not yet. 0.5 is not it.\nHint: that is one half; take half of it once more"
    assert hints.count() == 0
    assert answer(form, "0.3") == "Not yet. 0.3 is not it."
    assert hints.all_inner_texts() == ["draw a square"]
    form.get_by_role("button", name="Another hint").click()
    assert hints.count() == 2
    assert form.locator(".studio-more").is_hidden()
    assert answer(form, "1/4 m").startswith("Accepted. A quarter")


def test_progress_stays_in_this_browser_and_can_be_cleared(opened):
    page = opened.page
    count, clear = page.locator(".studio-progress span"), page.locator(".studio-progress button")
    assert count.text_content() == "0 of 5 solved on this page" and clear.is_hidden()
    answer(page.locator("#question-half-of-a-half"), "0.25")
    answer(page.locator("#question-the-proof"))
    assert count.text_content() == "1 of 5 solved on this page"
    page.reload()
    opened.settle()
    assert count.text_content() == "1 of 5 solved on this page"
    states = page.locator("form.studio-question").evaluate_all("all => all.map((one) => one.dataset.state)")
    assert states == ["solved", "", "", "", "tried"]
    clear.click()
    assert count.text_content() == "0 of 5 solved on this page" and clear.is_hidden()
    assert not [key for key in page.evaluate("Object.keys(localStorage)") if "every-line-runs" in key]


def test_a_false_line_is_found(opened):
    form = opened.page.locator("form", has_text="Find the false line")
    form.get_by_role("radio").nth(1).check()
    assert answer(form).startswith("Not yet. Line 2 is right: it follows from line 1")
    form.get_by_role("radio").nth(2).check()
    assert answer(form).startswith("Accepted. Line 3 is the false one. The middle term")


def order_of(form):
    return "".join(form.locator("[data-label]").evaluate_all("all => all.map((one) => one.dataset.label)"))


def test_lines_are_put_in_order_by_keyboard_and_by_dragging(opened):
    page = opened.page
    form = page.locator("#question-the-proof")
    assert order_of(form) == "abc"
    form.get_by_role("button", name="Line c up").focus()
    page.keyboard.press("Enter")
    assert order_of(form) == "acb"
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Line c up"
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    assert order_of(form) == "cab", "the first line stays first"
    first, last = form.locator("[data-label=c]"), form.locator("[data-label=b]")
    first.scroll_into_view_if_needed()
    start, end = first.bounding_box(), last.bounding_box()
    page.mouse.move(start["x"] + 60, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(start["x"] + 60, end["y"] + end["height"] - 2, steps=12)
    page.mouse.up()
    assert order_of(form) == "abc"


def test_a_finger_drags_a_line_by_its_letter(toy, browser):
    context = browser.new_context(viewport=PHONE, has_touch=True)
    page = context.new_page()
    page.goto(f"{toy.as_uri()}/part/toy.html")
    form = page.locator("#question-the-proof")
    grip = form.locator("[data-label=c] .studio-label")
    grip.scroll_into_view_if_needed()
    at, to = grip.bounding_box(), form.locator("[data-label=a]").bounding_box()
    touch = context.new_cdp_session(page)
    x = at["x"] + at["width"] / 2

    def send(kind, y):
        points = [{"x": x, "y": y}] if y is not None else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", at["y"] + 10)
    for step in range(1, 11):
        send("touchMove", at["y"] + 10 + (to["y"] - at["y"] - 8) * step / 10)
    send("touchEnd", None)
    assert order_of(form) == "cab"
    context.close()


def test_a_line_opens_and_can_be_broken(opened):
    page = opened.page
    line = page.locator("#eq-toy-square-3")
    inside = line.locator(".studio-inside")
    look = line.get_by_role("button", name=re.compile("Line 3, run from"))
    assert look.get_attribute("aria-expanded") == "false" and inside.is_hidden()
    look.focus()
    page.keyboard.press("Enter")
    assert look.get_attribute("aria-expanded") == "true"
    text = inside.inner_text()
    assert "a**2 + 2 * a * b + b**2" in text and "disagreement" in text
    inside.get_by_role("button", name="Break this line").click()
    assert "line 3 does not follow" in inside.inner_text()
    line.locator(".studio-maths").click()
    assert inside.is_hidden()
    page.goto(page.url.split("#")[0] + "#eq-toy-square-2")
    assert page.evaluate("document.querySelector(':target').className") == "studio-line"


def test_reasons_without_room_go_under_their_lines(toy, browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(
        """addEventListener("DOMContentLoaded", () => {
          const wide = document.createElement("style");
          wide.textContent = ":is(.studio-maths, .studio-text) { min-width: 34rem }";
          document.head.append(wide);
        })"""
    )
    page.goto(f"{toy.as_uri()}/part/toy.html")
    lines = page.locator("#eq-toy-square-2").locator("..")
    for block in (lines, page.locator(".studio-lined").first):
        block.scroll_into_view_if_needed()
        page.wait_for_function(
            "one => one.classList.contains('studio-stacked')", arg=block.element_handle(), timeout=5000
        )
    formula = lines.locator(".studio-maths").nth(1).bounding_box()
    reason = lines.locator(".studio-reason").nth(1).bounding_box()
    around = lines.bounding_box()
    assert reason["y"] >= formula["y"] + formula["height"] - 1
    assert reason["x"] + reason["width"] <= around["x"] + around["width"]
    context.close()


def test_a_reason_is_never_cut_off(toy, browser):
    """Neither beside a formula on a wide page nor under a long one on a phone."""
    wide = {1280: ".studio-reason .math { min-width: 34rem }", 390: ".studio-text { min-width: 34rem }"}
    for width, rule in wide.items():
        context = browser.new_context(viewport={"width": width, "height": 900})
        page = context.new_page()
        page.add_init_script(
            f"""addEventListener("DOMContentLoaded", () => {{
              const wide = document.createElement("style");
              wide.textContent = "{rule}";
              document.head.append(wide);
            }})"""
        )
        page.goto(f"{toy.as_uri()}/part/toy.html")
        derived, asked = page.locator("#eq-toy-square-2").locator(".."), page.locator(".studio-lined").first
        block = derived if width > 640 else asked
        block.scroll_into_view_if_needed()
        if width > 640:
            page.wait_for_function(
                "one => one.classList.contains('studio-stacked')", arg=block.element_handle(), timeout=5000
            )
        around = block.bounding_box()
        for reason in block.locator(".studio-reason").all():
            box = reason.bounding_box()
            assert box["x"] + box["width"] <= around["x"] + around["width"] + 1
            assert reason.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
        context.close()


def test_pointing_at_a_line_shows_its_values(opened):
    page = opened.page
    card = page.get_by_role("tooltip")
    page.locator("#eq-toy-square-2").hover()
    card.wait_for(state="visible")
    assert re.fullmatch(r"line 1\s+\S+\s+line 2\s+\S+\s+disagreement\s+below 1e-\d+", card.inner_text())
    page.keyboard.press("Escape")
    assert card.is_hidden()
    page.locator("#eq-toy-square-2 .studio-look").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert card.is_visible(), "the keyboard sees them too"


def test_a_claim_is_a_tick_on_its_number(opened):
    page = opened.page
    numbers = page.locator(".studio-number")
    texts = [text.strip() for text in numbers.all_inner_texts()]
    assert (texts[0], texts[1], texts[3]) == ("12.24,", "52 %", "ten times"), "the third is a formula"
    assert numbers.count() == 4
    assert page.locator(".studio-claim").count() == 0, "no line of its own"
    page.locator(".studio-tick").first.click()
    card = page.get_by_role("tooltip")
    assert "mean = 12.24 ✓ claimed 12.24 ± 0.005" in card.inner_text()
    assert 'claim("mean", 12.2398' in card.inner_text()
    described = page.locator(".studio-tick").first.get_attribute("aria-describedby")
    assert page.locator(f"#{described}").text_content().startswith("mean = 12.24")
    shown = page.locator("main div.cell_input pre").all_inner_texts()
    assert not any('claim("mean"' in text for text in shown), "a cell that only claims is not shown"
    assert any("share = 0.5234" in text for text in shown)


def test_code_is_behind_one_button_in_the_corner(opened):
    page = opened.page
    names = [text.strip() for text in page.locator("details.hide > summary p.collapsed").all_text_contents()]
    assert names == ["Code: the binomial, line by line", "Code: a line that tilts", "Code: two points"]
    cell = page.locator("div.cell.quiet-code").nth(1)
    button, box = cell.locator("summary"), cell.locator("figure").bounding_box()
    at = button.bounding_box()
    assert box["y"] <= at["y"] and at["x"] + at["width"] <= box["x"] + box["width"] + 1
    assert at["width"] >= 44 and at["height"] >= 44
    assert cell.locator("pre").first.is_hidden()
    button.focus()
    page.keyboard.press("Enter")
    text = "".join(cell.locator("pre").all_inner_texts())
    assert "ax.plot([0, 1], [0, 0])" in text and "def update(slope)" in text, (
        "with the cell that set the stage"
    )
    box = cell.locator("figure").bounding_box()  # again, because focus may have scrolled the page
    assert cell.locator("pre").first.bounding_box()["y"] >= box["y"] + box["height"]


def test_a_long_title_leaves_the_button_its_corner(toy, browser):
    context = browser.new_context(viewport={"width": 390, "height": 900})
    page = context.new_page()
    page.goto(f"{toy.as_uri()}/part/toy.html")
    title = page.locator("figcaption.studio-title").first
    title.scroll_into_view_if_needed()
    title.evaluate("one => (one.textContent = 'a title of many words '.repeat(4))")
    ends = title.evaluate(
        """one => {
          const range = document.createRange();
          range.selectNodeContents(one);
          return Math.max(...[...range.getClientRects()].map((line) => line.right));
        }"""
    )
    button = page.locator("div.cell.quiet-code", has=title).locator("summary").first.bounding_box()
    assert ends <= button["x"] + 8
    context.close()


def test_a_code_exercise_says_where_to_write(opened):
    said = opened.page.locator(".studio-elsewhere")
    assert said.text_content() == "Write your answer in a notebook, which checks it: download the notebook."
    assert said.get_by_role("link").get_attribute("href") == "../standalone/part/toy.ipynb"
    assert "Not attempted yet" not in opened.page.locator("main").text_content()


def touch_everything(page):
    for line in page.locator(".studio-line").all():
        line.locator(".studio-look").click()
    for button in page.locator(".studio-break").all():
        button.click()
    for form in page.locator("form.studio-question").all():
        answer(form)


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_is_accessible_and_fits(opened, colours, width):
    page = opened.page
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=colours)
    page.wait_for_function(f"document.documentElement.dataset.theme === '{colours}'")
    page.evaluate("document.documentElement.classList.remove('measured')")
    touch_everything(page)
    page.evaluate(AXE.read_text(encoding="utf-8") + "; null")
    found = page.evaluate(
        "axe.run({include: ['main'], exclude: ['figure']}, {preload: false, resultTypes: ['violations']})"
    )
    assert [
        (one["id"], one["nodes"][0]["html"][:200])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ] == []
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0
    if width == 390:
        small = page.evaluate(
            "[...document.querySelectorAll('.studio-question button, .studio-look, .quiet-code summary')]"
            ".filter((one) => one.checkVisibility() && (one.offsetWidth < 44 || one.offsetHeight < 44))"
            ".map((one) => one.outerHTML.slice(0, 120))"
        )
        assert small == []


CLAIM = 'claim("mean", 12.2398, equals=12.24, within=0.005)'


@pytest.mark.parametrize(
    ("prose", "count"), [("Nothing here.", "neither above nor below"), ("12.24 is 12.24.", "stands 2 times")]
)
def test_a_claim_without_its_one_number_stops_the_build(prose, count, tmp_path):
    page = cells()[:2]
    page[0].source = f"# A toy\n\n{prose}"
    built = build(tmp_path, [*page, code(CLAIM)])
    assert built.returncode != 0
    said = " ".join((built.stdout + built.stderr).split())
    assert (
        f"part/toy, cell 3: the claim “mean” looks for 12.24, which stands {count.removeprefix('stands ')}"
        in said
    )
