"""How much of the book is checked, chapter by chapter, counted from its last run: book/truth.md shows it."""

from __future__ import annotations

import importlib
import json
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from tools.chapters import ROOT, Page, chapters, read
from tools.dependencies import imported, plain_python
from tools.oracles import public_names, with_oracle
from tools.prose import numbers
from tools.records import code_cells, folder_of

# A heading, how its cells read, and the count without which they are empty.
COLUMNS = {
    "lines": ("{from_formula:,}/{lines:,}", "lines"),
    "breaks": ("{caught:,}/{tried:,}", "tried"),
    "claims": ("{claims:,}", "claims"),
    "numbers": ("{traced:,}/{numbers:,}", "numbers"),
    "exercises": ("{exercises:,} ({refused:,})", "exercises"),
    "functions": ("{with_oracle:,}/{functions:,}", "functions"),
}


@dataclass
class Counts:
    """What was counted in one chapter."""

    lines: int = 0
    from_formula: int = 0
    tried: int = 0
    caught: int = 0
    claims: int = 0
    numbers: int = 0
    traced: int = 0
    exercises: int = 0
    refused: int = 0
    functions: int = 0
    with_oracle: int = 0
    equivalent: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def count(page: Page, root: Path = ROOT) -> Counts:
    """What the last run of a chapter, its tests and its prose hold."""
    notebook = read(page)
    found = Counts()
    for number in range(1, len(code_cells(notebook)) + 1):
        path = folder_of(page.name, root) / f"{number}.json"
        for display in json.loads(path.read_text(encoding="utf-8"))["displays"] if path.exists() else []:
            found.claims += display["kind"] == "Claim"
            found.lines += display["facts"].get("lines", 0)
            found.from_formula += display["facts"].get("from_formula", 0)
    score = breaks(root)["chapters"].get(page.name, {"tried": 0, "caught": 0, "equivalent": 0})
    found.tried, found.caught = score["tried"] - score["equivalent"], score["caught"]
    found.equivalent = score["equivalent"]
    traced = [is_traced for _, _, is_traced in numbers(notebook)]
    found.numbers, found.traced = len(traced), sum(traced)
    found.exercises, found.refused = exercises([cell.source for cell in code_cells(notebook)])
    found.functions, found.with_oracle = (
        len(public_names(page.name, root)),
        len(with_oracle(page.name, root)),
    )
    return found


def breaks(root: Path = ROOT) -> dict:
    """What the last full run of tools.mutants counted, and when."""
    path = root / "book/_data/breaks.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"date": "", "chapters": {}}


def exercises(cells: list[str]) -> tuple[int, int]:
    """How many exercises a chapter's cells import, and how many known wrong answers these refuse."""
    names = {name for cell in cells for name in imported(plain_python(cell))}
    checkers = {}
    for name in sorted(name for name in names if "exercises" in name.split(".")):
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError:  # a name inside a module
            continue
        found = {key: value for key, value in vars(module).items() if callable(getattr(value, "check", None))}
        checkers |= {id(one): one for one in found.values() if not isinstance(one, type)}
    return len(checkers), sum(one.foreseen for one in checkers.values())


def table(rows: dict[str, Counts], date: str = "") -> str:
    """The totals in a sentence, then a row for each chapter, as Markdown."""
    total = sum(rows.values(), Counts())
    cells = {"**The whole book**": total, **{f"{{doc}}`/{name}`": counts for name, counts in rows.items()}}
    lines = ["| | " + " | ".join(COLUMNS) + " |", "|---" + "|--:" * len(COLUMNS) + "|"]
    lines += [f"| {name} | " + " | ".join(shown(counts)) + " |" for name, counts in cells.items()]
    return f"{summary(total, len(rows), date)}\n\n" + "\n".join(lines) + "\n"


def shown(counts: Counts) -> list[str]:
    """The cells of a row; a dash where there was nothing to count."""
    values = asdict(counts)
    return [form.format(**values) if values[needed] else "–" for form, needed in COLUMNS.values()]


def summary(total: Counts, chapters: int, date: str) -> str:
    """The totals, in words."""
    breaks = (
        f" Of {total.tried:,} deliberate breaks of lines, {total.caught:,} were caught ({date}; "
        f"{total.equivalent:,} more changed nothing and do not count)."
        if total.tried
        else ""
    )
    return (
        f"In {chapters} chapters {total.lines:,} lines of algebra ran, {total.from_formula:,} from their "
        f"formula as printed.{breaks} {total.claims:,} claims were asserted. Of {total.numbers:,} numbers "
        f"in the text {total.traced:,} are traced to the run of their section, to its code or to a citation. "
        f"{total.exercises:,} exercises refuse {total.refused:,} known wrong answers. Of {total.functions:,} "
        f"public functions {total.with_oracle:,} are compared with somebody else's code."
    )


def write(root: Path = ROOT) -> Path:
    """Write the table to where book/truth.md includes it from."""
    path = root / "_build" / "truth_table.md"
    text = table({page.name: count(page, root) for page in chapters(root)}, breaks(root)["date"])
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path
