"""How long a chapter is: words of prose outside formulas, code and tables, cells and derivations."""

from __future__ import annotations

import re
from dataclasses import dataclass

import nbformat

from tools.prose import plain_prose

WORD = re.compile(r"[^\W_][\w’'.,%–-]*")
TABLE_ROW = re.compile(r"(?m)^\|.*$")
HEADING = re.compile(r"(?m)^(?=##)")


@dataclass(frozen=True)
class Length:
    """Words that everybody reads, words with what lies under *Deeper*, cells, and derivations."""

    words: int
    words_with_folds: int
    cells: int
    derivations: int


def count(text: str) -> int:
    return len(WORD.findall(TABLE_ROW.sub(" ", plain_prose(text))))


def length(notebook: nbformat.NotebookNode) -> Length:
    """Measure a chapter; a fold reaches from its heading to the next one."""
    folded, read, hidden = False, 0, 0
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        for piece in HEADING.split(cell.source):
            if piece.startswith("##"):
                folded = piece.startswith("### Deeper")
            if folded:
                hidden += count(piece)
            else:
                read += count(piece)
    derivations = sum("Derivation(" in cell.source for cell in notebook.cells if cell.cell_type == "code")
    return Length(read, read + hidden, len(notebook.cells), derivations)
