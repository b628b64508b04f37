"""MyST Markdown as plain Markdown."""

from __future__ import annotations

import pytest

from tools.plain import Plain

BIB = """@book{ada1843, author = {Lovelace, Ada}, title = {Notes}, publisher = {Taylor}, year = {1843}}
@article{four, author = {A, B and C, D and E, F}, title = {Many {Hands}}, journal = {J}, year = {2001}}
"""


@pytest.fixture
def plain(tmp_path):
    (tmp_path / "references.bib").write_text(BIB)
    return Plain(tmp_path / "references.bib")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("plain *text* with `code` and $x$", "plain *text* with `code` and $x$"),
        ("$$a = b$$ (eq-one) and {eq}`eq-one`", "$$a = b \\tag{1}\n$$ and (1)"),
        ("{eq}`eq-b` before {eq}`eq-a`, {eq}`eq-b`", "(1) before (2), (1)"),
        ("```{math}\n:label: eq-m\nc = d\n```", "$$\nc = d \\tag{1}\n$$"),
        ("{cite:t}`ada1843` and {cite}`four`", "Lovelace (1843) and [A and others, 2001]"),
        ("{cite:p}`ada1843,four`", "[Lovelace, 1843; A and others, 2001]"),
        ("{doc}`the notation </notation>`, {doc}`models/least_squares`", "the notation, *least squares*"),
        ("{ref}`a section <label>`, {term}`loss`", "a section, loss"),
        ("(a-label)=\n## Title", "## Title"),
        (
            "[there](../p/two.ipynb#x) [out](https://a.org/b.md) [here](#x)",
            "there [out](https://a.org/b.md) [here](#x)",
        ),
        (":::{note}\nSee {eq}`e`.\n:::", "> **Note**\n>\n> See (1)."),
        (":::{admonition} A title\n:class: tip\none\n\ntwo\n:::", "> **A title**\n>\n> one\n>\n> two"),
        ("```python\n{eq}`kept`\n```\n`{eq}` stays", "```python\n{eq}`kept`\n```\n`{eq}` stays"),
        ("::::{note}\n:::{tip}\ninner\n:::\n::::", "> **Note**\n>\n> > **Tip**\n> >\n> > inner"),
        (
            "```{bibliography}\n:filter: docname\n```\n{cite}`ada1843`",
            "- Lovelace. *Notes*. Taylor, 1843.\n[Lovelace, 1843]",
        ),
    ],
)
def test_becomes_plain(plain, source, expected):
    assert plain(source) == expected


def test_numbers_and_citations_last_from_cell_to_cell(plain):
    assert plain("$$a$$ (eq-a)").endswith("\\tag{1}\n$$")
    assert plain("$$b$$ (eq-b)").endswith("\\tag{2}\n$$")
    assert plain("{eq}`eq-a` {cite}`four`") == "(1) [A and others, 2001]"
    assert plain("```{bibliography}\n```") == "- A and others. *Many Hands*. J, 2001."


def test_an_unknown_citation_is_an_error(plain):
    with pytest.raises(KeyError, match=r"references.bib has no entry nobody"):
        plain("{cite}`nobody`")
