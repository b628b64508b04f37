"""What the site says about a chapter before it is read: what it needs, how long it takes, how it looks."""

from __future__ import annotations

import base64
import io
import json
import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageOps

WORDS_A_MINUTE = 200
MINUTES = {"derivation": 1.5, "explorer": 1.5, "exercise": 5.0, "figure": 0.5}
MINUTES_A_CELL = 0.4  # code in view, read rather than written
THUMBNAIL = (320, 160)
# The box in which a chapter says what it needs: a directive of class "needs", with links.
BOX = re.compile(
    r"^(?P<fence>:{3,}|`{3,})\{[^}]*\}[^\n]*\n(?=:class:[^\n]*\bneeds\b)(?P<inside>.*?)^(?P=fence)",
    re.M | re.S,
)
LINK = re.compile(r"\]\((?P<path>[\w./-]+)\.ipynb[^)]*\)")
NOT_WORDS = re.compile(r"^(`{3,}|:{3,}).*?$|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\{\w+\}", re.S | re.M)


@dataclass(frozen=True)
class Facts:
    """One chapter at a glance; ``thumbnail`` is a small picture as PNG, or nothing."""

    needs: tuple[str, ...]
    minutes: int
    thumbnail: bytes


def facts(book: Path, docname: str) -> Facts:
    """Read a chapter's notebook."""
    cells = json.loads((book / f"{docname}.ipynb").read_text(encoding="utf-8"))["cells"]
    return Facts(needs_of(cells, docname), minutes(cells), thumbnail(cells))


def data(book: Path) -> dict:
    """What the notebooks do not say themselves: what each part is for, and routes."""
    return json.loads((book / "_data" / "chapters.json").read_text(encoding="utf-8"))


def prose(cells: list[dict]) -> str:
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def needs_of(cells: list[dict], docname: str) -> tuple[str, ...]:
    """The chapters linked in the box of needs."""
    box = BOX.search(prose(cells))
    if box is None:
        return ()
    paths = (found["path"] for found in LINK.finditer(box["inside"]))
    return tuple(posixpath.normpath(posixpath.join(posixpath.dirname(docname), path)) for path in paths)


def minutes(cells: list[dict]) -> int:
    """Minutes for a first reading with exercises, to the next five."""
    total = len(NOT_WORDS.sub(" ", prose(cells)).split()) / WORDS_A_MINUTE
    for cell in cells:
        if cell["cell_type"] == "code":
            tags = set(cell["metadata"].get("tags", []))
            known = [MINUTES[tag] for tag in tags & MINUTES.keys()]
            shown = not tags & {"setup", "remove-cell", "solution", "hide-input"}
            total += known[0] * bool(cell["outputs"]) if known else MINUTES_A_CELL * shown
    return 5 * max(1, round(total / 5))


def thumbnail(cells: list[dict]) -> bytes:
    """The first picture of the chapter, small."""
    for cell in cells:
        for output in cell.get("outputs", []):
            packed = output.get("data", {}).get("image/png")
            if packed:
                picture = Image.open(io.BytesIO(base64.b64decode("".join(packed)))).convert("RGB")
                small = ImageOps.fit(picture, THUMBNAIL, Image.Resampling.LANCZOS, centering=(0.5, 0.4))
                written = io.BytesIO()
                small.quantize(64).save(written, format="png", optimize=True)
                return written.getvalue()
    return b""
