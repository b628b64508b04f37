"""How a derivation looks in a terminal, in Jupyter and Colab; ``derivation_site`` has it for the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chapters_src.studio.typeset import latex_sentence, plain_sentence

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


def check_line(d: Derivation) -> str:
    """How many inputs, what precision, how close.

    The last is a bound on a coarse ladder, because digits at the level of rounding differ from one processor
    to the next and stored outputs must not.
    """
    if len(d.lines) < 2:
        return "nothing to check yet"
    return f"checked on {inputs_tried(d)} in float64; largest relative disagreement {closeness(d.worst)}"


def inputs_tried(d: Derivation) -> str:
    """On how many inputs every line was run."""
    return f"{d.trials} random input{'s' if d.trials > 1 else ''}" if d.random else "the given input"


def closeness(amount: float) -> str:
    """A disagreement as the next step of the ladder above it."""
    ladder = [1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2]
    bound = next((step for step in ladder if amount < step), None)
    return f"below {bound:.0e}" if bound else f"{amount:.0e}"


def _plain_relation(line: Line) -> str:
    if line.relation == "∝":
        return f"∝ (in {line.variable})"
    return f"same minimiser over {line.variable} as" if line.relation == "argmin" else line.relation


def latex_name(variable: str) -> str:
    """The name of an input as LaTeX: a Greek letter, one letter, or a word."""
    if variable in GREEK.split():
        return rf"\{variable}"
    return variable if len(variable) == 1 else rf"\mathrm{{{variable.replace('_', chr(92) + '_')}}}"


def latex_relation(line: Line) -> str:
    """The relation as LaTeX."""
    if not line.variable:
        return SYMBOL[line.relation]
    name = latex_name(line.variable)
    return rf"\propto_{{{name}}}" if line.relation == "∝" else rf"\overset{{\arg\min_{{{name}}}}}{{\equiv}}"
