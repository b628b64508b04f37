"""How a derivation looks: in a terminal, in Jupyter and Colab, and on the site."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from chapters_src.studio.typeset import html_maths, html_sentence, latex_sentence, plain_sentence

if TYPE_CHECKING:
    from chapters_src.studio.derivation import Derivation, Line

GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi "
    "chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
SYMBOL = {"": "", "=": "=", "≤": r"\le", "≥": r"\ge"}


def plain(d: Derivation) -> str:
    """Title, lines with their reasons aligned, and what was checked."""
    relations = [_plain_relation(line) for line in d.lines]
    margin = max(map(len, relations), default=0)
    width = max((len(line.latex) for line in d.lines), default=0)
    rows = [
        f"  {relation:>{margin}} {line.latex:<{width}}   {plain_sentence(line.because)}".rstrip()
        for relation, line in zip(relations, d.lines, strict=True)
    ]
    return "\n".join([plain_sentence(d.title), *rows, check_line(d)])


def latex(d: Derivation) -> str:
    """One display that MathJax 2, MathJax 3 and KaTeX all read: no nested dollars, no packages."""
    rows = [
        rf"{latex_relation(line)}{{}} & {line.latex} && \quad {{\small {latex_sentence(line.because)}}}"
        for line in d.lines
    ]
    inner = "\\\\[0.3em]\n".join(rows)
    return (
        f"$$\\begin{{aligned}}\n&{latex_sentence(d.title, words='textbf')} \\\\\n"
        f"&\\begin{{aligned}}\n{inner}\n\\end{{aligned}} \\\\\n"
        f"&{{\\scriptsize {latex_sentence(check_line(d))}}}\n\\end{{aligned}}$$"
    )


def site_html(d: Derivation) -> str:
    """One row a line: relation, mathematics, reason; the style is in ``studio.css``.

    The list takes the focus, because wide formulas scroll and the keyboard must reach them.
    """
    spoken = f"Derivation: {plain_sentence(d.title)}"
    rows = []
    for line in d.lines:
        last = f' id="{html.escape(d.label)}"' if d.label and line is d.lines[-1] else ""
        relation = html_maths(latex_relation(line)) if line.relation else ""
        rows.append(
            f'<li class="studio-line"{last}>'
            f'<span class="studio-relation">{relation}</span>'
            f'<span class="studio-maths">{html_maths(chr(92) + "displaystyle " + line.latex)}</span>'
            f'<span class="studio-reason">{html_sentence(line.because)}</span></li>'
        )
    return (
        f'<div class="studio-derivation"><p class="studio-title">{html_sentence(d.title)}</p>'
        f'<ol class="studio-lines" tabindex="0" aria-label="{html.escape(spoken)}">{"".join(rows)}</ol>'
        f'<p class="studio-check">{html.escape(check_line(d))}</p></div>'
    )


def check_line(d: Derivation) -> str:
    """How many inputs, what precision, how close.

    The last is a bound on a coarse ladder, because digits at the level of rounding differ from one processor
    to the next and stored outputs must not.
    """
    if len(d.lines) < 2:
        return "nothing to check yet"
    inputs = "the given input" if not d.random else f"{d.trials} random input{'s' if d.trials > 1 else ''}"
    ladder = [1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2]
    bound = next((step for step in ladder if d.worst < step), None)
    close = f"below {bound:.0e}" if bound else f"{d.worst:.0e}"
    return f"checked on {inputs} in float64; largest relative disagreement {close}"


def _plain_relation(line: Line) -> str:
    if line.relation == "∝":
        return f"∝ (in {line.variable})"
    return f"same minimiser over {line.variable} as" if line.relation == "argmin" else line.relation


def latex_relation(line: Line) -> str:
    """The relation as LaTeX."""
    if not line.variable:
        return SYMBOL[line.relation]
    name = rf"\{line.variable}" if line.variable in GREEK.split() else line.variable
    name = name if name[0] == "\\" or len(name) == 1 else rf"\mathrm{{{name.replace('_', chr(92) + '_')}}}"
    return rf"\propto_{{{name}}}" if line.relation == "∝" else rf"\overset{{\arg\min_{{{name}}}}}{{\equiv}}"
