"""Numbers in prose, and how a claim finds the one it asserts."""

from __future__ import annotations

import html
import importlib
import json
import sys
from types import SimpleNamespace

import pytest
from docutils import nodes

from tools.chapters import ROOT


@pytest.fixture(scope="module", autouse=True)
def _extensions():
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    yield
    sys.path.remove(str(ROOT / "book" / "_ext"))


@pytest.fixture(scope="module")
def numerals():
    return importlib.import_module("numerals")


@pytest.fixture(scope="module")
def ticks():
    return importlib.import_module("ticks")


@pytest.fixture(scope="module")
def quiet():
    return importlib.import_module("quiet")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a year adds about 0.94 mg/dl, and −3.5", [0.94, -3.5]),
        ("1.6 × 10¹⁰ products, 10⁻³ of them", [1.6e10, 1e-3]),
        ("1,650 s, 1\u2009650.5 s and 12\u202f000.", [1650, 1650.5, 12000]),
        ("½ and 2/3 of 12.24.", [0.5, 2 / 3, 12.24]),
        ("v1.2.3, x1, 3D, 2n, h_2 and 1/2/3", []),
        ("5e-3, -7 (−8), 0.1–0.2", [0.005, -7, -8, 0.1, 0.2]),
        ("in 1886, 4.", [1886, 4]),
    ],
)
def test_numbers_in_words(numerals, text, values):
    assert [one.values[0] for one in numerals.read(text)] == values


@pytest.mark.parametrize(
    ("latex", "values"),
    [
        (r"25.68+0.94\,x_1+5.79\,x_2", [25.68, 0.94, 5.79]),
        (r"\eta\approx0.94", [0.94]),
        (r"\tfrac12+\frac{2}{3}", [0.5, 2 / 3]),
        (r"1{,}650=1\,650", [1650, 1650]),
        (r"x_{12}^{3}+1.6\times10^{10}", [1.6e10]),
        (r"\theta=-0.5,\ 10^{-3}", [-0.5, 1e-3]),
        (r"52\,\%", [0.52]),
    ],
)
def test_numbers_in_formulas(numerals, latex, values):
    assert [one.values[0] for one in numerals.read_latex(latex)] == values


def test_a_number_is_where_it_says(numerals):
    text = "about 0.94 mg, or 52 % of 1.6 × 10¹⁰."
    assert [text[one.start : one.end] for one in numerals.read(text)] == ["0.94", "52 %", "1.6 × 10¹⁰"]


@pytest.mark.parametrize(
    ("text", "target", "slack", "found"),
    [
        ("12.24", 12.2398, 0.005, 1),
        ("12.25", 12.24, 0.005, 0),
        ("25.68", 488 / 19, 1e-9, 1),  # a rounding
        ("25.7 and 25.6842", 488 / 19, 1e-4, 1),  # the closer one is meant
        ("3", 3.2, 0.01, 0),  # one digit is no rounding
        ("52 %", 0.5234, 0.005, 1),
        ("52 %", 52.3, 0.5, 1),
        ("2/3", 2 / 3, 0.01, 1),
        ("-0.5", 0.5, 0.01, 0),
        ("252 of 252", 252, 0, 2),
        ("0.0", 0.001, 0, 0),
    ],
)
def test_which_numbers_tell_a_target(numerals, text, target, slack, found):
    assert len(numerals.nearest(numerals.read(text), target, slack)) == found


def claim(ticks, code="claim()", **prose):
    prose = {"targets": [], "otherwise": [], "written": [], **prose}
    text = html.escape(json.dumps(prose))
    raw = f'<p class="studio-claim" data-prose="{text}"><span class="studio-what">mean</span> = 3</p>'
    return ticks.read_claim(raw, code, "claim-1")


def paragraph(*parts):
    return nodes.paragraph("", "", *(nodes.Text(part) if isinstance(part, str) else part for part in parts))


