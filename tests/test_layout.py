"""The house: a chapter is one folder, three times. Five rules, and for each a case that breaks it."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.chapters import chapters
from tools.dependencies import closure, imported, plain_python

ROOT = Path(__file__).parents[1]
SHARED = {"core", "data", "studio"}
LONGEST, MOST = 250, 8


@dataclass(frozen=True)
class Import:
    """A module of a folder, and a name it takes from another."""

    module: str
    target: str


def folder_of(dotted: str) -> str:
    """The chapter (or shared folder) that a dotted name of the package lies in, at whatever depth."""
    parts = dotted.split(".")[1:]
    return parts[0] if not parts or parts[0] in SHARED else "/".join(parts[:2])


def reading_order() -> list[str]:
    """All chapters, as in _toc.yml."""
    return [page.name for page in chapters()]


def modules() -> dict[str, Path]:
    """Every module of every chapter, by dotted name."""
    found = {}
    for path in sorted([*ROOT.glob("chapters_src/*/*/*.py"), *ROOT.glob("chapters_src/*/*/*/*.py")]):
        if path.relative_to(ROOT).parts[1] not in SHARED:
            found[".".join(path.relative_to(ROOT).with_suffix("").parts)] = path
    return found


def imports(name: str, text: str) -> list[Import]:
    """What a module takes from the package, as full names."""
    return [Import(name, target) for target in imported(text) if target.startswith("chapters_src.")]


def from_later(found: list[Import], order: list[str]) -> list[Import]:
    """Imports from a chapter that comes later."""
    place = {name: i for i, name in enumerate(order)}
    late = []
    for one in found:
        here, there = folder_of(one.module), folder_of(one.target)
        if there in place and place[there] > place.get(here, -1):
            late.append(one)
    return late


def private(found: list[Import]) -> list[Import]:
    """Private names that cross a folder."""
    return [
        one
        for one in found
        if folder_of(one.module) != folder_of(one.target) and one.target.rpartition(".")[2].startswith("_")
    ]


def inside(found: list[Import]) -> list[Import]:
    """Imports that reach past another chapter's ``__init__`` into one of its modules."""
    known = modules()
    return [
        one
        for one in found
        if folder_of(one.module) != folder_of(one.target)
        and (one.target in known or one.target.rpartition(".")[0] in known)
        and not one.target.endswith("__init__")
    ]


def all_imports() -> list[Import]:
    return [
        one
        for name, path in modules().items()
        for one in imports(name.removesuffix(".__init__"), path.read_text(encoding="utf-8"))
    ]


def test_a_chapter_is_one_folder_three_times():
    names = reading_order()
    assert {folder_of(name) for name in modules()} == set(names)
    for name in names:
        assert (ROOT / "chapters_src" / name / "__init__.py").exists(), name
        assert (ROOT / "chapters_src" / name / "exercises.py").exists(), name
        assert (ROOT / "tests" / name).is_dir(), name


def test_core_imports_no_chapter():
    for path in ROOT.glob("chapters_src/core/*.py"):
        for target in imported(path.read_text(encoding="utf-8")):
            shared = not target.startswith("chapters_src.") or target.split(".")[1] in SHARED
            assert shared, (path.name, target)


def test_a_chapter_imports_only_from_earlier_ones():
    assert from_later(all_imports(), reading_order()) == []


def test_no_private_name_crosses_a_folder():
    assert private(all_imports()) == []


def test_other_chapters_are_imported_through_their_front_door():
    assert inside(all_imports()) == []


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_every_module_is_reached_from_its_notebook(page):
    cells = json.loads(page.path.read_text(encoding="utf-8"))["cells"]
    code = [plain_python("".join(cell["source"])) for cell in cells if cell["cell_type"] == "code"]
    reached = set(closure(code, ROOT))
    own = {path for name, path in modules().items() if folder_of(name) == page.name}
    assert own - reached == set()


def test_modules_are_small_and_few():
    long = {
        name: lines
        for name, path in modules().items()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST
        and not name.endswith(".exercises")
    }
    assert long == {}
    counts: dict[str, int] = {}
    for name in modules():
        folder, _, module = name.rpartition(".")
        if module not in ("__init__", "exercises"):
            counts[folder] = counts.get(folder, 0) + 1
    assert {folder: count for folder, count in counts.items() if count > MOST} == {}
    inner = [folder for folder in counts if folder.count(".") == 3]
    assert len({folder.rpartition(".")[0] for folder in inner}) == len(inner), "one folder more in a chapter"


def test_no_module_has_the_name_of_what_it_exports():
    for name, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
        exported = [
            ast.literal_eval(one.value) for one in assigned if ast.unparse(one.targets[0]) == "__all__"
        ]
        assert name.rpartition(".")[2] not in {export for names in exported for export in names}, name


def test_each_rule_can_fail():
    order = ["models/a", "models/b"]
    late = imports("chapters_src.models.a.one", "from chapters_src.models.b import thing")
    assert from_later(late, order)
    assert not from_later(imports("chapters_src.models.b.one", "from chapters_src.models.a import x"), order)
    crossing = imports("chapters_src.models.b.one", "from chapters_src.models.a.two import _hidden")
    assert private(crossing)
    assert not private(imports("chapters_src.models.a.one", "from chapters_src.models.a.two import _hidden"))
    within = imports("chapters_src.models.a.rules.one", "from chapters_src.models.a.two import _hidden")
    assert not private(within) and not from_later(within, order)
    assert inside(
        imports("chapters_src.sequences.tokens.x", "from chapters_src.models.logistic.fast import BLOCK")
    )
