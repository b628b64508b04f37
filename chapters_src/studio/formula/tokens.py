"""LaTeX to tokens: spacing and sizes go, decorations are undone, every token knows where it stood."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chapters_src.studio.formula.errors import FormulaError

SPACING = {r"\,", r"\;", r"\:", r"\!", r"\ ", r"\quad", r"\qquad", r"\displaystyle", r"\textstyle", "~"}
OPENING_SIZES = {r"\left", r"\bigl", r"\Bigl", r"\biggl", r"\Biggl"}
CLOSING_SIZES = {r"\right", r"\bigr", r"\Bigr", r"\biggr", r"\Biggr"}
PLAIN_SIZES = {r"\big", r"\Big", r"\bigg", r"\Bigg", r"\middle", r"\limits", r"\nolimits"}
DECORATIONS = {r"\mathbf", r"\boldsymbol", r"\bm", r"\mathrm", r"\operatorname", r"\mathit", r"\mathsf"}
ACCENTS = {
    r"\hat": "hat", r"\widehat": "hat", r"\bar": "bar", r"\overline": "bar",
    r"\tilde": "tilde", r"\widetilde": "tilde", r"\dot": "dot", r"\ddot": "ddot", r"\check": "check",
}  # fmt: skip
GREEK = frozenset(
    """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho
    sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega
    ell""".split()  # noqa: SIM905, a list of words reads best as words
)
FUNCTIONS = frozenset(("log", "ln", "exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "det", "max", "min"))
RELATIONS = {
    "=": "=", "<": "<", ">": ">", r"\ne": "!=", r"\neq": "!=", r"\le": "<=", r"\leq": "<=",
    r"\ge": ">=", r"\geq": ">=", r"\lt": "<", r"\gt": ">",
}  # fmt: skip
DELIMITERS = {
    "(": ("open", "("), ")": ("close", ")"), "[": ("open", "["), "]": ("close", "]"),
    r"\{": ("open", "{"), r"\}": ("close", "}"), r"\lbrace": ("open", "{"), r"\rbrace": ("close", "}"),
    r"\langle": ("open", "<"), r"\rangle": ("close", ">"),
    r"\lvert": ("open", "|"), r"\rvert": ("close", "|"), "|": ("bar", "|"), r"\vert": ("bar", "|"),
    r"\mid": ("bar", "|"), r"\lVert": ("open", "||"), r"\rVert": ("close", "||"),
    r"\|": ("bar", "||"), r"\Vert": ("bar", "||"),
}  # fmt: skip
OPERATORS = {
    "+": "+", "-": "-", "/": "/", "*": "*", r"\cdot": "cdot", r"\times": "times", r"\odot": "odot",
    r"\oslash": "oslash", r"\otimes": "otimes", r"\pm": "pm", ":": ":", "!": "!", ".": ".", ",": ",",
    ";": ";", r"\top": "top", r"\infty": "infty", r"\nabla": "nabla", r"\partial": "partial",
    r"\sum": "sum", r"\prod": "prod", r"\sqrt": "sqrt", r"\frac": "frac", r"\tfrac": "frac",
    r"\dfrac": "frac", r"\binom": "binom", r"\underbrace": "brace", r"\overbrace": "brace",
    r"\prime": "'", "'": "'", r"\ast": "*", r"\star": "*", r"\colon": ":", r"\intercal": "top",
    r"\dots": "dots", r"\ldots": "dots", r"\cdots": "dots", "&": "&", "\\\\": "newline",
}  # fmt: skip
PATTERN = re.compile(r"\s+|\\[A-Za-z]+|\\.|[0-9]|[A-Za-z]|.", re.DOTALL)


@dataclass(frozen=True)
class Token:
    """A piece of the formula: its kind, what it stands for, and from where to where it was written."""

    kind: str
    text: str
    start: int
    end: int


def tokens(latex: str) -> list[Token]:
    """The formula as tokens, or FormulaError for a command that is not known."""
    pieces = [(m.group(), m.start(), m.end()) for m in PATTERN.finditer(latex) if not m.group().isspace()]
    found: list[Token] = []
    position = 0
    while position < len(pieces):
        text, start, end = pieces[position]
        position += 1
        size = text if text in OPENING_SIZES | CLOSING_SIZES else ""
        if text in SPACING or text in PLAIN_SIZES:
            continue
        if size:
            if position == len(pieces):
                raise FormulaError(text, "has no bracket after it", latex)
            text, _, end = pieces[position]
            position += 1
            if text == ".":
                continue
            if text not in DELIMITERS:
                raise FormulaError(latex[start:end], "is no bracket", latex)
            kind, text = DELIMITERS[text]
            if kind == "bar":
                kind = "open" if size in OPENING_SIZES else "close"
            found.append(Token(kind, text, start, end))
        elif text in (r"\begin", r"\end"):
            name, _, position = _group(latex, pieces, position, text)
            found.append(Token(text[1:], name, start, pieces[position - 1][2]))
        elif text == r"\text" or text in DECORATIONS or text in (r"\mathcal", r"\mathbb"):
            word, letters, position = _group(latex, pieces, position, text)
            end = pieces[position - 1][2]
            found.append(_decorated(latex, text, word.strip(), letters, start, end))
        else:
            found.append(_plain(latex, text, start, end))
    return found


def _group(latex: str, pieces: list[tuple[str, int, int]], at: int, command: str) -> tuple[str, int, int]:
    """What a command is given: its text, how many pieces that is, and where the next piece is."""
    if at == len(pieces):
        raise FormulaError(command, "has nothing after it", latex)
    if pieces[at][0] != "{":
        return pieces[at][0], 1, at + 1
    first = at + 1
    while at < len(pieces) and pieces[at][0] != "}":
        at += 1
    if at == len(pieces):
        raise FormulaError(command, "has a brace that is not closed", latex)
    return latex[pieces[first - 1][2] : pieces[at][1]], at - first, at + 1


def _decorated(latex: str, command: str, word: str, length: int, start: int, end: int) -> Token:
    if command == r"\text":
        return Token("text", word, start, end)
    if command == r"\mathbb" and word != "1":
        raise FormulaError(latex[start:end], "is outside the grammar", latex)
    if word == "1":
        return Token("ones", "1", start, end)
    if command == r"\mathcal" and word == "N":
        return Token("word", "normal_density", start, end)
    if word.startswith("\\") and word[1:] in GREEK:
        return Token("letter", word[1:], start, end)
    if length == 1 and len(word) == 1 and word.isalpha():
        return Token("letter", word, start, end)
    if re.fullmatch(r"[A-Za-z]\w*", word):
        return Token("word", word, start, end)
    raise FormulaError(latex[start:end], "is outside the grammar", latex)


def _plain(latex: str, text: str, start: int, end: int) -> Token:
    name = text[1:] if text.startswith("\\") else text
    if text in "{}^_":
        return Token(text, text, start, end)
    if text.isdigit():
        return Token("digit", text, start, end)
    if (len(text) == 1 and text.isascii() and text.isalpha()) or (text[0] == "\\" and name in GREEK):
        return Token("letter", name, start, end)
    if text in ACCENTS:
        return Token("accent", ACCENTS[text], start, end)
    if text[0] == "\\" and name in FUNCTIONS:
        return Token("word", name, start, end)
    if text in RELATIONS:
        return Token("relation", RELATIONS[text], start, end)
    if text in DELIMITERS:
        return Token(*DELIMITERS[text], start, end)
    if text in OPERATORS:
        return Token("op", OPERATORS[text], start, end)
    raise FormulaError(text, "is outside the grammar", latex)
