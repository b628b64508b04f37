"""What the site needs beyond its theme; each part is a module beside this one with one job."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from sphinx.application import Sphinx

PARTS = (
    "formulas",
    "offline",
    "buttons",
    "folds",
    "deeper",
    "numbering",
    "fonts",
    "reading",
    "hero",
    "chapter_map",
    "slip_links",
    "previews",
    "search_index",
    "quiet",
)


def digest(paths: Iterable[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def setup(app: Sphinx) -> dict[str, bool]:
    # A change of these files makes Sphinx read every page again, a change of a style sheet write it again.
    here = Path(__file__).parent
    ours = sorted(path for path in here.iterdir() if path.suffix in (".py", ".js"))
    static = sorted(path for path in here.parent.glob("_static/**/*") if path.is_file())
    app.add_config_value("every_line_source", digest(ours), "env")
    app.add_config_value("every_line_static", digest(static), "html")
    for part in PARTS:
        app.setup_extension(part)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
