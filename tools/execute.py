"""Execute the pages whose results may have changed and hand them to the site build through its cache.

The site build asks the cache by the text of a page's code cells. That text does not change when a function it
calls does, so this script keeps its own fingerprints (code, imported modules, requirements) beside the cache.
"""

from __future__ import annotations

import json
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbformat import NotebookNode

from tools.chapters import LONG, ROOT, Page, cpu_seconds, pages, read
from tools.records import FOR_SITE_ONLY, StaleRecord, begin, cells_of, for_site, mark_of
from tools.running import Run, execute_all


class Ledger:
    """Which fingerprint a page had when the site last took it over, in a JSON file."""

    def __init__(self, path: Path):
        self.path = path
        self.pages = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def is_fresh(self, name: str, mark: str) -> bool:
        return self.pages.get(name) == mark

    def record(self, name: str, mark: str) -> None:
        self.pages[name] = mark
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(json.dumps(self.pages, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        temporary.replace(self.path)


def is_cached(cache, notebook) -> bool:
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return False
    return True


def forget_page(page: Page, build: Path) -> None:
    """Make the site build read ``page`` again, even though its source is the same."""
    (build / ".doctrees" / f"{page.name}.doctree").unlink(missing_ok=True)


def store(page: Page, shown: NotebookNode, mark: str, build: Path) -> None:
    """Put what a page shows into the cache, where the site build looks for it."""
    cache = get_cache(str(build / ".jupyter_cache"))
    cache.cache_notebook_bundle(CacheBundleIn(shown, str(page.path)), check_validity=False, overwrite=True)
    forget_page(page, build)
    Ledger(build / "executed.json").record(page.name, mark)


def execute_stale(root: Path = ROOT, build: Path | None = None, only: str | None = None) -> list[str]:
    """Take over what test runs recorded, execute the pages of which there is no run; their names."""
    build = build or root / "_build"
    build.mkdir(parents=True, exist_ok=True)
    cache, ledger = get_cache(str(build / ".jupyter_cache")), Ledger(build / "executed.json")
    runs, waiting = [], {}
    for page in pages(root):
        notebook = read(page)
        if notebook is None or (only and page.name != only):
            continue
        mark = mark_of(notebook, root)
        if ledger.is_fresh(page.name, mark) and is_cached(cache, notebook):
            continue
        try:
            records = cells_of(page.name, notebook, mark, root)
            store(page, for_site(notebook, records, page.name), mark, build)
        except StaleRecord:
            waiting[page.name] = page, notebook, mark
            recording = begin(page.name, mark + FOR_SITE_ONLY, root)
            runs.append(Run(page.name, notebook, page.path.parent, recording))
    runs.sort(key=lambda run: cpu_seconds(root).get(run.name, LONG), reverse=True)
    done = []
    for run, executed, _ in execute_all(runs):
        page, notebook, mark = waiting[run.name]
        # The build looks a page up by the metadata it was written with, not what the kernel added.
        executed.metadata = notebook.metadata
        records = cells_of(page.name, notebook, mark + FOR_SITE_ONLY, root)
        store(page, for_site(executed, records, page.name), mark, build)
        done.append(page.name)
    return done
