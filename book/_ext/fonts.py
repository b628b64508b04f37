"""The fonts of the site: taken from their packages at build, cut to the characters that are used.

They stand inside a style sheet, so that the first line a reader sees is set in them and nothing moves later.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import io
import re
from pathlib import Path

from fontTools import subset
from sphinx.application import Sphinx

TEXT = {
    "Regular": "font-weight:400",
    "It": "font-weight:400;font-style:italic",
    "Semibold": "font-weight:500 800",
    "SemiboldIt": "font-weight:500 800;font-style:italic",
}
SOURCE_SANS = ("font_source_sans_pro", "files")
STIX = ("ziamath", "fonts", "STIXTwoMath-Regular.ttf")
SHEET = "fonts.css"
# Western letters, Greek, punctuation, small digits, arrows and the commonest signs.
ALPHABET = {
    *range(0x20, 0x180),
    *range(0x370, 0x400),
    *range(0x2010, 0x2040),
    *range(0x2070, 0x20A0),
    *range(0x2190, 0x2194),
    *map(ord, "−×≈≤≥≠√∞∂∑∏◊"),
}
# Browsers draw a variable's letter with the slanted letters of Unicode, whatever letter the page has.
SLANTED = {0x210E, *range(0x1D434, 0x1D468), *range(0x1D6A4, 0x1D6A6), *range(0x1D6E2, 0x1D71C)}
FORMULA = re.compile(r"<math\b.*?</math>", re.S)


def package_file(package: str, *path: str) -> Path:
    """A file inside an installed package."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"{package} is not installed: run make book")
    return Path(spec.origin).parent.joinpath(*path)


def mathematical_characters(site: Path) -> set[int]:
    """The characters of all formulas of a built site."""
    pages = (path.read_text(encoding="utf-8") for path in site.rglob("*.html"))
    text = "".join(re.sub(r"<[^>]*>", "", formula) for page in pages for formula in FORMULA.findall(page))
    return {ord(character) for character in text}


def cut(source: Path, characters: set[int]) -> bytes:
    """The font with these characters alone, packed for the web."""
    options = subset.Options(flavor="woff2", layout_features=["*"], notdef_outline=True, drop_tables=["DSIG"])
    font, packed = subset.load_font(str(source), options), io.BytesIO()
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters)
    cutter.subset(font)
    subset.save_font(font, packed, options)
    return packed.getvalue()


def face(family: str, how: str, font: bytes) -> str:
    """A font as a rule of a style sheet."""
    source = f"data:font/woff2;base64,{base64.b64encode(font).decode()}"
    return f'@font-face{{font-family:"{family}";{how};src:url({source}) format("woff2")}}\n'


def style_sheet(formulas: set[int]) -> str:
    """All fonts of the site; ``formulas`` are the characters that its mathematics needs."""
    rules = [
        face("Source Sans Pro", how, cut(package_file(*SOURCE_SANS, f"SourceSansPro-{name}.ttf"), ALPHABET))
        for name, how in TEXT.items()
    ]
    return "".join([*rules, face("STIX Two Math", "font-weight:400", cut(package_file(*STIX), formulas))])


def add_fonts(app: Sphinx, error: Exception | None) -> None:
    """Put the fonts among the site's files, unless they are there with all characters already."""
    if error is not None or app.builder.format != "html":
        return
    sheet = Path(app.outdir) / "_static" / SHEET
    needed = ALPHABET | SLANTED | mathematical_characters(Path(app.outdir))
    first_line = f"/* for {hashlib.sha256(repr(sorted(needed)).encode()).hexdigest()} */\n"
    if not sheet.exists() or not sheet.read_text(encoding="utf-8").startswith(first_line):
        sheet.write_text(first_line + style_sheet(needed), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_css_file(SHEET, priority=100)
    app.connect("build-finished", add_fonts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
