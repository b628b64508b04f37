"""Mathematics and sentences with $…$ in them, as plain text, LaTeX, Markdown and the site's HTML."""

from __future__ import annotations

import html
import re
from typing import Any

from chapters_src.studio.building import building_site

# \text{…} in MathJax does not read these escapes, so they stand between two \text{…} as mathematics.
SPECIAL = {
    **{c: "\\" + c for c in "#%&_{}$"},
    "\\": r"\backslash ",
    "~": r"{\sim}",
    "^": r"{\wedge}",
}


def bundle(plain: str, site_html: str, **others: str) -> dict[str, str]:
    """A MIME bundle; the HTML is in it only while the site is built. ``markdown=`` is ``text/markdown``."""
    forms = {"text/plain": plain, **{f"text/{kind}": text for kind, text in others.items()}}
    return forms | {"text/html": site_html} if building_site() else forms


def pieces(sentence: str) -> list[tuple[bool, str]]:
    r"""The sentence in parts, each with whether it is mathematics; ``\$`` is a dollar."""
    parts = re.split(r"(?<!\\)\$", sentence)
    if len(parts) % 2 == 0:
        raise ValueError(
            rf"pieces: sentence must have its $ in pairs (write \$ for a dollar); got {sentence!r}"
        )
    split = [(i % 2 == 1, part if i % 2 else part.replace(r"\$", "$")) for i, part in enumerate(parts)]
    return [(is_maths, part) for is_maths, part in split if part]


def plain_sentence(sentence: str) -> str:
    """The sentence without its dollar signs."""
    return "".join(part for _, part in pieces(sentence))


def latex_sentence(sentence: str, words: str = "text") -> str:
    r"""The sentence as mathematics: words in \text{…} (or another such command), formulas as they are."""
    return "".join(part if is_maths else _latex_words(part, words) for is_maths, part in pieces(sentence))


def _latex_words(words: str, command: str) -> str:
    parts = re.split(r"([#%&_{}$\\~^])", words)
    return "".join(SPECIAL.get(part, rf"\{command}{{{part}}}") for part in parts if part)


def html_sentence(sentence: str) -> str:
    """The sentence as HTML, its formulas written as Sphinx writes them."""
    return "".join(html_maths(part) if is_maths else _html_words(part) for is_maths, part in pieces(sentence))


def _html_words(words: str) -> str:
    """Words with *emphasis*, **strength** and `code`, as in the Markdown around them."""
    marked = html.escape(words)
    for mark, tag in ((r"\*\*", "strong"), (r"\*", "em"), ("`", "code")):
        marked = re.sub(
            rf"(?<![\w*]){mark}(?=\S)([^*`]+?)(?<=\S){mark}(?![\w*])", rf"<{tag}>\1</{tag}>", marked
        )
    return marked


def html_maths(latex: str) -> str:
    r"""Inline mathematics that the site's MathJax finds: it looks only inside class ``math``."""
    return rf'<span class="math notranslate nohighlight">\({html.escape(latex, quote=False)}\)</span>'


def widget_sentence(sentence: str) -> str:
    """The sentence as HTML with its formulas left between dollars, as widgets read them."""
    return "".join(
        f"${html.escape(part)}$" if is_maths else _html_words(part) for is_maths, part in pieces(sentence)
    )


def markdown_words(words: str) -> str:
    """Words that Markdown shows as they are, whatever signs are in them."""
    return re.sub(r"([\\`*_{}\[\]<>$#|~])", r"\\\1", words)


def check_latex(caller: str, latex: Any) -> str:
    """A formula that cannot spoil what stands around it: braces in pairs, no dollar sign."""
    if not isinstance(latex, str) or not latex.strip():
        raise ValueError(f"{caller}: latex must be a formula; got {latex!r}")
    depth = 0
    for brace in re.findall(r"(?<!\\)(?:\\\\)*([{}])", latex):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            break
    if depth or re.search(r"(?<!\\)\$", latex):
        raise ValueError(f"{caller}: latex must have its braces in pairs and no $; got {latex!r}")
    return latex
