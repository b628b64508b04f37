"""The normal form of a stored notebook."""

from __future__ import annotations

import json

import nbformat
import pytest

from tools.notebooks import LARGEST, WIDGET_VIEW, NotebookFormError, cell_ids, normalise, text_of, write


def code(source: str = "x = 1", *tags: str, outputs: list | None = None, **metadata: object):
    cell = nbformat.v4.new_code_cell(source, metadata={**({"tags": list(tags)} if tags else {}), **metadata})
    cell.outputs, cell.execution_count = outputs or [], 7
    return cell


def normal(*cells):
    return normalise(nbformat.v4.new_notebook(cells=list(cells)), "a/chapter")


def test_twice_is_once():
    stream = nbformat.v4.new_output("stream", text="a\n")
    shown = nbformat.v4.new_output("execute_result", data={"text/plain": "1"}, execution_count=9)
    once = normal(nbformat.v4.new_markdown_cell("# T\n"), code(outputs=[stream, stream, shown]))
    assert text_of(normalise(once)) == text_of(once)
    assert text_of(once).endswith("}\n")


@pytest.mark.parametrize(
    ("role", "tags", "jupyter"),
    [
        ("derivation", ["derivation", "hide-input"], {"source_hidden": True}),
        ("explorer", ["explorer", "hide-input"], {"source_hidden": True}),
        ("figure", ["figure", "hide-input"], {"source_hidden": True}),
        ("solution", ["solution", "hide-cell"], {"source_hidden": True, "outputs_hidden": True}),
    ],
)
def test_a_role_folds_in_three_places(role, tags, jupyter):
    cell = normal(code("# @title A title\nx = 1", role)).cells[0]
    assert cell.metadata == {"tags": tags, "jupyter": jupyter, "cellView": "form"}


def test_other_cells_are_not_folded():
    setup, exercise, plain = normal(code("x", "setup"), code("x", "exercise"), code("x")).cells
    assert setup.metadata == {"tags": ["setup", "remove-cell"]}
    assert exercise.metadata == {"tags": ["exercise"]}
    assert plain.metadata == {}


def test_a_cell_whose_role_was_taken_away_unfolds():
    folded = normal(code("# @title A\nx", "derivation")).cells[0]
    folded.metadata["tags"] = ["hide-input"]
    assert normal(folded).cells[0].metadata == {}


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (code("x = 1", "derivation"), "a/chapter, cell 1: a folded cell must begin with '# @title …'"),
        (code("# @title \nx", "solution"), "must begin with"),
        (code("x", "derivaton"), "unknown tag derivaton"),
        (code("x", "setup", "exercise"), "one role; got setup and exercise"),
    ],
)
def test_a_wrong_form_is_named(cell, message):
    with pytest.raises(NotebookFormError, match=message):
        normal(cell)


def test_what_changes_from_run_to_run_is_dropped():
    view = nbformat.v4.new_output(
        "display_data", data={WIDGET_VIEW: {"model_id": "1"}, "text/plain": "[slider]"}
    )
    only = nbformat.v4.new_output("display_data", data={WIDGET_VIEW: {"model_id": "2"}})
    made = normal(code(outputs=[view, only], execution={"iopub.status.busy": "now"}, collapsed=True))
    assert made.cells[0].outputs == [
        {"output_type": "display_data", "data": {"text/plain": "[slider]"}, "metadata": {}}
    ]
    assert made.cells[0].metadata == {}
    assert set(made.metadata) == {"kernelspec", "language_info"}
    assert "version" not in made.metadata.language_info


def test_streams_are_joined_and_counts_start_at_one():
    first, second = (nbformat.v4.new_output("stream", text=text) for text in ("a\n", "b\n"))
    error = nbformat.v4.new_output("stream", name="stderr", text="c\n")
    made = normal(code(outputs=[first, second, error]), code())
    assert [output.text for output in made.cells[0].outputs] == ["a\nb\n", "c\n"]
    assert [cell.execution_count for cell in made.cells] == [1, 2]


def test_ids_are_kept_where_they_can_be():
    cells = [code("x"), code("y"), code("x")]
    for cell, name in zip(cells, ["mine", "mine", ""], strict=True):
        cell["id"] = name
    ids = cell_ids(cells)
    assert ids[0] == "mine"
    assert len(set(ids)) == 3
    assert ids == cell_ids(cells)


def test_the_argument_is_not_changed():
    notebook = nbformat.v4.new_notebook(cells=[code("# @title A\nx", "figure")])
    before = json.dumps(notebook)
    normalise(notebook)
    assert json.dumps(notebook) == before


def test_a_notebook_too_large_is_refused_and_nothing_is_written(tmp_path):
    path = tmp_path / "n.ipynb"
    path.write_text("old")
    large = nbformat.v4.new_output("stream", text="x" * LARGEST)
    with pytest.raises(NotebookFormError, match="at most 1,000,000"):
        write(nbformat.v4.new_notebook(cells=[code(outputs=[large])]), path)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["n.ipynb"]
