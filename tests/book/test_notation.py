"""Every letter in a chapter's formulas is explained in book/notation.md, and nothing else is."""

from __future__ import annotations

import nbformat
import pytest

from tools.chapters import Page, chapters, read
from tools.symbols import formulas, listed, notation, symbols, unlisted, used

EVERYWHERE, OWN = notation()


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_every_symbol_of_a_chapter_is_listed_and_every_row_of_its_own_is_used(page: Page):
    here, own = used(read(page)), OWN.get(page.name, set())
    assert unlisted(here, EVERYWHERE, own) == set(), "give it a row in book/_data/notation"
    assert own - here == set(), "these rows explain what the chapter does not use"


def test_only_chapters_have_letters_of_their_own():
    assert set(OWN) <= {page.name for page in chapters()}


@pytest.mark.parametrize(
    ("latex", "found"),
    [
        (r"\hat{y}_i=\theta^\top x_i", {r"\hat y", r"\theta", "x"}),
        (r"\widehat\theta+\overline{F}", {r"\hat \theta", r"\bar F"}),
        (r"\mathcal L(\theta)=\mathbb E_{q(z)}[\log p]", {r"\mathcal L", r"\theta", r"\mathbb E", "p"}),
        (r"\text{mean of }x\text{ and $y$}", {"x"}),
        (r"\operatorname{Var}[X]\ge\frac{\lVert w\rVert^2}{2}", {"X", "w"}),
        (r"W_{\text{out}_{j}}a_\theta b", {"W", "a", "b"}),
        (r"\underbrace{4d}_\text{norms}+c", {"d", "c"}),
        (r"\begin{pmatrix}a&b\end{pmatrix}", {"a", "b"}),
        (r"\bar\alpha_t\,\hat{}\,c", {r"\bar \alpha", "c"}),
    ],
)
def test_a_symbol_is_a_letter_with_what_it_wears(latex, found):
    assert symbols(latex) == found


def test_formulas_are_those_of_the_text_and_of_derivations():
    derivation = nbformat.v4.new_code_cell(
        'd.start(r"\\nu")\nd.equals(r"\\xi", because="$\\rho$")', metadata={"tags": ["derivation"]}
    )
    cells = [
        nbformat.v4.new_markdown_cell(
            "$a$ costs `$b$`, {eq}`x` $y$ {cite}`z`\n\n```\n$c$\n```\n\n$$\nm\n$$\n\n```{math}\nh\n```"
        ),
        derivation,
        nbformat.v4.new_code_cell('d.start(r"\\omega")'),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    assert [one.strip() for one in formulas(notebook)] == ["a", "y", "m", "h", r"\nu", r"\xi"]


def test_what_is_not_listed_is_found():
    everywhere = listed("| $x,\\ \\hat x$ | `x` | a bar: $\\bar q$ |\n| $\\theta$ | | all |")
    assert everywhere == {"x", r"\hat x", r"\theta"}
    assert unlisted({r"\hat \theta", r"\bar \theta", "c", r"\hat c"}, everywhere, set()) == {
        r"\bar \theta",
        "c",
        r"\hat c",
    }
    assert unlisted({"c", r"\hat c"}, everywhere, {"c"}) == set()
