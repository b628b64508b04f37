"""In a kernel: write what the site shows of each displayed object beside the run, and leave the run as it is.

Loaded by `kernel_startup.py`. Each cell becomes a file `<number>.json` in the folder of $EVERY_LINE_RUN.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

SITE, FOLDER = "EVERY_LINE_SITE", "EVERY_LINE_RUN"


class Recorder:
    """Stands between IPython and its display formatter, and keeps each display's form for the site."""

    def __init__(self, shell: Any, folder: Path):
        self.shell, self.folder = shell, folder
        self.original = shell.display_formatter.format
        self.displays: list[dict] = []
        self.cells = 0  # counted here: the kernel counts only what is kept in its history
        shell.display_formatter.format = self.format
        shell.events.register("post_run_cell", self.finish)

    def format(self, thing: Any, *args: Any, **options: Any) -> tuple[dict, dict]:
        """What the formatter gives; for the studio's objects, what they show on the site is kept."""
        is_ours = type(thing).__module__.startswith("chapters_src.") and hasattr(thing, "_repr_mimebundle_")
        form = self.form(thing) if is_ours else {}
        made = self.original(thing, *args, **options)
        if is_ours:
            kind, plain = type(thing).__name__, made[0].get("text/plain", "")
            self.displays.append({"kind": kind, "plain": plain, "facts": facts(thing)} | form)
        return made

    def form(self, thing: Any) -> dict:
        """The form for the site, made before the object is drawn for the notebook and its layout settles."""
        path = self.folder / "form.json"
        in_a_copy(lambda: path.write_text(json.dumps(site_form(thing), ensure_ascii=False), encoding="utf-8"))
        form = json.loads(path.read_text(encoding="utf-8"))
        path.unlink()
        if "error" in form:
            raise RuntimeError(f"{type(thing).__name__} has no form for the site.\n{form['error']}")
        return form

    def finish(self, result: Any) -> None:
        """Write the cell that has just run."""
        used = os.times()
        cell = {
            "source": result.info.raw_cell,
            "failed": not result.success,
            "cpu_seconds": round(sum(used[:4]), 2),
            "displays": self.displays,
        }
        self.displays = []
        self.cells += 1
        path = self.folder / f"{self.cells}.json"
        path.write_text(json.dumps(cell, ensure_ascii=False), encoding="utf-8")


def in_a_copy(act: Callable[[], Any]) -> None:
    """Act in a forked copy of the kernel, so that the run goes on as if nothing had happened.

    Drawing all frames of an explorer uses memory and moves artists; a long training run after it could end
    with other last digits. Elsewhere than on Linux forks are not safe, and the kernel itself acts.
    """
    if sys.platform != "linux":
        act()
        return
    with warnings.catch_warnings():
        # Python warns of forks beside threads; the copy uses none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            act()
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def site_form(thing: Any) -> dict:
    """What an object shows on the site, or why it cannot."""
    os.environ[SITE] = "1"
    try:
        bundle = thing._repr_mimebundle_(include=None, exclude=None)
    except Exception:
        return {"error": traceback.format_exc()}
    finally:
        del os.environ[SITE]
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    return {"data": {mime: as_text(content) for mime, content in data.items()}, "metadata": metadata}


def as_text(content: Any) -> Any:
    """Bytes of a picture as they stand in a notebook."""
    return b64encode(content).decode() if isinstance(content, bytes) else content


def facts(thing: Any) -> dict:
    """What the truth page counts of a displayed object."""
    if type(thing).__name__ == "Derivation":
        origins = [getattr(line, "origin", "code") for line in thing.lines]
        return {"lines": len(origins), "from_formula": len(origins) - origins.count("code")}
    return {}


def start() -> None:
    """Begin to record, if a folder is named."""
    from IPython import get_ipython

    if os.environ.get(FOLDER):
        Recorder(get_ipython(), Path(os.environ[FOLDER]))
