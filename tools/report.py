"""How much of the package only looks at its arguments: ``python -m tools.report`` stores the counts."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from tools.chapters import ROOT

TARGET = ROOT / "benchmarks" / "checks.json"
# of the book of fourteen chapters in which every function checked by hand
FIRST_VERSION = {"share": 0.28, "typed names": 742}
REFUSALS = {"refuse", "fail", "require"}


def statements(tree: ast.AST) -> list[ast.stmt]:
    """What is executed: no imports, definitions or docstrings."""
    skipped = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt)
        and not isinstance(node, skipped)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]


def is_check(node: ast.stmt) -> bool:
    """A refusal, or an `if` that does nothing but refuse."""
    if isinstance(node, ast.If):
        return not node.orelse and all(map(is_check, node.body))
    if isinstance(node, ast.Raise):  # an error that is passed on, or a method to be filled in, is no check
        return node.exc is not None and "NotImplementedError" not in ast.unparse(node.exc)
    if isinstance(node, (ast.Expr, ast.Assign)) and isinstance(node.value, ast.Call):
        return _called(node.value) in REFUSALS
    return False


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def typed_names(tree: ast.AST) -> int:
    """How often a function types its own name into a refusal."""
    count = 0
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and _called(node) in REFUSALS:
                    count += function.name in [
                        one.value for one in node.args if isinstance(one, ast.Constant)
                    ]
    return count


def measure(root: Path = ROOT) -> dict[str, float]:
    """The counts over all modules outside studio and exercises, the readers of core included."""
    total = checks = names = 0
    for path in root.glob("chapters_src/**/*.py"):
        if "studio" in path.parts or path.name == "exercises.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = statements(tree)
        total, checks, names = (
            total + len(found),
            checks + sum(map(is_check, found)),
            names + typed_names(tree),
        )
    return {
        "statements": total,
        "only check": checks,
        "share": round(checks / total, 4),
        "typed names": names,
    }


if __name__ == "__main__":
    found = measure()
    stored = {**found, "first version": FIRST_VERSION}
    TARGET.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found))
