"""Execute the pages whose results may have changed and hand them to the site build through its cache.

The site build asks the cache by the text of a page's code cells. That text does not change when a function it
calls does, so this script keeps its own fingerprints (code, imported modules, requirements) beside the cache.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn

from tools.chapters import ROOT, Page, pages, read
from tools.dependencies import fingerprint
from tools.running import NotebookError, Run, execute_all, readable


class Ledger:
    """What was executed when it had which fingerprint, and how long it took, in a JSON file."""

    def __init__(self, path: Path):
        self.path = path
        self.pages = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def is_fresh(self, name: str, mark: str) -> bool:
        return self.pages.get(name, {}).get("fingerprint") == mark

    def seconds(self, name: str) -> float:
        """How long the page took last time; an unknown one counts as long, so that it starts first."""
        return self.pages.get(name, {}).get("seconds", float("inf"))

    def record(self, name: str, mark: str, seconds: float) -> None:
        self.pages[name] = {"fingerprint": mark, "seconds": round(seconds, 2)}
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


def execute_stale(root: Path = ROOT, build: Path | None = None) -> list[str]:
    """Execute the pages that need it, side by side, longest first; the names of those executed."""
    build = build or root / "_build"
    build.mkdir(parents=True, exist_ok=True)
    cache = get_cache(str(build / ".jupyter_cache"))
    ledger = Ledger(build / "executed.json")
    runs, marks, sources = [], {}, {}
    for page in pages(root):
        notebook = read(page)
        if notebook is None:
            continue
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        mark = fingerprint(cells, json.dumps(notebook.metadata.get("kernelspec", {}), sort_keys=True), root)
        if ledger.is_fresh(page.name, mark) and is_cached(cache, notebook):
            continue
        marks[page.name], sources[page.name] = mark, page
        runs.append(Run(page.name, notebook, page.path.parent))
    runs.sort(key=lambda run: ledger.seconds(run.name), reverse=True)
    done = []
    for run, executed, seconds in execute_all(runs, site=True):
        page = sources[run.name]
        bundle = CacheBundleIn(executed, str(page.path), data={"execution_seconds": seconds})
        # The build looks a page up by the metadata it was written with, not what the kernel added.
        executed.metadata = run.notebook.metadata
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        forget_page(page, build)
        ledger.record(page.name, marks[page.name], seconds)
        done.append(page.name)
    return done


def main() -> int:
    try:
        execute_stale()
    except NotebookError as error:
        print(f"\n{readable(error)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
