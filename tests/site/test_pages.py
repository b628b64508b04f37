"""Every page of the built site in a real browser that reaches nothing but the site."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import axe_playwright_python
import pytest
import yaml

from tests.site.drawings import CUT_OFF, OUTSIDE, SMALL_TEXT
from tools.chapters import ROOT, pages

CHAPTERS = [page.name for page in pages() if page.is_chapter]
PAGES = [page.name for page in pages()] + ["search", "genindex"]
REPOSITORY = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]["url"]
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
DESK, PAPER = {"width": 1280, "height": 900}, {"width": 794, "height": 1123}

RAW_MATHEMATICS = r"""() => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const raw = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest("pre, code, script, style, textarea")) continue;
    if (/\\\(|\\\[|\$\$|\\begin\{/.test(node.data)) raw.push(node.data.trim().slice(0, 80));
  }
  return raw;
}"""
UNSET_MATHEMATICS = r"""() => [...document.querySelectorAll("main .math")]
  .filter((one) => !one.querySelector("math")).map((one) => one.textContent.slice(0, 80))"""
SEARCHES = """() => [...document.querySelectorAll("input[type=search], .search-button, .search-button-field")]
  .filter((one) => one.checkVisibility() && !one.closest("dialog:not([open])")).length"""
# What scrolls can be reached with the keyboard once it has come into view: see site.js.
STROLL = """async () => {
  for (let at = 0; at < document.documentElement.scrollHeight; at += innerHeight) {
    scrollTo({ top: at, behavior: "instant" });
    await new Promise((seen) => requestAnimationFrame(() => setTimeout(seen)));
  }
}"""
# axe looks at every element, and a chapter has twenty thousand. Repeated colours of code, the insides of
# formulas and the paths of figures add nothing but minutes.
THIN = """() => {
  const awake = document.createElement("style");
  awake.textContent = ".bd-article :is(section, div.cell) { content-visibility: visible !important; }";
  document.head.append(awake);
  const seen = new Set();
  for (const one of document.querySelectorAll(".highlight span")) {
    const key = one.className + (one.closest(".cell_output") ? " output" : "");
    if (seen.has(key)) one.replaceWith(...one.childNodes);
    else seen.add(key);
  }
  for (const one of document.querySelectorAll("math")) one.replaceWith("formula");
  for (const one of document.querySelectorAll("figure svg > g")) one.replaceChildren();
  for (const one of document.querySelectorAll("details")) one.open = true;
}"""


@pytest.fixture(scope="module", params=PAGES)
def name(request):
    """One page after the other; all tests of a page run while it is open."""
    return request.param


@pytest.fixture(scope="module")
def opened(name, visit, address):
    with visit(f"{address}{name}.html", address) as opened:
        yield opened


def test_a_page_asks_for_nothing_outside_and_nothing_fails(opened):
    assert opened.problems == []
    assert opened.page.evaluate(SEARCHES) == 1, "one search box"


def test_all_mathematics_is_typeset(opened):
    assert opened.page.evaluate(UNSET_MATHEMATICS) == []
    assert opened.page.evaluate(RAW_MATHEMATICS) == []
    assert opened.page.locator("merror").count() == 0


def drawings(explorer) -> str:
    return "".join(explorer.locator("svg").evaluate_all("all => all.map((one) => one.outerHTML)"))


BACK = """(one, value) => {
  one.value = value;
  one.dispatchEvent(new Event("input", {bubbles: true}));
  one.dispatchEvent(new Event("change", {bubbles: true}));
}"""


def move_everything(page) -> int:
    """Move each control of each explorer with the keyboard and see the figure change; how many controls."""
    moved = 0
    page.evaluate(
        "document.querySelectorAll('details:has(.studio-explorer)').forEach((one) => (one.open = true))"
    )
    for explorer in page.locator(".studio-explorer").all():
        for control in explorer.locator(".studio-control input, .studio-control select").all():
            seen, default = {drawings(explorer)}, control.input_value()
            control.focus()
            for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "Home", "End"):
                page.keyboard.press(key)
                seen.add(drawings(explorer))
            label = control.evaluate("one => one.labels[0]?.textContent ?? one.ariaLabel")
            assert len(seen) > 1, f"moving {label!r} changes nothing"
            # Back to the default: with all scores at their ends, say, no temperature makes a difference.
            control.evaluate(BACK, default)
            moved += 1
    return moved


def test_explorers_answer_the_keyboard(opened):
    move_everything(opened.page)
    assert opened.problems == []


# The explorers that the book was asked for, each the first of its chapter.
ASKED_FOR = {
    "optimisation/descent": "learning rate",
    "sequences/decoding": "temperature",
    "generative/diffusion": "β_T",
}


@pytest.mark.parametrize(("name", "label"), ASKED_FOR.items(), indirect=["name"])
def test_learning_rate_temperature_and_beta_schedule_move(label, opened):
    """From end to end, every position of the slider has a picture and a sentence of its own."""
    explorer = opened.page.locator(".studio-explorer").first
    slider = explorer.get_by_label(label).first
    slider.focus()
    opened.page.keyboard.press("Home")
    pictures, sentences = [], []
    for _ in range(int(slider.get_attribute("max")) + 1):
        pictures.append(drawings(explorer))
        sentences.append(explorer.locator(".studio-words").inner_text())
        opened.page.keyboard.press("ArrowRight")
    assert len(pictures) >= 5
    assert len(set(pictures)) == len(pictures)
    assert len(set(sentences)) == len(sentences)


def test_a_chapter_offers_its_standalone_notebook_and_folds_its_cells(name, opened):
    page = opened.page
    button = page.get_by_role("link", name="Standalone notebook (runs on Colab)")
    assert button.count() == (name in CHAPTERS)
    # Colab opens a notebook from a repository: its button is there where one is named, and only there.
    assert page.locator("a.btn[href*='colab.research']").count() == (name in CHAPTERS and bool(REPOSITORY))
    assert "# @title" not in page.locator("main").inner_text()
    if name in CHAPTERS:
        answer = page.request.get(button.evaluate("one => one.href"))
        assert answer.ok
        assert answer.json()["nbformat"] == 4
        folds = page.locator(".tag_solution summary").all_text_contents()
        assert [text for text in folds if "solution" not in text.lower()] == []


TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
SEEN = "all => all.filter((one) => one.checkVisibility()).map((one) => one.className)"
NOT_FOR_PAPER = ".bd-sidebar-primary, .studio-control input, .studio-play, .studio-actions, .reading-progress"


def test_a_page_fits_a_phone(opened):
    for width in (360, 390):
        opened.page.set_viewport_size({"width": width, "height": 844})
        assert opened.page.evaluate(TOO_WIDE) <= 0, f"wider than a phone of {width} px"
        assert opened.page.evaluate(SMALL_TEXT) == []
        assert opened.page.evaluate(CUT_OFF) == []
        assert opened.page.evaluate(OUTSIDE) == 0
    opened.page.set_viewport_size(DESK)


def test_a_page_prints(opened):
    """It fits the sheet, without what nobody can press on paper."""
    page = opened.page
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    assert page.evaluate(TOO_WIDE) <= 0
    assert page.locator(NOT_FOR_PAPER).evaluate_all(SEEN) == []
    page.emulate_media(media="screen")
    page.set_viewport_size(DESK)


def test_a_page_is_accessible_in_light_and_dark(opened):
    """Comes last, because it thins the page out."""
    page = opened.page
    page.evaluate(THIN)
    page.evaluate(STROLL)
    page.evaluate(AXE.read_text(encoding="utf-8") + "; null")
    severe = []
    for colours, options in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=colours)
        page.wait_for_function(f"document.documentElement.dataset.theme === '{colours}'")
        found = page.evaluate(
            "options => axe.run(document, options)", {**options, "resultTypes": ["violations"]}
        )
        severe += [
            f"{colours}: {violation['id']}: {violation['help']}: {violation['nodes'][0]['html'][:200]}"
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
    assert severe == []


def test_a_page_works_from_a_folder(name, visit, site):
    with visit(f"{site.as_uri()}/{name}.html", site.as_uri()) as opened:
        assert opened.page.evaluate(UNSET_MATHEMATICS) == []
        assert opened.page.locator("merror").count() == 0
        assert opened.problems == []


def test_the_landing_page_opens_with_an_explorer_alive_from_a_folder(visit, site):
    with visit(f"{site.as_uri()}/index.html", site.as_uri()) as opened:
        opened.page.wait_for_url("**/intro.html")
        opened.settle()
        assert move_everything(opened.page) >= 1
        assert opened.problems == []


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_search_finds(scheme, visit, address, site):
    within = address if scheme == "http" else site.as_uri() + "/"
    results = ".search-live" if scheme == "http" else "#search-results"
    with visit(f"{within}search.html?q=squares", within) as opened:
        opened.page.wait_for_selector(f"{results} li a")
        assert "Least squares" in opened.page.locator(f"{results}:visible").first.inner_text()
        assert opened.problems == []


class Anchors(HTMLParser):
    """The links and the targets of one page."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        attributes = dict(attrs)
        self.ids.update(attributes[key] for key in ("id", "name") if attributes.get(key))
        self.links += [attributes[key] for key in ("href", "src") if attributes.get(key)]


def test_links_inside_the_site_resolve(site):
    files = {path: Anchors(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    broken = []
    for path, anchors in files.items():
        for link in anchors.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            wanted = unquote(parts.fragment)
            if not target.exists() or (wanted and target in files and wanted not in files[target].ids):
                broken.append(f"{path.relative_to(site)} -> {link}")
    assert sorted(set(broken)) == []


def test_the_site_names_no_content_network(site):
    for path in [*site.rglob("*.html"), *(site / "_static").glob("*.js")]:
        text = path.read_text(encoding="utf-8")
        for host in ("unpkg.com", "cdn.jsdelivr", "cdnjs.", "googleapis", "thebe"):
            assert host not in text, f"{path.relative_to(site)} mentions {host}"
