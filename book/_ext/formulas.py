"""Mathematics typeset at build: TeX becomes the MathML that browsers draw by themselves, without a script."""

from __future__ import annotations

import atexit
import functools
import html
import importlib.util
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from docutils import nodes
from py_mini_racer import JSEvalException, MiniRacer
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.math import get_node_equation_number

MATHJAX = (
    "core.js",
    "adaptors/liteDOM.js",
    "input/tex-base.js",
    "input/tex/extensions/ams.js",
    "input/tex/extensions/boldsymbol.js",
    "input/tex/extensions/newcommand.js",
)
# A formula as Sphinx and chapters_src/studio/typeset.py leave it in a page.
WAITING = re.compile(
    r'(?P<opening><(?:span|div) class="[^"]*\bmath\b[^"]*"[^>]*>(?:\s*<span class="eqno">.*?</span>)?)'
    r"\s*\\(?P<kind>[(\[])(?P<latex>[^<]*?)\\[)\]]\s*(?=</)",
    re.S,
)
# Where a style of letters begins among the mathematical letters of Unicode: A, a and 0.
ALPHABETS = {
    "bold": (0x1D400, 0x1D41A, 0x1D7CE),
    "script": (0x1D49C, 0x1D4B6, None),
    "fraktur": (0x1D504, 0x1D51E, None),
    "double-struck": (0x1D538, 0x1D552, 0x1D7D8),
    "bold-italic": (0x1D468, 0x1D482, None),
    "sans-serif": (0x1D5A0, 0x1D5BA, 0x1D7E2),
    "monospace": (0x1D670, 0x1D68A, 0x1D7F6),
}
# Letters that Unicode had before it had alphabets, and keeps elsewhere.
ELSEWHERE = {
    "script": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True)),
    "double-struck": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    "fraktur": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
}
WORDS = {"bold": "font-weight:bold", "italic": "font-style:italic"}
FORMS = {"OPEN": "prefix", "CLOSE": "postfix"}


class FormulaError(ValueError):
    """A formula that TeX would not read."""


def mathjax_source() -> Path:
    """The folder of MathJax inside the package that carries it."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None or spec.origin is None:
        raise ImportError("sphinx-mathjax-offline is not installed: run make book")
    return Path(spec.origin).parent / "static" / "mathjax"


@functools.cache
def engine() -> MiniRacer:
    """A JavaScript engine that has read MathJax's parser."""
    started = MiniRacer()
    atexit.register(started.close)  # left to the interpreter's end, its thread may never stop
    started.eval("globalThis.MathJax = {};")
    for part in MATHJAX:
        started.eval((mathjax_source() / part).read_text(encoding="utf-8"))
    started.eval(Path(__file__).with_suffix(".js").read_text(encoding="utf-8"))
    return started


@functools.cache
def mathml(latex: str, *, display: bool) -> str:
    """The formula as MathML Core, spaced as TeX would space it."""
    try:
        tree = ElementTree.fromstring(engine().call("typeset", latex, display))
    except JSEvalException as error:
        reason = re.search(r"Error: (.*)", str(error))
        raise FormulaError(f"{latex}: {reason.group(1) if reason else error}") from None
    for element in tree.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.text, element.tail = (element.text or "").strip(" \n"), ""
    simplify(tree)
    return ElementTree.tostring(tree, encoding="unicode", short_empty_elements=False)


def simplify(parent: Element) -> None:
    """Say in the words of MathML Core what MathJax says in MathML 3, and unwrap what wraps one thing."""
    children = []
    for child in list(parent):
        simplify(child)
        before = child.attrib.pop("data-before", "")
        if before:
            children.append(Element("mspace", width=before))
        children.append(core(child))
    parent[:] = children
    if parent.tag == "mtable":
        lay_out(parent)


def core(element: Element) -> Element:
    """One element in MathML Core; its children already are."""
    kind = element.attrib.get("data-mjx-texclass", "")
    for name in [name for name in element.attrib if name.startswith("data-mjx")]:
        del element.attrib[name]
    if element.tag == "mo" and kind in FORMS:
        element.set("form", FORMS[kind])
    if element.tag in ("mrow", "mstyle") and len(element) == 1:
        only, rest = element[0], {key for key in element.attrib if key != "scriptlevel"}
        if not rest and (element.tag == "mrow" or only.tag == "mspace"):
            if only.tag == "mo" and kind in FORMS:
                only.set("form", FORMS[kind])
            return only
    variant = element.attrib.get("mathvariant", "normal")
    if variant != "normal":
        del element.attrib["mathvariant"]
        if element.tag == "mtext":
            element.set("style", WORDS[variant])
        else:
            element.text = in_alphabet(element.text or "", variant)
    return element


def in_alphabet(letters: str, variant: str) -> str:
    """Letters and digits in another style, by the characters Unicode has for it."""
    if variant == "italic":
        return letters
    upper, lower, digit = ALPHABETS[variant]
    styled = ""
    for letter in letters:
        if letter in ELSEWHERE.get(variant, {}):
            styled += ELSEWHERE[variant][letter]
        elif "A" <= letter <= "Z":
            styled += chr(upper + ord(letter) - ord("A"))
        elif "a" <= letter <= "z":
            styled += chr(lower + ord(letter) - ord("a"))
        elif "0" <= letter <= "9" and digit:
            styled += chr(digit + ord(letter) - ord("0"))
        else:
            styled += letter
    return styled


def lay_out(table: Element) -> None:
    """Give the cells of a table the alignment and the spacing that MathML Core leaves to style sheets."""
    aligns = table.attrib.pop("columnalign", "center").split()
    gaps = table.attrib.pop("columnspacing", "1em").split()
    rows = table.attrib.pop("rowspacing", "0.3em").split()
    for y, row in enumerate(table):
        above = rows[min(y - 1, len(rows) - 1)] if y else "0"
        for x, cell in enumerate(row):
            left = gaps[min(x - 1, len(gaps) - 1)] if x else "0"
            align = aligns[min(x, len(aligns) - 1)]
            cell.set("style", f"text-align:{align};padding:{above} 0 0 {left}")


def typeset(page: str) -> str:
    """The page with every formula that waits in it typeset."""

    def draw(found: re.Match[str]) -> str:
        latex = html.unescape(found["latex"]).strip()
        return found["opening"] + mathml(latex, display=found["kind"] == "[")

    return WAITING.sub(draw, page)


def words(latex: str, longest: int = 14) -> str:
    """The letters of a short formula, for where formulas cannot be shown; a longer one becomes dots."""
    letters = re.sub(r"<[^>]*>", "", mathml(latex, display=False)).replace("\u2061", "")
    return html.unescape(letters) if len(letters) <= longest else "…"


def visit_math(writer: Any, node: nodes.math) -> None:
    writer.body.append(writer.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    writer.body.append(rf"\({writer.encode(node.astext())}\)</span>")
    raise nodes.SkipNode


def visit_math_block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="math notranslate nohighlight"))
    latex = node.astext()
    if not node["nowrap"] and r"\\" in latex:
        latex = rf"\begin{{split}}{latex}\end{{split}}"
    if node["number"]:
        number = get_node_equation_number(writer, node)
        writer.body.append(f'<span class="eqno">({number})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append(rf"\[{writer.encode(latex)}\]</div>" + "\n")
    raise nodes.SkipNode


def use_our_mathematics(app: Sphinx, config: Config) -> None:
    config.html_math_renderer = "every_line"
    config.math_numfig = False  # numbering.py numbers equations


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("every_line", (visit_math, None), (visit_math_block, None))
    app.connect("config-inited", use_our_mathematics)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
