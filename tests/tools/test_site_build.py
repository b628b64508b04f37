"""A tiny book built with the site's extension: numbers, links, minutes, previews, search and fonts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml

from tools.chapters import ROOT

FIRST = r"""# First things

As the [second chapter](second.ipynb) says, {term}`loss` goes down. See {eq}`eq-second-parts`.

$$a^2+b^2=c^2$$ (eq-first-theorem)

By {eq}`eq-first-theorem` and {cite}`someone2020`, $\mathbb E[x]\le\lVert y\rVert$."""
SECOND = r"""# Second things

:::{admonition} Before you start
:class: needs
You need [the first chapter](first.ipynb).
:::

## Parts

$$\begin{aligned}a&=b\\&=c\end{aligned}$$

$$x=\operatorname*{arg\,min}_\theta L$$ (eq-second-parts)

Zebras are mentioned with {ref}`fig-second-a-point`."""
BACK = ("slips", "glossary", "notation", "references")
PICTURE = "# @title Picture: a point\n1"
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def new_notebook(cells: list) -> nbformat.NotebookNode:
    python = {
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "language_info": {"name": "python"},
    }
    return nbformat.v4.new_notebook(cells=cells, metadata=python)


def write_book(folder: Path) -> None:
    book = folder / "book"
    (book / "part").mkdir(parents=True)
    (book / "_data").mkdir()
    said = {"parts": {"part": "What it is for."}, "routes": {"I want it": "part/second"}}
    (book / "_data/chapters.json").write_text(json.dumps(said))
    (book / "intro.md").write_text(
        "# Intro\n\n```{hero}\n```\n\n```{chapter-map}\n```\n\n```{chapter-routes}\n```\n"
    )
    (book / "glossary.md").write_text(
        "# Glossary\n\n```{glossary}\nloss\n  How wrong a prediction is.\n```\n"
    )
    (book / "notation.md").write_text(
        "# Notation\n\n| symbol | meaning |\n|---|---|\n| $\\theta,\\ c$ | parameters |\n\n## Here\n\n"
        "### [Second things](part/second.ipynb)\n\n| symbol | meaning |\n|---|---|\n| $c$ | a side |\n"
        "| $\\hat\\theta$ | an estimate |\n"
    )
    (book / "slips.md").write_text(
        "# Slips\n\n## Parts\n\n### Two & two\n\n> Five.\n\nFour. → [Second things](part/second.ipynb)\n"
    )
    (book / "references.md").write_text("# References\n\n```{bibliography}\n:all:\n```\n")
    (book / "references.bib").write_text(
        "@book{someone2020, author={Ann Someone}, title={A Book}, publisher={Press}, year=2020}\n"
    )
    picture = nbformat.v4.new_code_cell(PICTURE, metadata={"tags": ["figure", "hide-input"]})
    picture.outputs = [nbformat.v4.new_output("display_data", data={"image/png": DOT})]
    for name, cells in {
        "first": [nbformat.v4.new_markdown_cell(FIRST)],
        "second": [nbformat.v4.new_markdown_cell(SECOND), picture],
    }.items():
        nbformat.write(new_notebook(cells), book / "part" / f"{name}.ipynb")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["execute"] = {"execute_notebooks": "off"}
    config["sphinx"]["local_extensions"] = {"every_line": str(ROOT / "book/_ext")}
    config["html"].pop("favicon")
    (folder / "_config.yml").write_text(yaml.safe_dump(config))
    parts = [
        {"caption": "The part", "chapters": [{"file": "part/first"}, {"file": "part/second"}]},
        {"caption": "Back", "chapters": [{"file": name} for name in BACK]},
    ]
    (folder / "_toc.yml").write_text(yaml.safe_dump({"format": "jb-book", "root": "intro", "parts": parts}))


def build(folder: Path) -> subprocess.CompletedProcess:
    program = str(Path(sys.executable).with_name("jupyter-book"))
    command = [program, "build", str(folder / "book"), "--config", str(folder / "_config.yml")]
    command += ["--toc", str(folder / "_toc.yml"), "--path-output", str(folder), "-W", "--keep-going"]
    environment = os.environ | {"NO_COLOR": "1", "PYTHONWARNINGS": "ignore"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    write_book(folder)
    built = build(folder)
    assert built.returncode == 0, built.stderr[-3000:]
    return folder / "_build/html"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, str]:
    return {str(path.relative_to(site)): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


def test_equations_are_numbered_in_their_chapter_and_links_show_the_number(pages):
    assert '<span class="eqno">(1.1)' in pages["part/first.html"]
    assert '<span class="eqno">(2.1)' in pages["part/second.html"]
    assert re.search(r'href="second.html#equation-eq-second-parts"[^>]*>\(2\.1\)', pages["part/first.html"])


def test_figures_are_captioned_and_numbered(pages):
    page = pages["part/second.html"]
    assert re.search(r'id="fig-second-a-point"><span class="figure-number">Figure 2.1.</span> A point', page)
    assert re.search(r'href="#fig-second-a-point"><span class="std std-ref">Figure 2.1<', page)


def test_mathematics_is_typeset_without_a_script(pages):
    assert pages["part/first.html"].count("<math") == 2
    assert not [name for name, page in pages.items() if re.search(r"mathjax|\\\(|\\\[", page, re.I)]


def test_the_map_says_what_a_chapter_needs_and_the_routes_lead_there(pages):
    page = pages["intro.html"]
    assert '<h3 class="map-part">The part</h3><p>What it is for.</p>' in page
    assert '“I want it” <span class="map-facts">2 chapters, about 0 hours</span>' in page
    assert 'data-before="part-first"' in page
    assert 'needs <a href="part/first.html">First things</a>' in page
    assert '<a href="part/first.html">First things</a> → <a href="part/second.html">Second things</a>' in page
    assert "About 5 minutes" in pages["part/first.html"]


def test_previews_hold_equations_references_terms_and_symbols(site):
    text = (site / "_static/preview-data.js").read_text(encoding="utf-8")
    shown = json.loads(text.removeprefix("window.previewData = ").removesuffix(";\n"))
    assert "How wrong" in shown["links"]["glossary.html#term-loss"]
    assert "<math" in shown["links"]["part/second.html#equation-eq-second-parts"]
    assert any("A Book" in one for key, one in shown["links"].items() if key.startswith("references.html#"))
    meanings = shown["symbols"]
    assert meanings.keys() == {"", "part/second"} and meanings[""].keys() == {"θ", "c"}
    assert [len(meanings["part/second"][letter]) for letter in "cθ"] == [1, 2]
    assert "a side" in meanings["part/second"]["c"][0]
    assert "parameters" in meanings["part/second"]["θ"][1]


def test_a_chapter_ends_with_the_slips_that_lead_to_it(pages):
    assert '<a href="../slips.html#two-two">Two &amp; two</a>' in pages["part/second.html"]
    assert 'id="two-two"' in pages["slips.html"]
    assert "slips-here" not in pages["part/first.html"] + pages["slips.html"]


def test_there_is_an_index_for_search_and_fonts_in_a_style_sheet(site):
    assert (site / "pagefind/pagefind.js").exists()
    fonts = (site / "_static/fonts.css").read_text(encoding="utf-8")
    assert fonts.count("@font-face") == 5
    assert len(fonts) < 400_000


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ("[nowhere](nowhere.ipynb)", "nowhere.ipynb"),
        ("{eq}`eq-first-nowhere`", "eq-first-nowhere"),
        (r"$\frac{1$", "Missing close brace"),
        (":::{note}\n:class: needs\n[later](second.ipynb)\n:::", "needs part/second, which comes later"),
    ],
)
def test_what_leads_nowhere_or_cannot_be_read_stops_the_build(tmp_path, wrong, complaint):
    write_book(tmp_path)
    notebook = new_notebook([nbformat.v4.new_markdown_cell(f"# First things\n\n{wrong}")])
    nbformat.write(notebook, tmp_path / "book/part/first.ipynb")
    built = build(tmp_path)
    assert built.returncode != 0
    assert complaint in built.stdout + built.stderr
