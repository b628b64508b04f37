"""Which public functions of a chapter a test compares with somebody else's code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.chapters import ROOT

OUTSIDE = {"scipy", "sklearn", "torch", "autograd", "mpmath", "sympy", "statsmodels", "networkx", "pandas"}
OUTSIDE |= {"zlib", "bz2"}
NUMPY = {"lstsq", "pinv", "solve", "svd", "eigh", "eigvalsh", "slogdet", "matrix_rank", "polyfit", "convolve"}
DIFFERENTIATORS = "chapters_src.studio.oracle"  # torch's, under names of ours


def public_names(name: str, root: Path = ROOT) -> set[str]:
    """The functions and classes in the ``__all__`` of a chapter's modules."""
    names: set[str] = set()
    for path in sorted((root / "chapters_src" / name).rglob("*.py")):
        if path.stem == "exercises":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        made = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        names |= made & set(exported(tree))
    return names


def exported(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(ast.unparse(target) == "__all__" for target in node.targets):
            yield from ast.literal_eval(node.value)


def with_oracle(name: str, root: Path = ROOT) -> set[str]:
    """The public names that some test function uses beside a name that comes from an outside package."""
    public, found = public_names(name, root), set()
    for path in sorted((root / "tests" / name).rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        outside = set(outside_names(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                used = names_in(node)
                found |= used & public if used & outside else set()
    return found


def names_in(node: ast.AST) -> set[str]:
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return names | {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def outside_names(tree: ast.Module) -> Iterator[str]:
    """The names by which a test module knows outside code, and those of its helpers that use it."""
    known: set[str] = set(NUMPY)
    for node in tree.body:
        if isinstance(node, ast.Import):
            known |= {a.asname or a.name.split(".")[0] for a in node.names if a.name.split(".")[0] in OUTSIDE}
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module.split(".")[0] in OUTSIDE or node.module == DIFFERENTIATORS:
                known |= {a.asname or a.name for a in node.names}
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("test_"):
            known |= {node.name} if names_in(node) & known else set()
    yield from known
