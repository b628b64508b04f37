"""Each standalone notebook runs in an empty folder with what Colab preinstalls, gradients a little off.

The noise stands for another device: a claim that fails here would fail on somebody's GPU.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from tools.chapters import ROOT, Page, chapters
from tools.running import start_again
from tools.standalone import write_one

WHERE = """\
import chapters_src
from torch.optim import optimizer
print(chapters_src.__file__, len(optimizer._global_optimizer_pre_hooks))"""


@pytest.fixture(params=chapters(), ids=lambda page: page.name)
def notebook(request: pytest.FixtureRequest, tmp_path: Path) -> nbformat.NotebookNode:
    page: Page = request.param
    return nbformat.read(write_one(page, tmp_path), as_version=4)


def bare_environment() -> dict[str, str]:
    """This process's environment without anything that could make more packages importable."""
    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "EVERY_LINE_SITE", "JUPYTER_PATH")
    env = {key: value for key, value in os.environ.items() if key not in hidden}
    return env | {"PYTHONNOUSERSITE": "1", "OMP_NUM_THREADS": "1", "EVERY_LINE_QUIET": "1"}


def run(notebook: nbformat.NotebookNode, python: Path, folder: Path) -> nbformat.NotebookNode:
    """Execute ``notebook`` in ``folder`` with the interpreter ``python``, torch's gradients disturbed."""
    spec = folder.parent / "kernels" / "colab"
    spec.mkdir(parents=True)
    argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    description = {"argv": argv, "display_name": "Colab", "language": "python"}
    (spec / "kernel.json").write_text(json.dumps(description), encoding="utf-8")
    specs = KernelSpecManager(kernel_dirs=[str(spec.parent)], ensure_native_kernel=False)
    told = {"TMPDIR": str(folder.parent), "PYTHONSTARTUP": str(ROOT / "tools/noise.py")}

    def executed() -> nbformat.NotebookNode:
        manager = AsyncKernelManager(kernel_name="colab", kernel_spec_manager=specs)
        place = {"metadata": {"path": str(folder)}}
        client = NotebookClient(notebook, km=manager, timeout=300, resources=place)
        return client.execute(env=bare_environment() | told, cleanup_kc=True)

    return start_again(executed)


def test_the_package_is_out_of_reach(colab_python: Path, tmp_path: Path):
    done = subprocess.run(
        [str(colab_python), "-c", "import chapters_src"],
        cwd=tmp_path,
        env=bare_environment(),
        capture_output=True,
    )
    assert b"ModuleNotFoundError" in done.stderr


def test_it_runs_where_only_colab_packages_are(notebook, colab_python: Path, tmp_path: Path):
    folder = tmp_path / "empty"
    folder.mkdir()
    notebook.cells.append(nbformat.v4.new_code_cell(WHERE))
    executed = run(notebook, colab_python, folder)
    where, hooks = "".join(output.text for output in executed.cells[-1].outputs).split()
    assert "every-line-runs-" in where
    assert hooks == "1", "gradients were not disturbed as they should be"
    assert list(folder.iterdir()) == []


def test_it_installs_nothing_and_shows_no_book_syntax(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not re.search(r"(?m)^\s*[%!]", cell.source), cell.source[:200]
        else:
            outside_code = re.sub(r"(?ms)^```.*?^```|`[^`\n]*`", "", cell.source)
            assert not re.search(r"\{[a-z:]+\}`|^:{3,}|^`{3,}\{|^\([\w-]+\)=", cell.source, re.M), cell.source
            assert "{eq}" not in outside_code
