"""Build the site: execute what changed, run Jupyter Book, write the standalone notebooks."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import yaml
from filelock import FileLock

from tools import truth
from tools.chapters import ROOT, pages, read, select
from tools.execute import execute_stale
from tools.running import NotebookError, progress, readable
from tools.standalone import write_all, write_one

# What a page that is built alone cannot find: the pages it links to.
ELSEWHERE = re.compile(
    r"unknown document|xref_missing|target not found|undefined label|equation not found|toctree"
)


def jupyter_book(config: Path, toc: Path, output: Path, alone: bool = False) -> None:
    """Run Jupyter Book with warnings as errors; its long log is shown only if it fails.

    A page built ``alone`` may link to pages that are not there.
    """
    program = Path(sys.executable).with_name("jupyter-book")
    command = [str(program), "build", str(ROOT / "book"), "--config", str(config)]
    command += ["--toc", str(toc), "--path-output", str(output), "--keep-going"]
    command += [] if alone else ["-W"]
    environment = os.environ | {"EVERY_LINE_SITE": "1", "NO_COLOR": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=True)
    warnings = [line for line in done.stderr.splitlines() if "WARNING" in line and not ELSEWHERE.search(line)]
    if done.returncode or (alone and warnings):
        raise NotebookError(f"The site did not build.\n\n{done.stdout}\n{done.stderr}")


def build(config: Path = ROOT / "_config.yml", output: Path = ROOT) -> Path:
    """Build the site into ``output``/_build/html and return the path of its first page."""
    folder = output / "_build"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):
        progress("Executing what changed")
        executed = execute_stale(build=folder)
        if not executed:
            progress("Nothing to execute")
        truth.write()
        progress("Building the site")
        jupyter_book(config, ROOT / "_toc.yml", output)
        write_all(folder / "html" / "standalone")
    return folder / "html" / "index.html"


def build_alone(name: str) -> Path:
    """Build one chapter and the pages of text as a site of its own, for its author and its tests."""
    page, output = select([name])[0], ROOT / "_build" / "alone" / name
    folder = output / "_build"
    folder.mkdir(parents=True, exist_ok=True)
    toc = output / "_toc.yml"
    words = [{"file": other.name} for other in pages() if read(other) is None]
    contents = {"format": "jb-book", "root": page.name, "chapters": words}
    toc.write_text(yaml.safe_dump(contents), encoding="utf-8")
    with FileLock(folder / ".lock"):
        execute_stale(build=folder, only=page.name)
        truth.write()
        jupyter_book(ROOT / "_config.yml", toc, output, alone=True)
        write_one(page, folder / "html" / "standalone")
    return folder / "html" / f"{page.name}.html"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, default=ROOT / "_config.yml")
    parser.add_argument("--output", type=Path, default=ROOT)
    parser.add_argument("--only", help="one chapter, as a site of its own")
    options = parser.parse_args()
    try:
        if options.only:
            print(build_alone(options.only))
        else:
            print(build(options.config.resolve(), options.output.resolve()))
    except NotebookError as error:
        print(f"\n{readable(error)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
