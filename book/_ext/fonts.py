"""The fonts of the site: taken from their packages at build, cut to the characters that are used."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from fontTools import subset
from sphinx.application import Sphinx

TEXT = {
    "text-regular": "SourceSansPro-Regular.ttf",
    "text-italic": "SourceSansPro-It.ttf",
    "text-semibold": "SourceSansPro-Semibold.ttf",
    "text-semibold-italic": "SourceSansPro-SemiboldIt.ttf",
}
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


def cut(source: Path, target: Path, characters: set[int]) -> None:
    """Write the font with these characters alone, packed for the web."""
    options = subset.Options(flavor="woff2", layout_features=["*"], notdef_outline=True, drop_tables=["DSIG"])
    font = subset.load_font(str(source), options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters)
    cutter.subset(font)
    subset.save_font(font, str(target), options)


def add_fonts(app: Sphinx, error: Exception | None) -> None:
    """Put the fonts among the site's files; those that are there already and have all characters stay."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_static" / "fonts"
    folder.mkdir(exist_ok=True)
    for name, file in TEXT.items():
        if not (folder / f"{name}.woff2").exists():
            source = package_file("font_source_sans_pro", "files", file)
            cut(source, folder / f"{name}.woff2", ALPHABET)
    needed = ALPHABET | SLANTED | mathematical_characters(Path(app.outdir))
    list_of_them, wanted = folder / "mathematics.txt", "".join(map(chr, sorted(needed)))
    if not list_of_them.exists() or list_of_them.read_text(encoding="utf-8") != wanted:
        source = package_file("ziamath", "fonts", "STIXTwoMath-Regular.ttf")
        cut(source, folder / "mathematics.woff2", needed)
        list_of_them.write_text(wanted, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", add_fonts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
