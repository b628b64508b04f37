"""What the site needs beyond its theme: offline mathematics, no dead scripts, and buttons that work."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

# The part of MathJax the site uses: the renderer, its fonts, and the packages TeX macros load on first use.
MATHJAX_PARTS = ("tex-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions")
# The theme loads its icons twice, as a web font and as 1.4 MB of script, and preloads the font in a way that
# browsers refuse on file://. The web font is enough.
# A folded cell's aria-label hides its visible text from screen readers; references are no list of ARIA's.
SUPERFLUOUS = re.compile(
    r'\s*<link rel="preload" as="font"[^>]*>'
    r'|\s*<script src="[^"]*fontawesome[^"]*"></script>'
    r'| aria-label="Toggle hidden content"'
    r'| role="list"(?= class="citation-list")'
)
UNUSED_FILES = (
    "sphinx-thebe.*",
    "**/*.map",
    "*.html",
    "vendor/fontawesome/*/js/*",
    "vendor/fontawesome/*/webfonts/*.ttf",
)
# A formula with the punctuation that touches it; a browser may otherwise break the line between them.
MATH = r'<span class="math notranslate nohighlight">[^<]*</span>'
FORMULA = re.compile(rf"\({MATH}[.,;:!?)’]*|{MATH}[.,;:!?)’]+")
COLAB = "https://colab.research.google.com"


def mathjax_source() -> Path:
    """The folder of MathJax inside the package that carries it."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None or spec.origin is None:
        raise ImportError("sphinx-mathjax-offline is not installed: run make book")
    return Path(spec.origin).parent / "static" / "mathjax"


def copy_mathjax(app: Sphinx, error: Exception | None) -> None:
    """Put MathJax among the site's own files."""
    if error is not None or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "mathjax"
    for part in MATHJAX_PARTS:
        source, copy = mathjax_source() / part, target / part
        if copy.exists():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy)
        else:
            shutil.copyfile(source, copy)


def without_thebe(app: Sphinx, config: Config) -> None:
    """Unregister sphinx-thebe, which Jupyter Book always loads and which needs a CDN."""
    for name, listeners in app.events.listeners.items():
        app.events.listeners[name] = [one for one in listeners if one.handler.__module__ != "sphinx_thebe"]
    app.registry.css_files = [one for one in app.registry.css_files if "thebe" not in str(one[0])]


def tidy(page: str) -> str:
    """A page without what it does not need, and with punctuation glued to the formula it follows."""
    return FORMULA.sub(r'<span class="glued">\g<0></span>', SUPERFLUOUS.sub("", page))


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


def colab_url(repository: str, docname: str) -> str | None:
    """Where Colab opens a chapter's standalone notebook, published on the branch gh-pages."""
    address = urlparse(repository)
    if address.netloc != "github.com":
        return None
    return f"{COLAB}/github/{address.path.strip('/')}/blob/gh-pages/standalone/{docname}.ipynb"


def set_buttons(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Replace the theme's download buttons by a chapter's own: Colab, its source, its standalone notebook."""
    if "header_buttons" not in context:
        return
    mine = []
    if pagename in app.env.found_docs and app.env.doc2path(pagename).endswith(".ipynb"):
        options = app.config.html_theme_options
        repository, branch = options.get("repository_url") or "", options.get("repository_branch") or "main"
        colab, standalone = (
            colab_url(repository, pagename),
            context["pathto"](f"standalone/{pagename}.ipynb", 1),
        )
        if colab:
            mine.append(link("colab", colab, "Run on Colab", "Open this chapter on Colab", "fas fa-play"))
        if repository:
            source = f"{repository.rstrip('/')}/blob/{branch}/book/{pagename}.ipynb"
            mine.append(link("source", source, "Source", "The notebook in its repository", "fas fa-code"))
        label, tip = (
            "Standalone notebook (runs on Colab)",
            "This chapter as one notebook that carries its code",
        )
        mine.append(link("standalone", standalone, label, tip, "fas fa-download"))
    kept = [one for one in context["header_buttons"] if one.get("label") != "download-buttons"]
    context["header_buttons"] = mine + kept


def link(name: str, url: str, text: str, tooltip: str, icon: str) -> dict[str, str]:
    """A header button as the theme's template reads it."""
    return {
        "type": "link",
        "url": url,
        "text": text,
        "tooltip": tooltip,
        "icon": icon,
        "label": f"{name}-button",
    }


def prefer_local_mathjax(app: Sphinx, config: Config) -> None:
    config.mathjax_path = "mathjax/tex-chtml.js"


def fold_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Put a folded cell's ``# @title`` on its fold instead of in its code."""
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") != "cell_code":
            continue
        for block in cell.findall(nodes.literal_block):
            first, _, rest = block.astext().partition("\n")
            if first.startswith("# @title ") and "language" in block:
                prompt = first.removeprefix("# @title ")
                if "tag_solution" not in cell["classes"]:
                    prompt = f"Code: {prompt[0].lower()}{prompt[1:]}"
                cell["prompt_show"] = cell["prompt_hide"] = prompt
                block.children = [nodes.Text(rest.lstrip("\n"))]
                block.rawsource = rest.lstrip("\n")


def digest(paths: Iterable[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def setup(app: Sphinx) -> dict[str, bool]:
    # A change of this file makes Sphinx read every page again, a change of a style sheet write it again.
    static = sorted(path for path in Path(__file__).parents[1].glob("_static/**/*") if path.is_file())
    app.add_config_value("every_line_source", digest([Path(__file__)]), "env")
    app.add_config_value("every_line_static", digest(static), "html")
    app.connect("config-inited", without_thebe)
    app.connect("config-inited", prefer_local_mathjax)
    app.connect("doctree-read", fold_cells)
    app.connect("builder-inited", tidy_pages)
    app.connect("html-page-context", set_buttons, priority=900)
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", drop_unused_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
