"""A bar is shown to somebody who waits, and leaves no trace where output is stored."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.core import progress
from tools.running import Run, execute

LOOP = """
import sys
sys.path.insert(0, {root!r})
from chapters_src.core.progress import bar
print(sum(bar(range(4), "adding")), "tqdm" in sys.modules)
"""


def pretend_somebody_watches(monkeypatch):
    """None of the signs of a machine (pytest sets its own for each test), and a stderr that is a terminal."""
    for name in progress.QUIET:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.delitem(sys.modules, "IPython", raising=False)


def test_tests_are_quiet():
    assert not progress.is_live()


def test_a_terminal_is_live_and_a_pipe_is_not(monkeypatch):
    pretend_somebody_watches(monkeypatch)
    assert progress.is_live()
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: False))
    assert not progress.is_live()
    monkeypatch.setattr(sys, "stderr", None)  # pythonw has none
    assert not progress.is_live()


def test_a_kernel_is_live_and_a_shell_in_a_pipe_is_not(monkeypatch):
    pretend_somebody_watches(monkeypatch)
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: False))
    for shell, expected in ((SimpleNamespace(kernel="yes"), True), (SimpleNamespace(), False), (None, False)):
        ipython = SimpleNamespace(get_ipython=lambda shell=shell: shell)
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        assert progress.is_live() is expected


@pytest.mark.parametrize("name", progress.QUIET)
@pytest.mark.parametrize(("value", "live"), [("1", False), ("true", False), ("0", True), ("", True)])
def test_each_sign_of_a_machine_silences(monkeypatch, name, value, live):
    pretend_somebody_watches(monkeypatch)
    monkeypatch.setenv(name, value)
    assert progress.is_live() is live


@given(st.lists(st.integers()), st.booleans())
def test_nothing_is_lost_or_reordered(items, show):
    assert list(progress.bar(items, "counting", show=show)) == items
    assert list(progress.bar(iter(items), total=len(items), show=show)) == items


def test_the_bar_names_and_counts(capsys):
    list(progress.bar(range(3), "epochs", show=True))
    shown = capsys.readouterr().err
    assert "epochs" in shown and "/3" in shown


def test_quiet_prints_nothing_and_does_not_import_tqdm(project_root):
    run = subprocess.run(
        [sys.executable, "-c", LOOP.format(root=str(project_root))],
        env=os.environ | {"EVERY_LINE_SITE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (run.stdout, run.stderr) == ("6 False\n", "")


def test_a_stored_notebook_holds_no_bar(project_root, tmp_path, monkeypatch):
    """Refreshing runs in a kernel, which is live by itself: the tool has to say that nobody watches."""
    for name in progress.QUIET:
        monkeypatch.delenv(name, raising=False)
    cell = nbformat.v4.new_code_cell(LOOP.format(root=str(project_root)))
    executed, _ = execute(Run("bar", nbformat.v4.new_notebook(cells=[cell]), tmp_path))
    outputs = executed.cells[0].outputs
    assert [output.output_type for output in outputs] == ["stream"]
    assert outputs[0].text == "6 False\n"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((3,), {}, r"^bar: items must be something to loop over; got 3$"),
        (([],), {"total": -1}, r"^bar: total must be at least 0; got -1$"),
        (([],), {"total": 1.5}, r"^bar: total must be a whole number at least 0; got 1.5$"),
        (([],), {"show": "yes"}, r"^bar: show must be True or False; got 'yes'$"),
    ],
)
def test_bad_input_is_named_before_the_loop_starts(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        progress.bar(*arguments, **options)
