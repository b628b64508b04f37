"""What a reader of the site waits for: an explorer's step from input to paint, and the weight of a page."""

from __future__ import annotations

import functools
import gzip
import http.server
import statistics
import threading
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tools.browser import ADVICE, find_chromium
from tools.chapters import ROOT, chapters

TITLE = "Explorers on the site: a step from input event to paint, and a page with all it loads"
HEADER = ("page", "steps", "median", "95 % within", "above the empty page", "page, gzipped")
SITE = ROOT / "_build" / "html"
# The least a step can take in this browser on this machine: a slider that changes a number on an empty page.
EMPTY = """<div class="studio-control"><input type="range" max="150"></div><p>0</p><script>
  const [slider, number] = document.querySelectorAll("input, p");
  slider.addEventListener("input", () => { number.textContent = slider.value; });
</script>"""

# Moves every control of every explorer over all its positions and back, as one who plays with it does. A step
# ends when the browser has painted: a message posted in an animation frame is delivered after that frame is
# on the screen. Every step begins right after a frame, so that it waits for the whole of the next one.
MEASURE = """async () => {
  const painted = () => new Promise(done => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(null);
  }));
  const times = [];
  for (const control of document.querySelectorAll(".studio-control input, .studio-control select")) {
    control.scrollIntoView({block: "center", behavior: "instant"});
    for (let rest = 0; rest < 12; rest++) await painted(); // the scroll is not the step
    const count = control.options ? control.options.length : Number(control.max) + 1;
    for (let i = 0; i < 2 * count - 1; i++) {
      control.value = i < count ? i : 2 * count - 2 - i;
      const start = performance.now();
      control.dispatchEvent(new Event("input", {bubbles: true}));
      await painted();
      times.push(performance.now() - start);
    }
  }
  return times;
}"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def rows(site: Path = SITE, names: list[str] | None = None) -> list[tuple[str, ...]]:
    """Return a row of text for every chapter, or every page of ``names``; the site must have been built."""
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit(ADVICE)
    if not (site / "index.html").exists():
        raise SystemExit("There is no site to measure: run make book first.")
    handler = functools.partial(_Quiet, directory=str(site))
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        sync_playwright() as playwright,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        loaded: set[str] = set()
        page.on("response", lambda response: loaded.add(response.url))
        page.set_content(EMPTY)
        steps, usual, least = _step(page)
        found: list[tuple[str, ...]] = [
            ("a number on an empty page", str(steps), f"{usual:.1f} ms", f"{least:.1f} ms", "", "")
        ]
        for name in names or [chapter.name for chapter in chapters()]:
            loaded.clear()
            address = f"http://127.0.0.1:{server.server_port}/"
            page.goto(f"{address}{name}.html", wait_until="networkidle")
            page.wait_for_selector("html:not(.unpacking)")  # site.js shows the page
            weight = sum(_gzipped(site / url.removeprefix(address).split("?")[0]) for url in set(loaded))
            steps, usual, late = _step(page)
            found.append(
                (
                    name,
                    str(steps),
                    f"{usual:.1f} ms",
                    f"{late:.1f} ms",
                    f"{late - least:+.1f} ms",
                    f"{weight / 1e6:.2f} MB",
                )
            )
        browser.close()
        server.shutdown()
    return found


def _step(page: Page) -> tuple[int, float, float]:
    """Steps in a sweep, their median and 95 % quantile in milliseconds; of three sweeps the median."""
    sweeps = [sorted(page.evaluate(MEASURE)) for _ in range(3)]
    usual = statistics.median(statistics.median(times) for times in sweeps)
    late = statistics.median(times[int(0.95 * len(times))] for times in sweeps)
    return len(sweeps[0]), usual, late


def _gzipped(path: Path) -> int:
    raw = path.read_bytes()
    packed = {".woff", ".woff2", ".png", ".jpg", ".gz"}
    return len(raw) if path.suffix in packed else len(gzip.compress(raw, 6))
