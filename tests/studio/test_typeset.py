"""Sentences of questions, reasons and hints, as the site shows them."""

import pytest

from chapters_src.studio.typeset import html_sentence, widget_sentence


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("at *least* once", "at <em>least</em> once"),
        ("do **not** call `np.sort`", "do <strong>not</strong> call <code>np.sort</code>"),
        ("a * b * c, 2*3*4 and x*y*", "a * b * c, 2*3*4 and x*y*"),
        ("<b> & *so on*", "&lt;b&gt; &amp; <em>so on</em>"),
    ],
)
def test_words_are_marked_as_in_markdown(sentence, shown):
    assert html_sentence(sentence) == widget_sentence(sentence) == shown


def test_formulas_are_left_alone():
    assert widget_sentence("*so* $a*b*c$") == "<em>so</em> $a*b*c$"
    assert r"\(a*b*c\)" in html_sentence("$a*b*c$")