def marked(ticks, made, *parts):
    """The paragraph as text after the claim's ticks are set."""
    block = paragraph(*parts)
    marks = ticks.Marks()
    for _, places in ticks.places_of(made, [block]):
        assert len(places) == 1
        marks.add(places[0], made.ident)
    marks.set()
    return "".join(node.astext() for node in block.findall(nodes.Text))


def test_ticks_are_set(ticks):
    made = claim(ticks, targets=[[12.24, 0.005], [0.5, 0.001]])
    text = marked(ticks, made, "The mean is 12.24, at most; and ", nodes.math("", r"\theta=0.5"), ".")
    assert text.count("<button") == 2
    assert text.startswith('The mean is <span class="studio-number">12.24<button type="button"')
    assert "</button>,</span> at most; and <span" in text
    assert text.endswith("</button>.</span>"), "a full stop stays with its formula"


def test_a_bound_is_looked_for_where_the_value_is_not(ticks):
    made = claim(ticks, targets=[[0.031, 0.0005]], otherwise=[0.05])
    assert "0.05<button" in marked(ticks, made, "always below 0.05 of it")
    assert "0.031<button" in marked(ticks, made, "0.031, below 0.05")


def test_words_can_be_what_is_claimed(ticks):
    made = claim(ticks, written=["ten times"])
    assert "ten times<button" in marked(ticks, made, "about ten times as much, often ten")
    (wanted,) = ticks.places_of(made, [paragraph("often times")])
    assert wanted == ("“ten times”", [])
    (wanted,) = ticks.places_of(claim(ticks), [paragraph("never")])
    assert wanted[0] == "a statement, which needs written=…"


def test_code_is_no_prose(ticks):
    made = claim(ticks, targets=[[3.0, 0.0]])
    ((_, places),) = ticks.places_of(made, [paragraph(nodes.literal("", "3"), " is 3")])
    assert len(places) == 1


def test_what_is_no_claim(ticks):
    assert ticks.read_claim("<p>12.24</p>", "", "claim-1") is None


def test_details_hold_the_code(ticks):
    assert "<pre>a &lt; b</pre>" in claim(ticks, code="a < b").details()


def test_the_prose_of_a_claim_is_the_nearest_markdown_cell_of_its_section(quiet):
    def at(node, cell, line=1):
        node.line = 10_000 * cell + line
        return node

    cell, other = (nodes.container("", nb_element="cell_code") for _ in range(2))
    far, near, same, below = (paragraph(word) for word in ("far", "near", "same cell", "below"))
    section = nodes.section("", nodes.title("", "title"), at(far, 2), at(near, 3), at(same, 3, 4))
    section += [at(other, 4), at(cell, 5), at(below, 6), nodes.section("", paragraph("another section"))]
    assert quiet._prose(cell, -1) == [near, same]
    assert quiet._prose(cell, 1) == [below]
    assert quiet._number(cell) == 5


@pytest.mark.parametrize(
    ("source", "alone"),
    [
        ('claim("a", 1, equals=1)', True),
        ('claim("a", 1, equals=1)\nclaim(\n    "b", 2, equals=2\n)', True),
        ('display(claim("a", 1, equals=1), claim("b", 2, equals=2))', True),
        ('display(a, claim("b", 2, equals=2))', False),
        ('a = 1\nclaim("a", a, equals=1)', False),
        ("print(claim)", False),
        ("%magic", False),
    ],
)
def test_a_cell_that_only_claims(quiet, source, alone):
    assert quiet.only_claims(source) is alone


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ('a = 1\n\nclaim("a", a, equals=1)', "a = 1"),
        ('a = 1\ndisplay(\n    claim("a", a, equals=1),\n    claim("b", a, equals=1),\n)', "a = 1"),
        ('claim("a", 1, equals=1)\na = 1', 'claim("a", 1, equals=1)\na = 1'),
        ("a = 1\ndisplay(a)", "a = 1\ndisplay(a)"),
    ],
)
def test_code_is_shown_without_the_claims_at_its_end(quiet, source, shown):
    cell = nodes.container("", nb_element="cell_code")
    block = nodes.literal_block(source, source)
    cell += nodes.container("", block, nb_element="cell_code_source")
    quiet._hide_claims(cell)
    assert block.astext() == block.rawsource == shown


