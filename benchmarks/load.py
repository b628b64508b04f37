"""How long a page keeps the reader's browser busy while it loads, and how much it moves."""

from __future__ import annotations

import functools
import http.server
import importlib.util
import statistics
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.page import SITE
from tools.browser import ADVICE, find_chromium
from tools.chapters import chapters

TITLE = "Loading a page: blocked main thread, against the same page with MathJax drawing its formulas"
HEADER = ("page", "blocked", "with MathJax", "MathJax / ours", "layout shift")
HEAVIEST, REPEATS = 4, 3
MATHJAX = "mathjax/mml-chtml.js"

WATCH = """
  window.blocked = 0;
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.blocked += Math.max(0, task.duration - 50);
  }).observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.shifted += shift.value;
  }).observe({ type: "layout-shift", buffered: true });
"""


def mathjax_folder() -> Path:
    """MathJax, from the package whose parser typesets the book."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None or spec.origin is None:
        raise SystemExit("sphinx-mathjax-offline is not installed: run make book")
    return Path(spec.origin).parent / "static" / "mathjax"


class _Handler(http.server.SimpleHTTPRequestHandler):
    """The site; under /with-mathjax/ its pages load MathJax as well, which draws all MathML anew."""

    def translate_path(self, path: str) -> str:
        if path.startswith("/mathjax/"):
            return str(mathjax_folder() / path.removeprefix("/mathjax/").partition("?")[0])
        return super().translate_path(path.replace("/with-mathjax/", "/"))

    def do_GET(self) -> None:
        if not self.path.startswith("/with-mathjax/") or not self.path.endswith(".html"):
            super().do_GET()
            return
        page = Path(self.translate_path(self.path)).read_text(encoding="utf-8")
        changed = page.replace("</head>", f'<script defer src="/{MATHJAX}"></script></head>', 1).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(changed)))
        self.end_headers()
        self.wfile.write(changed)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served() -> Iterator[str]:
    handler = functools.partial(_Handler, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def load(browser: Browser, url: str) -> tuple[float, float]:
    """Milliseconds of blocked main thread and the layout shift of one visit with an empty cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(url, wait_until="networkidle")
    page.evaluate("() => window.MathJax?.startup?.promise.then(() => null)")
    page.wait_for_timeout(1500)
    found = page.evaluate("[window.blocked, window.shifted]")
    context.close()
    return found[0], found[1]


def rows() -> list[tuple[str, ...]]:
    """Return a row of text for each of the heaviest pages; the site must have been built."""
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit(ADVICE)
    if not (SITE / "index.html").exists():
        raise SystemExit("There is no site to measure: run make book first.")
    by_weight = sorted(chapters(), key=lambda one: -(SITE / f"{one.name}.html").stat().st_size)
    table = []
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for chapter in by_weight[:HEAVIEST]:
            ours, theirs, shifts = [], [], []
            for _ in range(REPEATS):  # in turn, so that whatever else runs hits both alike
                blocked, shift = load(browser, f"{address}{chapter.name}.html")
                ours.append(blocked)
                shifts.append(shift)
                theirs.append(load(browser, f"{address}with-mathjax/{chapter.name}.html")[0])
            mine, other = statistics.median(ours), statistics.median(theirs)
            ratio = f"{other / mine:.1f}" if mine else "–"
            table.append((chapter.name, f"{mine:.0f} ms", f"{other:.0f} ms", ratio, f"{max(shifts):.3f}"))
        browser.close()
    return table
