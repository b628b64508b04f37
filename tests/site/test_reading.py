"""Reading a page: contents that follow, links that land, previews, search, and a page that stands still."""

from __future__ import annotations

import pytest

from tools.chapters import pages

CHAPTERS = [page.name for page in pages() if page.is_chapter]
SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 1500);
})"""
MARKED = "document.querySelector('.bd-toc-nav a[aria-current]')?.hash"
SETTLED = "() => new Promise((done) => setTimeout(done, 700))"


@pytest.fixture(scope="module", params=CHAPTERS)
def chapter(request, visit, address):
    with visit(f"{address}{request.param}.html", address) as opened:
        yield opened


def test_nothing_moves_while_a_page_loads(chapter):
    assert chapter.page.evaluate(SHIFT) < 0.05


def test_the_contents_follow_and_stay_in_view(chapter):
    page = chapter.page
    # What lies in a closed fold cannot be scrolled to.
    links = page.locator(".bd-toc-nav a.nav-link:not([href^='#deeper'])").all()
    for link in (links[1], links[len(links) // 2], links[-1]):
        wanted = link.evaluate("one => one.hash")
        page.evaluate("hash => { location.hash = hash }", wanted)
        page.evaluate(SETTLED)
        assert page.evaluate(MARKED) == wanted
        top, height = page.evaluate(
            """() => [document.querySelector(".bd-toc-nav a[aria-current]").getBoundingClientRect().top,
              innerHeight]"""
        )
        assert 0 <= top < height, "the mark is in view"
        landed = page.evaluate("document.querySelector(location.hash).getBoundingClientRect().top")
        at_end = page.evaluate("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
        assert at_end or -5 <= landed <= 150, f"{wanted} landed at {landed} px"
    assert page.evaluate("parseFloat(document.querySelector('.reading-progress').style.scale)") > 0.5
    assert chapter.problems == []


def test_a_chapter_says_how_long_it_takes(chapter):
    assert "minutes" in chapter.page.locator(".reading-time").inner_text()


def test_every_button_has_a_name(chapter):
    unnamed = chapter.page.evaluate(
        """() => [...document.querySelectorAll("button, summary, [role=button]")]
          .filter((one) => one.checkVisibility() && !(one.ariaLabel || one.title || one.textContent.trim()))
          .map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert unnamed == []


def test_a_page_fits_at_twice_the_size(chapter):
    page = chapter.page
    page.set_viewport_size({"width": 640, "height": 450})
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert over <= 0, f"{over} px too wide at 200 %"


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_a_reference_is_previewed_on_hover_and_focus(scheme, visit, address, site):
    within = address if scheme == "http" else site.as_uri() + "/"
    with visit(f"{within}optimisation/descent.html", within) as opened:
        page = opened.page
        link = page.locator("a[href*='references.html#']").first
        link.scroll_into_view_if_needed()
        page.evaluate(SETTLED)
        link.hover()
        page.wait_for_selector(".preview")
        assert len(page.locator(".preview").inner_text()) > 20
        page.keyboard.press("Escape")
        assert page.locator(".preview").count() == 0
        link.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        page.wait_for_selector(".preview")
        assert link.get_attribute("aria-describedby") == "preview"
        assert opened.problems == []


def test_a_letter_is_explained(visit, address):
    with visit(f"{address}models/logistic.html", address) as opened:
        letter = opened.page.locator("p math mi", has_text="θ").first
        letter.scroll_into_view_if_needed()
        opened.page.evaluate(SETTLED)
        letter.hover()
        opened.page.wait_for_selector(".preview")
        assert "parameters" in opened.page.locator(".preview").inner_text()


def test_search_answers_while_one_types_and_shows_no_source(visit, address):
    with visit(f"{address}optimisation/descent.html", address) as opened:
        page = opened.page
        page.keyboard.press("Control+k")
        page.keyboard.type("learning rate")
        page.wait_for_selector(".search-live li a")
        found = page.locator(".search-live").first.inner_text()
        assert "Gradient descent" in found
        assert "\\" not in found and "$" not in found
        assert "#" in page.locator(".search-live a").first.get_attribute("href"), "a section, not a page"
        assert opened.problems == []


def test_the_first_page_moves_and_can_be_stopped(browser, address):
    for motion, moves in (("no-preference", True), ("reduce", False)):
        context = browser.new_context(reduced_motion=motion)
        page = context.new_page()
        page.goto(f"{address}intro.html")
        page.wait_for_load_state("networkidle")
        ball = page.locator(".hero-valley circle")
        before = ball.get_attribute("cx"), ball.get_attribute("cy")
        page.wait_for_timeout(600)
        assert ((ball.get_attribute("cx"), ball.get_attribute("cy")) != before) == moves
        if moves:
            page.get_by_role("button", name="Pause the picture").click()
            page.wait_for_timeout(100)
            stopped = ball.get_attribute("cx")
            page.wait_for_timeout(400)
            assert ball.get_attribute("cx") == stopped
        context.close()


def test_the_map_lights_up_what_a_chapter_needs(visit, address):
    with visit(f"{address}intro.html", address) as opened:
        cards = opened.page.locator(".map-chapter")
        assert cards.count() == len(CHAPTERS)
        opened.page.locator("[data-chapter=sequences-transformer] a").first.focus()
        lit = opened.page.locator(".map-chapter.needed").evaluate_all(
            "all => all.map(one => one.dataset.chapter)"
        )
        assert "sequences-attention" in lit and "models-least-squares" in lit
        assert "generative-diffusion" not in lit
