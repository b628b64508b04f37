"""The house: a chapter is one folder, three times. Five rules, and for each a case that breaks it."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterable
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


def to_chapters(found: list[Import]) -> list[Import]:
    """Imports from a chapter, which what is shared by all of them may not make."""
    return [one for one in found if folder_of(one.target) and folder_of(one.target) not in SHARED]


def unreached(own: set[Path], reached: set[Path]) -> set[Path]:
    """Modules of a chapter that its notebook does not need."""
    return own - reached


def too_long(texts: dict[str, str]) -> dict[str, int]:
    """Modules of more than 250 lines, and how many they have."""
    lines = {name: len(text.splitlines()) for name, text in texts.items()}
    return {name: count for name, count in lines.items() if count > LONGEST}


def crowded(names: Iterable[str]) -> list[str]:
    """Folders of more than eight modules, and chapters with more than one folder inside."""
    folders = Counter(
        folder
        for folder, _, module in (name.rpartition(".") for name in names)
        if module not in ("__init__", "exercises")
    )
    inner = Counter(folder.rpartition(".")[0] for folder in folders if folder.count(".") == 3)
    return [one for one, count in folders.items() if count > MOST] + [
        one for one, count in inner.items() if count > 1
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


@pytest.mark.parametrize("folder", sorted(SHARED))
def test_what_is_shared_imports_no_chapter(folder):
    for path in (ROOT / "chapters_src" / folder).rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        assert to_chapters(imports(name, path.read_text(encoding="utf-8"))) == []


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
    assert unreached(own, reached) == set()


def test_modules_are_small_and_few():
    package = {path.as_posix(): path for path in sorted(ROOT.glob("chapters_src/**/*.py"))}
    assert too_long({name: path.read_text(encoding="utf-8") for name, path in package.items()}) == {}
    assert crowded(modules()) == []


def test_no_module_has_the_name_of_what_it_exports():
    for name, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
        exported = [
            ast.literal_eval(one.value) for one in assigned if ast.unparse(one.targets[0]) == "__all__"
        ]
        assert name.rpartition(".")[2] not in {export for names in exported for export in names}, name


def test_each_rule_can_fail():
    assert to_chapters(imports("chapters_src.core.one", "from chapters_src.models.logistic import sigmoid"))
    assert not to_chapters(imports("chapters_src.core.one", "from chapters_src.data import records"))
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
    notebook = {ROOT / path for path in ("a/__init__.py", "a/one.py")}
    assert unreached({*notebook, ROOT / "a/two.py"}, notebook)
    assert not unreached({ROOT / "a/one.py"}, notebook)
    assert too_long({"one": "\n" * 251}) == {"one": 251}
    assert too_long({"one": "\n" * 250}) == {}
    eight = [f"chapters_src.models.a.m{i}" for i in range(8)]
    assert crowded([*eight, "chapters_src.models.a.ninth"]) == ["chapters_src.models.a"]
    within = [*eight, "chapters_src.models.a.__init__", "chapters_src.models.a.exercises"]
    assert crowded([*within, "chapters_src.models.a.rules.one"]) == []
    assert crowded(f"chapters_src.models.a.{folder}.one" for folder in ("rules", "more"))
