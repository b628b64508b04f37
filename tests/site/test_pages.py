"""Every page of the built site in a real browser that reaches nothing but the site."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import axe_playwright_python
import pytest

from tools.chapters import pages

PAGES = [page.name for page in pages()]
ALL = [*PAGES, "search", "genindex"]
CHAPTERS = [page.name for page in pages() if page.is_chapter]
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")

RAW_MATHEMATICS = r"""() => {
  const walker = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
  const raw = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest("pre, code, script, style, textarea")) continue;
    if (/\\\(|\\\[|\$\$|\\begin\{/.test(node.data)) raw.push(node.data.trim().slice(0, 80));
  }
  return raw;
}"""
UNSET_MATHEMATICS = r"""() => [...document.querySelectorAll("article .math")]
  .filter((one) => !one.querySelector("mjx-container")).map((one) => one.textContent.slice(0, 80))"""
SEARCHES = """() => [...document.querySelectorAll("input[type=search], .search-button, .search-button-field")]
  .filter((one) => one.checkVisibility() && !one.closest("dialog:not([open])")).length"""


@pytest.mark.parametrize("name", ALL)
def test_a_page_asks_for_nothing_outside_and_nothing_fails(name, visit, address):
    opened = visit(f"{address}{name}.html", address)
    assert opened.problems == []
    assert opened.page.evaluate(SEARCHES) == 1, "one search box"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_works_from_a_folder(name, visit, site):
    opened = visit(f"{site.as_uri()}/{name}.html", site.as_uri())
    assert opened.problems == []
    assert opened.page.evaluate(UNSET_MATHEMATICS) == []
    assert opened.page.locator("mjx-merror").count() == 0


@pytest.mark.parametrize("name", PAGES)
def test_all_mathematics_is_typeset(name, visit, address):
    page = visit(f"{address}{name}.html", address).page
    assert page.evaluate(UNSET_MATHEMATICS) == []
    assert page.evaluate(RAW_MATHEMATICS) == []
    assert page.locator("mjx-merror").count() == 0


def drawings(explorer) -> str:
    return "".join(explorer.locator("svg").evaluate_all("all => all.map((one) => one.outerHTML)"))


def move_everything(page) -> None:
    """Move each control of each explorer with the keyboard, and see the figure change."""
    for explorer in page.locator(".studio-explorer").all():
        for control in explorer.locator(".studio-control input, .studio-control select").all():
            seen = {drawings(explorer)}
            control.focus()
            for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "Home", "End"):
                page.keyboard.press(key)
                seen.add(drawings(explorer))
            name = control.evaluate("one => one.labels[0]?.textContent ?? one.ariaLabel")
            assert len(seen) > 1, f"moving {name!r} changes nothing"


@pytest.mark.parametrize("name", PAGES)
def test_explorers_answer_the_keyboard(name, visit, address):
    move_everything(visit(f"{address}{name}.html", address).page)


def test_explorers_answer_from_a_folder(visit, site):
    page = visit(f"{site.as_uri()}/intro.html", site.as_uri()).page
    assert page.locator(".studio-explorer").count() == 1, "the landing page opens with a live explorer"
    move_everything(page)


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("name", ALL)
def test_a_page_is_accessible(name, colours, visit, address):
    page = visit(f"{address}{name}.html", address, colours=colours).page
    assert page.evaluate("document.documentElement.dataset.theme") == colours
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    severe = [
        f"{violation['id']}: {violation['help']}: {violation['nodes'][0]['html'][:200]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    assert severe == []


@pytest.mark.parametrize("name", ALL)
def test_a_page_fits_a_phone(name, visit, address):
    opened = visit(f"{address}{name}.html", address, width=390)
    assert opened.problems == []
    over = opened.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0, f"{over} px wider than the phone"


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_search_finds(scheme, visit, address, site):
    within = address if scheme == "http" else site.as_uri() + "/"
    opened = visit(f"{within}search.html?q=squares", within)
    opened.page.wait_for_selector("#search-results li a")
    assert "Least squares" in opened.page.locator("#search-results").inner_text()
    assert opened.problems == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_offers_its_standalone_notebook_and_folds_its_cells(name, visit, address):
    page = visit(f"{address}{name}.html", address).page
    button = page.get_by_role("link", name="Standalone notebook (runs on Colab)")
    assert button.count() == 1
    answer = page.request.get(button.evaluate("one => one.href"))
    assert answer.ok
    assert answer.json()["nbformat"] == 4
    assert page.locator("a[href*='colab.research']").count() == 0, (
        "no repository is named, so no Colab button"
    )
    for fold in page.locator(".tag_solution summary").all():
        assert fold.inner_text().strip() == "Show the solution"
    assert "# @title" not in page.locator("article").inner_text()


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
