"""The built site, served on a free port, and a browser that reaches nothing else."""

from __future__ import annotations

import functools
import http.server
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, Page, sync_playwright

from tools.browser import ADVICE, find_chromium, is_ci
from tools.chapters import ROOT

DESK = {"width": 1280, "height": 900}
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium. Without one the test is skipped, and fails in CI."""
    path = find_chromium()
    if path is None:
        (pytest.fail if is_ci() else pytest.skip)(ADVICE)
    return path


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder of the site, built as ``make book`` builds it, once however many workers there are.

    With $ONLY, one chapter is built alone.
    """
    only = os.environ.get("ONLY")
    shared = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        shared = shared.parent
    done = shared / "site-built"
    with FileLock(shared / "site-lock"):
        if not done.exists():
            command = [sys.executable, "-m", "tools.book", *(["--only", only] if only else [])]
            built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            done.write_text("" if built.returncode == 0 else built.stdout + built.stderr, encoding="utf-8")
    problem = done.read_text(encoding="utf-8")
    if problem:
        pytest.fail(f"make book failed:\n{problem}")
    return ROOT / "_build" / (f"alone/{only}/_build/html" if only else "html")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def serve(folder: Path) -> Iterator[str]:
    """Serve ``folder`` on a free port of this machine and yield its address."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    yield from serve(site)


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


@dataclass
class Visit:
    """A page that was opened, and everything that went wrong while it was."""

    page: Page
    problems: list[str] = field(default_factory=list)

    def settle(self) -> None:
        """Wait until the page is shown and nothing is being loaded."""
        self.page.wait_for_load_state("networkidle")
        self.page.wait_for_function("!document.documentElement.classList.contains('unpacking')")


@pytest.fixture(scope="session")
def visit(browser: Browser):
    """Open an address in a new profile: ``with visit(url, within) as opened``."""

    @contextmanager
    def go(url: str, within: str) -> Iterator[Visit]:
        context = browser.new_context(viewport=DESK, color_scheme="light", reduced_motion="reduce")
        opened = Visit(context.new_page())

        def gate(route) -> None:
            asked = route.request.url
            if asked.startswith((within, "data:", "blob:")):
                route.continue_()
            else:
                opened.problems.append(f"asked for an outside file: {asked}")
                route.abort()

        def heard(message) -> None:
            # What the gate refuses is reported by the gate.
            if message.type == "error" and "ERR_FAILED" not in message.text:
                opened.problems.append(f"console error: {message.text}")

        def failed(request) -> None:
            if request.url.startswith(within):
                opened.problems.append(f"failed: {request.url} ({request.failure})")

        def answered(response) -> None:
            if response.status >= 400:
                opened.problems.append(f"answered {response.status}: {response.url}")

        context.route(re.compile(".*"), gate)
        opened.page.on("console", heard)
        opened.page.on("pageerror", lambda error: opened.problems.append(f"uncaught error: {error}"))
        opened.page.on("requestfailed", failed)
        opened.page.on("response", answered)
        opened.page.goto(url)
        opened.settle()
        yield opened
        context.close()

    return go
