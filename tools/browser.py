"""Find a Chromium for the browser tests; run as a script, say so if there is none."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ADVICE = (
    "No Chromium was found, so the browser tests cannot run. Get one with your package manager "
    "(apt-get install chromium, brew install --cask chromium) or set CHROMIUM to the path of one."
)


def find_chromium() -> str | None:
    """The path of a Chromium or Chrome: $CHROMIUM if set, else the first one on the search path."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for path in map(shutil.which, NAMES) if path), None)


def is_ci() -> bool:
    """Whether a missing browser is a failure rather than a skip."""
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


if __name__ == "__main__" and find_chromium() is None:
    print(ADVICE + (" This is CI, where that is a failure." if is_ci() else " They will be skipped."))
