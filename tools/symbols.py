"""The letters of a chapter's formulas, and what book/notation.md says they mean.

A symbol is a letter of either alphabet with its accent or its script, ``\\hat y`` or ``\\mathcal L``. Words
(``\\text{…}``, ``\\operatorname{…}``) and what stands below a letter are none: an index only counts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat

from tools.chapters import ROOT
from tools.dependencies import plain_python

GREEK = re.compile(
    r"(var)?(alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|upsilon"
    r"|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega)|ell"
)
WORN = re.compile(r"hat|bar|tilde|d?dot|vec|check|overline|wide(hat|tilde)|math(cal|bb|bf|frak)|boldsymbol")
SAME = {"widehat": "hat", "overline": "bar", "widetilde": "tilde"}
WORDS = re.compile(r"text(bf|it|tt)?|operatorname|math(rm|sf|tt|it)|begin|end|label|tag|href")
LINES = {"start", "equals", "at_most", "at_least", "proportional_to", "same_minimiser"}
TOKEN = re.compile(r"\\(?P<command>[A-Za-z]+)\*?|\\.|(?P<letter>[A-Za-z])|(?P<sign>[^\s])", re.S)
CODE = re.compile(r"(?ms)^(`{3,})(?!\{math\}).*?^\1[ \t]*$|(?:\{[\w:-]+\})?`[^`\n]+`")
MATHS = re.compile(r"(?s)\$\$(.+?)\$\$|(?<![\\$])\$([^$]+?)(?<!\\)\$|^(`{3,})\{math\}.*?\n(.*?)^\3", re.M)
ROW = re.compile(r"^\|(?P<symbol>[^|]*\$[^|]*)\|[^|]*\|.*\|$", re.M)
CHAPTER = re.compile(r"^### \[[^\]]+\]\((?P<name>[\w/]+)\.ipynb\)$", re.M)


def after_group(latex: str, at: int) -> int:
    """Where the argument that begins at ``at`` ends: a group in braces, a command or one sign."""
    while at < len(latex) and latex[at].isspace():
        at += 1
    if latex[at : at + 1] != "{":
        found = TOKEN.match(latex, at)
        if found and WORDS.fullmatch(found["command"] or ""):
            return after_group(latex, found.end())  # _\text{…}: the words go with their command
        return found.end() if found else at
    depth = 0
    for place in range(at, len(latex)):
        if latex[place - 1 : place] != "\\":
            depth += {"{": 1, "}": -1}.get(latex[place], 0)
        if depth == 0:
            return place + 1
    return len(latex)


def symbols(latex: str) -> set[str]:
    """The symbols of a formula."""
    found: set[str] = set()
    worn: list[str] = []
    at = 0
    while token := TOKEN.search(latex, at):
        at, command = token.end(), token["command"] or ""
        if token["sign"] == "_" or WORDS.fullmatch(command):
            at = after_group(latex, at)
        elif WORN.fullmatch(command):
            worn.append("\\" + SAME.get(command, command))
        elif token["letter"] or GREEK.fullmatch(command):
            found.add(" ".join([*worn, token["letter"] or "\\" + command]))
            worn = []
        elif token["sign"] != "{":
            worn = []
    return found


def formulas(notebook: nbformat.NotebookNode) -> Iterator[str]:
    """Every formula of a chapter: those of its text and the lines of its derivations."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for groups in MATHS.findall(CODE.sub("", cell.source)):
                yield groups[0] or groups[1] or groups[3]
        elif cell.cell_type == "code" and "derivation" in cell.metadata.get("tags", []):
            yield from lines(cell.source)


def lines(source: str) -> Iterator[str]:
    """The LaTeX of a derivation's lines."""
    for node in ast.walk(ast.parse(plain_python(source))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LINES:
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def used(notebook: nbformat.NotebookNode) -> set[str]:
    """Every symbol of a chapter."""
    return set().union(*map(symbols, formulas(notebook)))


def listed(table: str) -> set[str]:
    """The symbols in the first column of a table."""
    cells = " ".join(row["symbol"] for row in ROW.finditer(table))
    return set().union(*map(symbols, re.findall(r"\$([^$]+)\$", cells)))


def notation(root: Path = ROOT) -> tuple[set[str], dict[str, set[str]]]:
    """The symbols of the whole book, and of each chapter that has some of its own."""
    everywhere = listed((root / "book/notation.md").read_text(encoding="utf-8").partition("\n## ")[0])
    own: dict[str, set[str]] = {}
    for path in sorted((root / "book/_data/notation").glob("*.md")):
        _, *pieces = CHAPTER.split(path.read_text(encoding="utf-8"))
        for name, table in zip(pieces[::2], pieces[1::2], strict=True):
            own[name] = own.get(name, set()) | listed(table)
    return everywhere, own


def unlisted(used: set[str], everywhere: set[str], own: set[str]) -> set[str]:
    """The symbols that neither table has. An accent that the book explains may stand on any listed letter."""
    known = everywhere | own
    accents = {symbol.split()[0] for symbol in everywhere if symbol.endswith(" x")}

    def explained(symbol: str) -> bool:
        *worn, letter = symbol.split()
        return symbol in known or (letter in known and worn != [] and set(worn) <= accents)

    return {symbol for symbol in used if not explained(symbol)}
