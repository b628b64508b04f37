"""The site's extension piece by piece: buttons, formulas, numbers, facts; and the browser of its tests."""

from __future__ import annotations

import importlib
import re
import sys
from types import SimpleNamespace

import pytest
import yaml

from tools import browser
from tools.chapters import ROOT, chapters, read
from tools.name_repository import with_repository

sys.path.insert(0, str(ROOT / "book/_ext"))  # as Sphinx does for local_extensions
buttons_of, facts, formulas, numbering, offline = map(
    importlib.import_module, ("buttons", "chapter_facts", "formulas", "numbering", "offline")
)


def buttons(url, page="models/least_squares", source="models/least_squares.ipynb"):
    env = SimpleNamespace(found_docs={page}, doc2path=lambda name: f"book/{source}")
    config = SimpleNamespace(html_theme_options={"repository_url": url})
    theirs = [{"label": "download-buttons"}, {"label": "kept"}]
    context = {"header_buttons": theirs, "pathto": lambda path, _: f"../{path}"}
    buttons_of.set_buttons(SimpleNamespace(env=env, config=config), page, "", context, None)
    return {one["label"]: one.get("url") for one in context["header_buttons"]}


def test_without_a_repository_there_is_the_standalone_notebook_and_no_colab():
    assert buttons("") == {
        "standalone-button": "../standalone/models/least_squares.ipynb",
        "kept": None,
    }


def test_with_a_repository_colab_opens_the_published_notebook():
    named = buttons("https://github.com/owner/book")
    assert named["colab-button"] == (
        "https://colab.research.google.com/github/owner/book/blob/gh-pages/standalone/models/least_squares.ipynb"
    )
    assert named["source-button"] == "https://github.com/owner/book/blob/main/book/models/least_squares.ipynb"
    assert "colab-button" not in buttons("https://gitlab.com/owner/book"), "Colab opens GitHub only"


def test_a_page_of_text_has_neither():
    assert buttons("https://github.com/o/b", "notation", "notation.md") == {"kept": None}


def test_the_repository_is_named_in_one_place():
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    named = with_repository(config, "https://github.com/owner/book")
    assert yaml.safe_load(named)["repository"]["url"] == "https://github.com/owner/book"
    with pytest.raises(ValueError, match=r"one repository.url"):
        with_repository("title: x\n", "https://github.com/owner/book")


def test_a_browser_is_looked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    assert browser.find_chromium() is None
    (tmp_path / "chromium").write_text("#!/bin/sh\n")
    (tmp_path / "chromium").chmod(0o755)
    assert browser.find_chromium() == str(tmp_path / "chromium")
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "absent"))
    assert browser.find_chromium() is None


@pytest.mark.parametrize(
    ("latex", "part"),
    [
        (r"\mathbb R", "<mi>ℝ</mi>"),
        (r"\mathcal L", "<mi>ℒ</mi>"),
        (r"\mathbf 1", "<mn>𝟏</mn>"),
        (r"\operatorname{tr} A", "<mi>tr</mi>"),
        (r"\underbrace{a+b}_n", "<munder>"),
        (r"\text{for all }x", "for all\u00a0"),
        (r"2\log x", '<mn>2</mn><mspace width="0.167em"></mspace><mi>log</mi>'),
        (r"a=b", '<mo lspace="0.278em" rspace="0">=</mo><mspace width="0.278em"></mspace><mi>b</mi>'),
        (r"\lVert x\rVert", 'form="prefix">‖</mo>'),
    ],
)
def test_a_formula_becomes_mathml_spaced_as_tex_spaces_it(latex, part):
    assert part in formulas.mathml(latex, display=True)


def test_columns_of_equations_are_aligned():
    drawn = formulas.mathml(r"\begin{aligned}a&=b\\&=c\end{aligned}", display=True)
    assert re.findall(r"text-align:(\w+)", drawn) == ["right", "left", "right", "left"]


def test_a_formula_that_tex_would_not_read_is_named():
    with pytest.raises(formulas.FormulaError, match=r"\\frac\{1: Missing close brace"):
        formulas.mathml(r"\frac{1", display=False)
    with pytest.raises(formulas.FormulaError, match="nosuchthing"):
        formulas.mathml(r"\nosuchthing", display=False)


def test_every_formula_of_a_page_is_typeset_in_derivations_too():
    waiting = r'<p><span class="math notranslate nohighlight">\(a&lt;b\)</span>.</p>'
    page = offline.tidy(waiting + waiting.replace("span", "div").replace(r"\(", r"\[").replace(r"\)", r"\]"))
    assert page.count("<math") == 2
    assert '<span class="glued">' in page
    assert not re.search(r"\\[(\[]", page)


def test_words_of_a_formula_have_no_source():
    assert formulas.words(r"\theta^\top x") == "θ⊤x"
    assert formulas.words(r"\sum_{i=1}^n(y_i-\theta^\top x_i)^2") == "…"


def test_a_caption_comes_from_the_title_of_its_cell():
    assert numbering.caption_of("Picture: a line and its squares") == "A line and its squares"
    assert numbering.caption_of("Explorer: the race, its controls") == "The race"
    taken = {"fig-least-squares-a-line"}
    assert numbering.figure_name("models/least_squares", "A line", taken) == "fig-least-squares-a-line-2"


def test_a_chapter_says_what_it_needs_in_a_box():
    box = ":::{admonition} Before you start\n:class: needs\n[Descent](../optimisation/descent.ipynb)\n:::\n"
    cell = {"cell_type": "markdown", "source": [f"# Title\n\n[Other](other.ipynb)\n\n{box}"]}
    assert facts.needs_of([cell], "models/one") == ("optimisation/descent",)
    assert facts.needs_of([{**cell, "source": ["# Title"]}], "models/one") == ()


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_the_box_of_a_chapter_says_the_minutes_that_stand_under_its_title(page):
    cells = read(page).cells
    (stated,) = re.findall(r"\*\*Time\*\*: about (\d+) minutes", "\n".join(cell.source for cell in cells))
    assert int(stated) == facts.minutes(cells)


def test_minutes_grow_with_words_and_exercises():
    prose = {"cell_type": "markdown", "source": ["word " * 2000]}
    exercise = {"cell_type": "code", "source": [], "metadata": {"tags": ["exercise"]}, "outputs": [{}]}
    assert facts.minutes([prose]) == 10
    assert facts.minutes([prose, exercise, exercise]) == 20
