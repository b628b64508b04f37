import base64
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from chapters_src.studio import Choose, Mistake, Option, Predict, above, below, between
from chapters_src.studio.exercise import Verdict
from chapters_src.studio.reading import decimals_of, read_number
from tests.studio.question_examples import descent, half, letters, steps

ROOT = Path(__file__).parents[2]
COLAB = ROOT / ".venv-colab" / "bin" / "python"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.25", 0.25),
        (" .25 ", 0.25),
        ("1/4", 0.25),
        ("25 %", 0.25),
        ("2.5e-1", 0.25),
        ("2.5 × 10⁻¹", 0.25),
        ("2.5*10^-1", 0.25),
        ("10⁻²", 0.01),
        ("-10³", -1000),
        ("2.5·10^{-1}", 0.25),
        ("−0.25", -0.25),
        ("1,650", 1650),
        ("1\u202f650", 1650),
        ("3.", 3),
        ("0.25 m", 0.25),
        ("1e400", None),
        ("1/0", None),
        ("1/2/3", None),
        ("0,5", None),
        ("16,50", None),
        ("quarter", None),
        ("", None),
        ("--1", None),
        ("1.2.3", None),
        ("nan", None),
        ("1_000", None),
    ],
)
def test_numbers_as_people_type_them(text, value):
    assert read_number(text, "m") == value


@pytest.mark.parametrize(
    ("text", "decimals"),
    [("0.25", 2), ("25 %", 2), ("1.6 × 10¹⁰", -9), ("1,650", 0), ("-0.5", 1), ("2e-3", 3)],
)
def test_how_precisely_a_number_is_told(text, decimals):
    assert decimals_of(text) == decimals


def test_a_prediction():
    assert half().check("1/4") == Verdict(True, True, "Accepted.", note="A quarter.")
    assert half().check(0.2509).accepted
    assert half().check("0.251").accepted
    assert not half().check(0.2512).accepted
    assert half().check("25 %").message == "Accepted. A quarter."
    assert half().check(" ").message == half().check(None).message == "Not attempted yet."
    assert half().check("0.5").message == "Not yet. 0.5 is not it. Hint: once more"
    assert half().check(3).hint == "a part is smaller than $1$"
    assert half().check(-0.25).hint == "no sign has changed"
    assert half().check(0.3).hint == half().check(0.3, 0).hint == "draw it"
    assert half().check(0.3, 1).hint == half().check(0.3, 7).hint == "multiply $2\\cdot2$"
    for odd in ("x", [0.25], float("nan"), True, object, lambda: 1):
        verdict = half().check(odd)
        assert not verdict.accepted and verdict.attempted
        assert "cannot be read as a number" in verdict.message
    whole = Predict("Count", "How many?", answer=252, hints=["choose five"])
    assert whole.check("252").accepted and not whole.check("252.001").accepted


def test_a_choice_explains_itself():
    assert steps().check("b").message == "Accepted. Each step is longer."
    assert steps().check("A").message == "Not yet. No: see \\eta."
    assert not steps().check("A").accepted
    assert "'d' is none of a, b, c" in steps().check("d").message
    assert not steps().check(...).attempted


def test_every_valid_order_is_accepted():
    order = descent()
    for lines in (
        ("start", "gradient", "rate", "step"),
        ("rate", "start", "gradient", "step"),
        ("start", "rate", "gradient", "step"),
    ):
        assert order.check(letters(order, *lines)).message == "Accepted. Done."
    wrong = letters(order, "gradient", "start", "rate", "step")
    verdict = order.check(wrong)
    assert verdict.finding == f"Not yet. Line {wrong[0]} stands too early."
    assert verdict.hint == "a gradient is taken somewhere"
    assert order.check(letters(order, "start", "rate", "step", "gradient")).hint == "what must exist first?"
    assert order.check(list(wrong)).hint == verdict.hint
    for odd in ("ab", "aabc", 3, ["a"], "abcz"):
        assert "name each of them once" in order.check(odd).message
    shown = "".join(re.findall(r"\((\w)\)", str(order)))
    assert not order.check(shown).accepted, "what the reader sees first is not yet right"
    listed = descent(before=[], valid=[[1, 2, 3, 4], [3, 1, 2, 4]])
    assert listed.check(letters(listed, "rate", "start", "gradient", "step")).accepted
    assert not listed.check(letters(listed, "start", "rate", "gradient", "step")).accepted
    only = descent(before=[])
    assert only.check(letters(only, "start", "gradient", "rate", "step")).accepted
    assert not only.check(letters(only, "rate", "start", "gradient", "step")).accepted


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: half(within=None), "within must say how closely"),
        (lambda: half(within=0), "within must be above 0"),
        (lambda: half(answer=float("nan")), "answer must be"),
        (lambda: half(mistakes=[Mistake(0.2505, "same")]), "each mistake must differ"),
        (lambda: half(mistakes=[Mistake(above(0.2), "same")]), "each mistake must differ"),
        (lambda: half(mistakes=[Mistake(lambda x: x > 1, "no")]), "which the page can judge too"),
        (lambda: half(hints=[]), "hints must be a list"),
        (lambda: half(hints="draw it"), "hints must be a list"),
        (lambda: half(hints=["by $x"]), "in pairs"),
        (lambda: below(float("inf")), "high must be"),
        (lambda: between(1, 0), "low must be below"),
        (lambda: steps(options=[Option("a", why="w"), Option("b", why="w")]), "one that is right"),
        (lambda: steps(options=[Option("a", right=True, why="w")]), "two or more"),
        (lambda: steps(options=[Option("a", right=True, why="w"), Option("b")]), "explain each option"),
        (lambda: descent(before=[(4, 1)]), r"be \(earlier, later\)"),
        (lambda: descent(before=[(1, 9)]), r"be \(earlier, later\)"),
        (lambda: descent(valid=[[1, 2, 3, 4]]), "not by both"),
        (lambda: descent(before=[], valid=[[1, 2, 3]]), "each of the lines 1 to 4 once"),
        (lambda: descent(before=[], valid=[[4, 3, 2, 1]]), "contain the order"),
        (lambda: descent(lines=["a", "b"]), "three to twenty-six"),
    ],
)
def test_misuse_is_a_value_error(make, rule):
    with pytest.raises(ValueError, match=rule):
        make()


