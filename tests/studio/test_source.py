import functools
import zipfile
from pathlib import Path

import pytest

from chapters_src.studio.claim import Claim, claim
from chapters_src.studio.source import source

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("thing", [claim, Claim])
def test_the_source_is_what_stands_in_the_file(thing):
    shown = source(thing)
    assert shown.file == "chapters_src/studio/claim.py"
    assert shown.code in (ROOT / shown.file).read_text(encoding="utf-8")
    assert thing.__name__ in shown.code
    assert str(shown) == f"# chapters_src/studio/claim.py\n{shown.code}"


def test_forms():
    bundle = source(claim)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/markdown"}
    lines = bundle["text/markdown"].splitlines()
    assert lines[:3] == ["`chapters_src/studio/claim.py`", "", "```python"]
    assert lines[3] == "def claim("
    assert lines[-1] == "```"


def test_methods_are_dedented():
    assert source(Claim.__str__).code.startswith("def __str__")


def test_decorators_do_not_hide_it():
    @functools.wraps(claim)
    def wrapper(*args, **kwargs):
        return claim(*args, **kwargs)

    assert source(wrapper) == source(claim)


def test_a_function_from_elsewhere_has_no_file():
    def local():
        """```"""

    shown = source(local)
    assert shown.file == ""
    assert shown.code.startswith("def local")
    markdown = shown._repr_mimebundle_()["text/markdown"]
    assert markdown.startswith("````python\ndef local")
    assert markdown.endswith("\n````")


def test_a_package_inside_a_zip(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "carried.zip", "w") as archive:
        archive.writestr("zipped/__init__.py", "")
        archive.writestr("zipped/chapters_src/__init__.py", "")
        archive.writestr("zipped/chapters_src/one.py", "def one():\n    return 1\n")
    monkeypatch.syspath_prepend(str(tmp_path / "carried.zip"))
    from zipped.chapters_src.one import one

    assert source(one).file == "chapters_src/one.py"
    assert source(one).code == "def one():\n    return 1"


@pytest.mark.parametrize("thing", [len, 3, "claim", None])
def test_no_source(thing):
    with pytest.raises(ValueError, match="source: function_or_class must be written in Python; got"):
        source(thing)
