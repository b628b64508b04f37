"""A site that needs nothing but itself: no scripts from elsewhere, and no file that no page asks for."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

from formulas import typeset

# The theme loads its icons twice, as a web font and as 1.4 MB of script, and preloads the font in a way that
# browsers refuse on file://. The web font is enough.
# site.js follows the reader in the contents, in place of the theme's script that loses the way.
# A folded cell's aria-label hides its visible text from screen readers; references are no list of ARIA's.
SUPERFLUOUS = re.compile(
    r'\s*<link rel="preload" as="font"[^>]*>'
    r'|\s*<script src="[^"]*fontawesome[^"]*"></script>'
    r'| aria-label="Toggle hidden content"'
    r'| role="list"(?= class="citation-list")'
    r'| data-bs-spy="scroll" data-bs-target="[^"]*"'
)
UNUSED_FILES = (
    "sphinx-thebe.*",
    "**/*.map",
    "*.html",
    "vendor/fontawesome/*/js/*",
    "vendor/fontawesome/*/webfonts/*.ttf",
)
# On load, and again after every step of an explorer, the theme measures all code on the page to see what
# scrolls, and the browser has to lay out the whole chapter. site.js looks at what comes into view instead.
MEASURED = "pre, .nboutput > .output_area, .cell_output > .output, .jp-RenderedHTMLCommon"
NOTHING = ":not(*)"
# A formula with the punctuation that touches it; a browser may otherwise break the line between them.
MATH = r'<span class="math notranslate nohighlight">[^<]*</span>'
FORMULA = re.compile(rf"\({MATH}[.,;:!?)’]*|{MATH}[.,;:!?)’]+")


def without_thebe(app: Sphinx, config: Config) -> None:
    """Unregister sphinx-thebe, which Jupyter Book always loads and which needs a CDN."""
    for name, listeners in app.events.listeners.items():
        app.events.listeners[name] = [one for one in listeners if one.handler.__module__ != "sphinx_thebe"]
    app.registry.css_files = [one for one in app.registry.css_files if "thebe" not in str(one[0])]


def tidy(page: str) -> str:
    """A page without what it does not need, its formulas typeset and glued to the punctuation they touch."""
    return typeset(FORMULA.sub(r'<span class="glued">\g<0></span>', SUPERFLUOUS.sub("", page)))


def tidy_pages(app: Sphinx) -> None:
    """Have every page tidied as it is written."""
    if app.builder.format == "html":
        render = app.builder.templates.render
        app.builder.templates.render = lambda name, context: tidy(render(name, context))


def drop_unused_files(app: Sphinx, error: Exception | None) -> None:
    """Leave out of the site the files no page asks for."""
    if error is None and app.builder.format == "html":
        for pattern in UNUSED_FILES:
            for path in (Path(app.outdir) / "_static").glob(pattern):
                path.unlink()


def stop_measuring(app: Sphinx, error: Exception | None) -> None:
    """Let the site's copy of the theme's script measure nothing."""
    if error is not None or app.builder.format != "html":
        return
    script = Path(app.outdir) / "_static" / "scripts" / "pydata-sphinx-theme.js"
    code = script.read_text(encoding="utf-8")
    if MEASURED not in code and NOTHING not in code:
        raise ExtensionError(f"{script.name} has changed: does it still measure all code of a page?")
    script.write_text(code.replace(MEASURED, NOTHING), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", without_thebe)
    app.connect("builder-inited", tidy_pages)
    app.connect("build-finished", drop_unused_files)
    app.connect("build-finished", stop_measuring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