@pytest.mark.parametrize(
    ("source", "alone"),
    [
        ("source(f)", True),
        ("exercises.first", True),
        ("source(f)\nx = 1", False),
        ("f(source)", False),
        ("exercises.first.check(1)", False),
        ("", False),
        ("%magic", False),
    ],
)
def test_a_cell_that_only_names_what_is_seen(quiet, source, alone):
    assert quiet.only_shows(source) is alone


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("layer   weights\nConv        150\nPool          0", True),
        ("[[-0.   -0.25]\n [-0.25 -0.  ]\n [-0.5  -0.25]]", True),
        ("pixels   right 72%\nby hand  right 85%", True),
        ("accepted 0.561, 1 − total variation 0.564\ntokens per pass 2.10, formula 2.15", False),
        ("one line   with a gap", False),
        ("    indented\n    and no more", False),
        ("", False),
    ],
)
def test_outputs_in_columns_are_told_from_sentences(quiet, text, found):
    assert quiet.stands_in_columns(text) is found


def test_an_output_in_columns_is_marked(quiet):
    cell = nodes.container(nb_element="cell_code")
    output = nodes.container(nb_element="cell_code_output")
    tables = [nodes.literal_block("", "a   1\nb   2", classes=["output", "stream"])]
    tables += [
        nodes.literal_block("", "a b", classes=["output", "stream"]),
        nodes.literal_block("", "a   1\nb   2"),
    ]
    output.extend(tables)
    cell.append(output)
    document = nodes.container("", cell)
    quiet.keep_columns(None, document)
    assert [one["classes"] for one in tables] == [["output", "stream", "columns"], ["output", "stream"], []]


@pytest.mark.parametrize("repository", ["", "https://github.com/owner/book"])
def test_a_waiting_exercise_says_where_it_is_answered(quiet, repository):
    blank = '<p class="studio-verdict studio-blank">Not attempted yet.</p>'
    judged = '<p class="studio-verdict studio-accepted">Accepted.</p>'
    page = nodes.section("", *(nodes.raw("", text, format="html") for text in (blank, judged)))
    app = SimpleNamespace(
        env=SimpleNamespace(docname="models/least_squares"),
        config=SimpleNamespace(html_theme_options={"repository_url": repository}),
    )
    quiet.open_exercises(app, page)
    first, second = (node.astext() for node in page.findall(nodes.raw))
    assert "../standalone/models/least_squares.ipynb" in first and "Not attempted" not in first
    assert ("colab.research" in first) is bool(repository)
    assert second == judged


def code_cell(*tags, output=True):
    cell = nodes.container("", nb_element="cell_code", classes=["cell", *tags], hide_mode="input")
    cell += nodes.container("", nodes.literal_block("", " ".join(tags)), nb_element="cell_code_source")
    if output:
        cell += nodes.container("", nodes.raw("", "picture"), nb_element="cell_code_output")
    return cell


def test_a_stage_goes_behind_the_button_of_what_it_is_for(quiet):
    stage, figure = code_cell("tag_explorer", "stage", output=False), code_cell("tag_explorer")
    lonely, words = code_cell("tag_figure", output=False), paragraph("words between")
    last, solution = code_cell("tag_figure"), code_cell("tag_solution")
    page = nodes.section("", stage, figure, lonely, words, last, solution)
    quiet.gather_code(None, page)
    assert page.children == [figure, lonely, words, last, solution]
    assert [block.astext() for block in figure.findall(nodes.literal_block)] == [
        "tag_explorer stage",
        "tag_explorer",
    ]
    assert ["quiet-code" in cell["classes"] for cell in (figure, lonely, last, solution)] == [
        True,
        False,
        True,
        False,
    ]
