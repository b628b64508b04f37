"""What a notebook's results depend on."""

from __future__ import annotations

import pytest

from tools.dependencies import closure, fingerprint, imported, plain_python


@pytest.fixture
def project(tmp_path):
    files = {
        "chapters_src/__init__.py": "",
        "chapters_src/data.py": "import numpy",
        "chapters_src/lonely.py": "",
        "chapters_src/models/__init__.py": "",
        "chapters_src/models/line.py": "from chapters_src.checks import fail\nfrom .. import data\n",
        "chapters_src/checks.py": "from chapters_src.models import line  # a circle",
        "requirements.txt": "numpy==1",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def names(project, *sources):
    return [path.relative_to(project / "chapters_src").as_posix() for path in closure(sources, project)]


@pytest.mark.parametrize(
    ("source", "package", "expected"),
    [
        ("import a.b, c", "", {"a.b", "c"}),
        ("from a import b", "", {"a", "a.b"}),
        ("from . import b", "p.q", {"p.q", "p.q.b"}),
        ("from ..m import b", "p.q", {"p.m", "p.m.b"}),
        ("def f():\n    import late", "", {"late"}),
    ],
)
def test_imports_are_found(source, package, expected):
    assert imported(source, package) == expected


def test_the_closure_follows_imports_and_ends_in_circles(project):
    assert names(project, "from chapters_src.models.line import fit") == [
        "__init__.py",
        "checks.py",
        "data.py",
        "models/__init__.py",
        "models/line.py",
    ]
    assert names(project, "import numpy") == []


def test_magics_are_no_obstacle():
    assert imported(plain_python("%matplotlib inline\n!ls\nif x:\n    %time y\nimport a")) == {"a"}


@pytest.mark.parametrize(
    ("path", "changes"),
    [("chapters_src/checks.py", True), ("requirements.txt", True), ("chapters_src/lonely.py", False)],
)
def test_the_fingerprint_changes_with_what_matters(project, path, changes):
    cells = ["from chapters_src.models import line"]
    before = fingerprint(cells, "python3", project)
    assert before == fingerprint(cells, "python3", project)
    assert before != fingerprint([*cells, "x = 1"], "python3", project)
    (project / path).write_text("x = 2")
    assert (before != fingerprint(cells, "python3", project)) is changes
