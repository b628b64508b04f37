"""Build the site: execute what changed, run Jupyter Book, write the standalone notebooks."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

from tools.chapters import ROOT
from tools.execute import execute_stale
from tools.running import NotebookError, progress, readable
from tools.standalone import write_all


def jupyter_book(config: Path, output: Path) -> None:
    """Run Jupyter Book with warnings as errors; its long log is shown only if it fails."""
    program = Path(sys.executable).with_name("jupyter-book")
    command = [str(program), "build", str(ROOT / "book"), "--config", str(config)]
    command += ["--toc", str(ROOT / "_toc.yml"), "--path-output", str(output), "-W", "--keep-going"]
    environment = os.environ | {"EVERY_LINE_SITE": "1", "NO_COLOR": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=True)
    if done.returncode:
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
        progress("Building the site")
        jupyter_book(config, output)
        write_all(folder / "html" / "standalone")
    return folder / "html" / "index.html"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, default=ROOT / "_config.yml")
    parser.add_argument("--output", type=Path, default=ROOT)
    options = parser.parse_args()
    try:
        print(build(options.config.resolve(), options.output.resolve()))
    except NotebookError as error:
        print(f"\n{readable(error)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
