"""Which files a notebook's results depend on, found in its import statements."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

PACKAGE = "chapters_src"


def imported(source: str, package: str = "") -> set[str]:
    """Dotted names that ``source`` imports; ``package`` resolves the relative ones."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, base]).strip(".")
            names.add(base)
            names.update(f"{base}.{alias.name}" for alias in node.names)
    return names


def files_of(name: str, root: Path) -> set[Path]:
    """The files that importing ``name`` runs: its module and the ``__init__`` of every package above it."""
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return set()
    found = set()
    for end in range(1, len(parts) + 1):
        stem = root.joinpath(*parts[:end])
        found.update(path for path in (stem / "__init__.py", stem.with_suffix(".py")) if path.is_file())
    return found


def closure(sources: Iterable[str], root: Path) -> list[Path]:
    """Every file of ``chapters_src`` that ``sources`` need, sorted: the modules that they import, directly or
    through another, and the records (JSON) that such a module names and that lie beside it.
    """
    waiting = {path for source in sources for name in imported(source) for path in files_of(name, root)}
    seen: set[Path] = set()
    records: set[Path] = set()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        package = ".".join(path.relative_to(root).parent.parts)
        text = path.read_text(encoding="utf-8")
        records.update(record for record in path.parent.glob("*.json") if record.name in text)
        waiting |= {file for name in imported(text, package) for file in files_of(name, root)} - seen
    return sorted(seen | records)


def plain_python(source: str) -> str:
    """A cell without its magics, which ``ast`` cannot parse."""
    return re.sub(r"(?m)^(\s*)[%!].*$", r"\1pass", source)


def fingerprint(cells: list[str], kernel: str, root: Path) -> str:
    """A hash of what a notebook's outputs depend on: its code, the package's, the environment."""
    digest = hashlib.sha256()
    for text in [kernel, *cells]:
        digest.update(text.encode() + b"\0")
    for path in [*closure(map(plain_python, cells), root), root / "requirements.txt"]:
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