def test_forms(monkeypatch):
    bundle = steps()._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/markdown", "application/vnd.jupyter.widget-view+json"}
    assert (
        bundle["text/plain"]
        == "Long steps: What happens?\n  (a) it converges\n  (b) it diverges\n  (c) it stops"
    )
    assert bundle["text/markdown"].startswith("**Long steps.** What happens?\n\n- (a) it converges\n")
    options = [Option("long", right=True, why="It is."), Option("short", why="It is not.")]
    asked = Choose("How long?", "Say it.", options=options, hints=["measure"])
    assert asked._repr_mimebundle_()["text/markdown"].startswith("**How long?** Say it.\n")
    monkeypatch.setenv("EVERY_LINE_SITE", "1")
    for question in (half(), steps(), descent(), descent(code=True, lines=["a < b", "b", "c", "d"])):
        html = question._repr_mimebundle_()["text/html"]
        assert html.startswith(f'<form class="studio-question studio-{question.kind}"')
        packed = re.search(r'data-answers="([^"]*)"', html)[1]
        assert json.loads(base64.b64decode(packed))["kind"] == question.kind
        assert "0.25" not in html, "the answer is not to be read at a glance"
    assert "<code>a &lt; b</code>" in html


WIDGETS = r"""
import re
import sys
import ipywidgets
sys.path.insert(0, "tests/studio")  # another package of that environment is called tests
from question_examples import descent, half, letters, steps
print(ipywidgets.__version__)
def click(box, name):
    for one in box.children:
        if getattr(one, "description", "") == name:
            one.click()
        if hasattr(one, "children"):
            click(one, name)
def said(box):
    return re.sub("<[^>]*>", "", box.children[3].value + "|" + box.children[4].value)
box = half().widget()
box.children[1].children[0].value = "0.5"; click(box, "Check"); print(said(box))
box.children[1].children[0].value = "0.3"; click(box, "Check"); print(said(box))
click(box, "Another hint"); print(said(box))
box.children[1].children[0].value = "1/4"; click(box, "Check"); print(said(box).split("|")[0])
box = steps().widget(); click(box, "Check"); print(said(box))
box.children[1].children[1].value = "b"; click(box, "Check"); print(said(box))
order = descent(); box = order.widget(); rows = box.children[1]
for place, letter in enumerate(letters(order, "start", "gradient", "rate", "step")):
    row = next(row for row in rows.children if row.children[2].value.startswith(f"({letter})"))
    while rows.children.index(row) > place:
        row.children[0].click()
click(box, "Check"); print(said(box))
"""


@pytest.mark.parametrize("python", [sys.executable, COLAB], ids=["ipywidgets 8", "ipywidgets 7"])
def test_widgets_judge_as_check_does(python):
    if not Path(python).exists():
        pytest.skip("make sets up .venv-colab")
    ran = subprocess.run([python, "-c", WIDGETS], cwd=ROOT, text=True, capture_output=True)
    assert ran.returncode == 0, ran.stderr
    version, *said = ran.stdout.splitlines()
    assert version.startswith("7." if python == COLAB else "8.")
    assert said == [
        "○ Not yet. 0.5 is not it. Hint: once more|",
        "○ Not yet. 0.3 is not it.|Hint 1: draw it",
        r"○ Not yet. 0.3 is not it.|Hint 1: draw itHint 2: multiply $2\cdot2$",
        "✓ Accepted. A quarter.",
        "○ Not attempted yet.|",
        "✓ Accepted. Each step is longer.|",
        "✓ Accepted. Done.|",
    ]
