"""Where the book is being run: in a kernel, or by the build of the website."""

import os


def building_site() -> bool:
    """True while the website is built, when studio objects render themselves as HTML."""
    return os.environ.get("EVERY_LINE_SITE") == "1"
