"""An explorer that is moved after the last cell has run must find what it reads as it was.

In a notebook all cells share their names: a later cell that uses one of an explorer's names for something
else breaks it for whoever moves it after *run all*, and no run from top to bottom notices.
"""

from __future__ import annotations

import ast
import builtins

import pytest

from tools.chapters import Page, chapters, read
from tools.dependencies import plain_python


def bound(node: ast.AST) -> set[str]:
    """The names that a statement at the top of a cell binds."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(one.asname or one.name).split(".")[0] for one in node.names}
    inner = (
        ast.FunctionDef,
        ast.ClassDef,
        ast.Lambda,
        ast.ListComp,
        ast.SetComp,
        ast.DictComp,
        ast.GeneratorExp,
    )
    found, todo = set(), [node]
    while todo:
        one = todo.pop()
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            found.add(one.id)
        if isinstance(one, (ast.FunctionDef, ast.ClassDef)):
            found.add(one.name)
        todo += [] if isinstance(one, inner) else list(ast.iter_child_nodes(one))
    return found


def globals_read(function: ast.AST) -> set[str]:
    """The names that a function reads and does not bind itself."""
    names = [one for one in ast.walk(function) if isinstance(one, ast.Name)]
    own = {one.id for one in names if isinstance(one.ctx, ast.Store)}
    own |= {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    own |= {one.name for one in ast.walk(function) if isinstance(one, ast.FunctionDef)}
    return {one.id for one in names if isinstance(one.ctx, ast.Load)} - own - set(dir(builtins))


def overwritten(cells: list[str]) -> list[str]:
    """Names that an explorer's function reads, directly or through others, and a later cell binds again."""
    functions: dict[str, ast.AST] = {}
    watched: list[tuple[str, set[str]]] = []  # an explorer's function, and all that it leads to
    faults = []
    for source in cells:
        tree = ast.parse(source)
        for statement in tree.body:
            names = bound(statement)
            faults += [f"{name} reads {one}" for name, needs in watched for one in sorted(needs & names)]
            for name in names:
                functions.pop(name, None)
            if isinstance(statement, ast.FunctionDef):
                functions[statement.name] = statement
            elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda):
                functions |= dict.fromkeys(names, statement.value)
            for call in ast.walk(statement):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "Explorer" and len(call.args) > 2:
                    update = ast.unparse(call.args[2])
                    needs, todo = set(), [update]
                    while todo:
                        one = todo.pop()
                        if one not in needs:
                            needs.add(one)
                            todo += sorted(globals_read(functions[one])) if one in functions else []
                    watched.append((update, needs - {update}))
    return faults


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_no_later_cell_takes_a_name_from_an_explorer(page: Page):
    cells = [plain_python(cell.source) for cell in read(page).cells if cell.cell_type == "code"]
    assert overwritten(cells) == []


STAGE = """
line = 1
scale = lambda v: v * factor
factor = 2
def move(v):
    line = 0
    return scale(v) + end
"""
SHOWN = 'end = 3\nExplorer("A", fig, move, alt="")'


@pytest.mark.parametrize(
    ("later", "found"),
    [
        ("end = 4", ["move reads end"]),
        ("for factor in (1, 2):\n    pass", ["move reads factor"]),
        ("def scale(v):\n    return v", ["move reads scale"]),
        ("line = 2", []),
        ("def other():\n    end = 5\n    return end", []),
        ("[end for end in (1, 2)]", []),
    ],
)
def test_what_is_told_on(later: str, found: list[str]):
    assert overwritten([STAGE, SHOWN, later]) == found
