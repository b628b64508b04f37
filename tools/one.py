"""Check one chapter, ``python -m tools.one models/least_squares``: what it computes, how it is shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.chapters import ROOT, Page, select

PYTEST = ["-m", "pytest", "-q", "-n", "2"]


def unit_tests(page: Page, root: Path = ROOT) -> list[str]:
    """Where the chapter's own tests are."""
    return [path.relative_to(root).as_posix() for path in (root / "tests").glob(page.name) if path.is_dir()]


def sessions(page: Page, root: Path = ROOT) -> list[list[str]]:
    """The arguments of two runs of pytest: the page is built from what the notebook leaves behind."""
    notebook = page.path.relative_to(root).as_posix()
    shown = ["tests/book", "tests/site", "--ignore=tests/site/test_standalone.py", "-k", page.name]
    return [[notebook, *unit_tests(page, root)], shown]


def main(name: str) -> int:
    page = select([name])[0]
    environment = os.environ | {"ONLY": page.name}
    for arguments in sessions(page):
        done = subprocess.run([sys.executable, *PYTEST, *arguments], cwd=ROOT, env=environment)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
