"""A chapter's buttons: Colab and its source where a repository is named, its standalone notebook always."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlparse

from sphinx.application import Sphinx

COLAB = "https://colab.research.google.com"


def colab_url(repository: str, docname: str) -> str | None:
    """Where Colab opens a chapter's standalone notebook, published on the branch gh-pages."""
    address = urlparse(repository)
    if address.netloc != "github.com":
        return None
    return f"{COLAB}/github/{address.path.strip('/')}/blob/gh-pages/standalone/{docname}.ipynb"


def set_buttons(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Replace the theme's download buttons by a chapter's own."""
    if "header_buttons" not in context:
        return
    mine = []
    if pagename in app.env.found_docs and app.env.doc2path(pagename).endswith(".ipynb"):
        options = app.config.html_theme_options
        repository, branch = options.get("repository_url") or "", options.get("repository_branch") or "main"
        colab = colab_url(repository, pagename)
        standalone = context["pathto"](f"standalone/{pagename}.ipynb", 1)
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
    label = f"{name}-button"
    return {"type": "link", "url": url, "text": text, "tooltip": tooltip, "icon": icon, "label": label}


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", set_buttons, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
