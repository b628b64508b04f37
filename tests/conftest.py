"""Every test runs with the shapes in the signatures of `chapters_src` checked."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from jaxtyping import install_import_hook

HERE = Path(__file__).parent

if "chapters_src" in sys.modules:
    raise RuntimeError("chapters_src was imported before its shapes could be checked")

# Loaded by its path: with tests/ on sys.path its folders would shadow packages of the same names.
_spec = importlib.util.spec_from_file_location("shape_checking", HERE / "shape_checking.py")
assert _spec is not None and _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
sys.modules["shape_checking"] = _module
_spec.loader.exec_module(_module)

if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))
from tools.browser import is_ci  # noqa: E402

# The machinery states no shapes, and its evaluator is called too often to be watched for nothing.
PACKAGES = sorted(path.parent.name for path in (HERE.parent / "chapters_src").glob("*/__init__.py"))
install_import_hook([f"chapters_src.{name}" for name in PACKAGES if name != "studio"], "shape_checking.check")


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The folder of the project."""
    return HERE.parent


@pytest.fixture(scope="session")
def colab_python(project_root: Path) -> Path:
    """The interpreter of the environment that has only what Colab preinstalls."""
    python = project_root / ".venv-colab/bin/python"
    if not python.exists():
        missing = "there is no .venv-colab, which make test sets up"
        pytest.fail(missing) if is_ci() else pytest.skip(missing)
    return python


# No deadline, because a busy machine is no bug; the same examples each time in CI, new ones everywhere else.
settings.register_profile("book", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("book")
