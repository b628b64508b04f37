"""What the book consists of, read from _toc.yml."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import nbformat
import yaml
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig

ROOT = Path(__file__).parents[1]
LONG = 1e9  # seconds of a notebook of which nothing is known: it is started first


@dataclass(frozen=True)
class Page:
    """A page of the book: ``name`` as in _toc.yml, ``path`` of its source."""

    name: str
    path: Path

    @property
    def is_chapter(self) -> bool:
        return self.path.suffix == ".ipynb"


def page_names(toc: dict) -> list[str]:
    """The names in a table of contents, in reading order."""
    names = [toc["root"]]

    def walk(node: dict) -> None:
        for part in node.get("parts", []):
            walk(part)
        for entry in node.get("chapters", []) + node.get("sections", []):
            if "file" in entry:
                names.append(entry["file"])
            walk(entry)

    walk(toc)
    return names


def pages(root: Path = ROOT) -> list[Page]:
    """Every page of the book in reading order; raises ``FileNotFoundError`` for one without a source."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    found = []
    for name in page_names(toc):
        paths = [root / "book" / (name + suffix) for suffix in (".ipynb", ".md")]
        path = next((path for path in paths if path.exists()), None)
        if path is None:
            raise FileNotFoundError(
                f"_toc.yml lists {name}, but there is neither {name}.ipynb nor {name}.md in book/"
            )
        found.append(Page(name, path))
    return found


def chapters(root: Path = ROOT) -> list[Page]:
    """The pages that are notebooks."""
    return [page for page in pages(root) if page.is_chapter]


def select(names: list[str], root: Path = ROOT) -> list[Page]:
    """The chapters called ``names`` (``models/least_squares`` or its path); all if none is named."""
    if not names:
        return chapters(root)
    known = {page.name: page for page in chapters(root)}
    wanted = [name.removeprefix("book/").removesuffix(".ipynb") for name in names]
    for name in wanted:
        if name not in known:
            raise SystemExit(f"There is no chapter {name}. Chapters: {', '.join(known)}")
    return [known[name] for name in wanted]


def cpu_seconds(root: Path = ROOT) -> dict[str, float]:
    """How long each chapter's kernel may work, as budgeted: the longest are started first."""
    path = root / "tests/book/budget.json"
    return json.loads(path.read_text(encoding="utf-8"))["cpu_seconds"] if path.exists() else {}


def read(page: Page) -> nbformat.NotebookNode | None:
    """The page as a notebook, exactly as the site build reads it; ``None`` for a page without code."""
    text = page.path.read_text(encoding="utf-8")
    if page.is_chapter:
        return nbformat.reads(text, as_version=4)
    if not is_myst_markdown_notebook(text):
        return None
    return read_myst_markdown_notebook(text, MdParserConfig(), add_source_map=True, path=page.path)
