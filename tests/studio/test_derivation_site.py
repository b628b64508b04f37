from html.parser import HTMLParser

import numpy as np
import pytest

from chapters_src.studio import Derivation, derivation_site, normal, positive
from chapters_src.studio.derivation_site import site_html
from chapters_src.studio.source import code_of


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.text, self.classes = [], [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []
        self.classes += attributes.get("class", "").split()

    def handle_data(self, data):
        self.text += data


def double(x):
    """Twice."""
    return 2 * x


def example(label=""):
    # words, so that the lines run from their functions
    d = Derivation("twice $x$", x=positive(2), label=label)
    d.start(r"\text{the sum of } x \text{ and } x", lambda x: x + x)
    d.equals(r"\text{twice } x", double, because="add")
    d.at_most(r"\text{thrice } x", lambda x: 3 * x, because="$x>0$")
    d.proportional_to(r"\text{once } x", lambda x: x, because="a third", of="x")
    return d


def test_every_line_has_an_anchor_and_says_what_ran():
    page = Page(site_html(example()))
    assert page.ids == ["twice-x-1", "twice-x-2", "twice-x-3", "twice-x-4"]
    assert page.links == [f"#{ident}" for ident in page.ids]
    assert page.text.count("Line 2, run from code beside it: look inside") == 1
    labelled = Page(site_html(example("eq-twice")))
    assert labelled.ids == ["eq-twice-1", "eq-twice-2", "eq-twice-3", "eq-twice", "eq-twice-4"]
    assert page.classes.count("studio-break") == 3, "every line but the first can be broken"
    assert "twice $x$, line 3 does not follow" in page.text
    assert "checked on 20 random inputs, disagreement below 1e-14" in page.text


def test_values_on_both_sides_are_those_of_one_input():
    d = example()
    x = d.draws[0]["x"]
    text = Page(site_html(d)).text
    first, second = (f"{value:.6g}" for value in 2 * x)
    assert f"line 1[{first}, {second}]line 2[{first}, {second}]disagreementbelow 1e-14" in text
    assert f"apart by[{x[0]:.6g}, {x[1]:.6g}]" in text
    assert "ratio[0.333333, 0.333333]" in text
    assert f"with x = [{x[0]:.6g}, {x[1]:.6g}]" in text


def test_the_code_of_a_line_is_shown():
    text = Page(site_html(example())).text
    assert "x + x" in text and "3 * x" in text
    assert "def double(x):" in text and "return 2 * x" in text


def test_the_origin_of_a_line_is_marked(monkeypatch):
    d = example()
    assert "{ } run from code beside it" in Page(site_html(d)).text
    monkeypatch.setattr(derivation_site, "_origin", lambda line: "formula")
    d.lines = d.lines[:1]
    text = Page(site_html(d)).text
    assert "Line 1, run from the formula" in text and "ƒ run from the formula" in text
    assert "x + x" not in text, "what runs from its formula shows no code"
    assert "nothing to check yet" in text


def test_a_minimiser_is_told():
    d = Derivation("least", t=normal())
    d.start("t^2", lambda t: t**2)
    d.same_minimiser("2t^2+1", lambda t: 2 * t**2 + 1, because="increasing", over="t")
    assert "both are least atthe same t" in Page(site_html(d)).text


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda a: a + 1, "a + 1"),
        (double, 'def double(x):\n    """Twice."""\n    return 2 * x'),
        (np.sin, "sin"),
        (len, "len"),
        (eval("lambda x: x"), ""),
    ],
)
def test_what_a_function_computes(function, code):
    assert code_of(function) == code


def test_two_lambdas_on_a_line_are_told_apart():
    one, two, three = lambda a: a + 1, lambda a: a - 1, lambda a: a + 2
    assert [code_of(each) for each in (one, two, three)] == ["a + 1", "a - 1", "a + 2"]
