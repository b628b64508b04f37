"""Run a chapter's derivations by themselves: their cells and the cells that define what those use.

python -m tools.derivations models/least_squares        what is known about each line, in _build/lines
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import json
import linecache
import os
import symtable
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from chapters_src.studio.derivation import Derivation, watched
from chapters_src.studio.record import record
from tools.chapters import ROOT, Page, read, select


@dataclass(frozen=True)
class Written:
    """A derivation and the cell it was written in."""

    cell: int
    derivation: Derivation


@dataclass(frozen=True)
class Cell:
    """A code cell: what it defines, what it uses, and whether it writes derivations."""

    number: int
    source: str

    def names(self) -> tuple[set[str], set[str]]:
        """The names the cell binds, and those it uses before it has bound them itself."""
        bound: set[str] = set()
        used: set[str] = set()
        for statement in ast.parse(self.source).body:
            table = symtable.symtable(ast.unparse(statement), f"cell {self.number}", "exec")
            used |= _globals(table) - bound
            bound |= {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
        return bound, used - set(dir(builtins))

    @property
    def derives(self) -> bool:
        return "Derivation" in self.names()[1]


def _globals(table: symtable.SymbolTable) -> set[str]:
    """The names of the notebook that a statement uses, inside its functions too."""
    outermost = table.get_type() == "module"
    names = {s.get_name() for s in table.get_symbols() if s.is_referenced() and (outermost or s.is_global())}
    return names.union(*(_globals(child) for child in table.get_children()))


def code_cells(notebook: nbformat.NotebookNode) -> list[Cell]:
    """The code cells with their numbers in the notebook; the title is 0."""
    return [Cell(i, cell.source) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]


def needed(cells: list[Cell]) -> list[Cell]:
    """The cells that write derivations, and before each the latest that define what it uses."""
    names = [cell.names() for cell in cells]
    wanted: set[int] = set()
    waiting = [i for i, cell in enumerate(cells) if cell.derives]
    while waiting:
        at = waiting.pop()
        if at in wanted:
            continue
        wanted.add(at)
        for name in names[at][1]:
            waiting += [i for i in range(at) if name in names[i][0]][-1:]
    return [cell for i, cell in enumerate(cells) if i in wanted]


def derivations(page: Page) -> list[Written]:
    """Every derivation of a chapter, its cells executed here and in order."""
    notebook = read(page)
    assert notebook is not None
    namespace: dict[str, Any] = {"__name__": "__main__"}
    written = []
    with contextlib.chdir(page.path.parent), contextlib.redirect_stdout(io.StringIO()):
        for cell in needed(code_cells(notebook)):
            name = f"<{page.name}, cell {cell.number}>"
            linecache.cache[name] = (len(cell.source), None, cell.source.splitlines(keepends=True), name)
            with watched() as found:
                exec(compile(cell.source, name, "exec"), namespace)
            written += [Written(cell.number, derivation) for derivation in found]
    return written


def main(names: list[str]) -> int:
    folder = Path(os.environ.get("TO") or ROOT / "_build" / "lines")
    for page in select(names):
        found = [{"cell": one.cell, **record(one.derivation)} for one in derivations(page)]
        path = folder / f"{page.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        lines = [line for one in found for line in one["lines"]]
        run = sum(line["origin"] != "code" for line in lines)
        broken = sum(len(line["problems"]) for line in lines)
        print(
            f"{page.name}: {len(lines)} lines, {run} run from their formula, {broken} break a rule",
            flush=True,
        )
        for one in found:
            for at, line in enumerate(one["lines"], start=1):
                for problem in line["problems"]:
                    print(f"  cell {one['cell']}, line {at}: {problem['text']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
