"""Execute the stored notebooks again, side by side, and store them in normal form.

``python -m tools.refresh [chapter …]``; a notebook that fails is left as it was.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tools.chapters import ROOT, read, select
from tools.notebooks import NotebookFormError, normalise, write
from tools.records import begin, mark_of
from tools.running import NotebookError, Run, execute_all, progress, readable


def refresh(names: list[str], root: Path = ROOT) -> None:
    """Refresh the chapters called ``names``, or all."""
    pages = {page.name: page for page in select(names, root)}
    runs = []
    for page in pages.values():
        notebook = read(page)
        # Says what is wrong with its form before a minute is spent on running it.
        stored = normalise(notebook, page.name)
        recording = begin(page.name, mark_of(stored, root), root)
        runs.append(Run(page.name, stored, page.path.parent, recording))
    for run, executed, _ in execute_all(runs):
        write(executed, pages[run.name].path, run.name)
    progress(f"Refreshed {len(runs)} notebook{'s' if len(runs) != 1 else ''}")


def main(names: list[str], root: Path = ROOT) -> int:
    try:
        refresh(names, root)
    except (NotebookError, NotebookFormError) as error:
        print(f"\n{readable(error)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
