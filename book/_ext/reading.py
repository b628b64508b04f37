"""How long a chapter takes, said under its title."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from chapter_facts import facts
from numbering import chapters


def say_minutes(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Put the minutes of a chapter below its title."""
    if pagename in chapters(app.env) and "body" in context:
        minutes = facts(Path(app.srcdir), pagename).minutes
        said = f'</h1>\n<p class="reading-time">About {minutes} minutes with the exercises</p>'
        context["body"] = context["body"].replace("</h1>", said, 1)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", say_minutes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
