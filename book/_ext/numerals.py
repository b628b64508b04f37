"""Numbers in prose: where they stand and what they say, in words and in LaTeX."""

from __future__ import annotations

import re
from typing import NamedTuple

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
VULGAR = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅕": 1 / 5, "⅛": 1 / 8, "⅒": 1 / 10}
THIN = "\u2009\u202f\u00a0"
NUMERAL = re.compile(
    rf"""(?<![\w.,/^\\_])                                 # not the tail of a word, a version, an index
    (?P<sign>(?<![\w)\]])[-−+])?
    (?: (?P<vulgar>[{"".join(VULGAR)}])
      | (?P<digits>(?:\d{{1,3}}(?:[,{THIN}]\d{{3}})+|\d+)(?:\.\d+)?)
        (?: /(?P<under>\d+(?:\.\d+)?)
          | (?:e(?P<e>[+-]?\d+) | \s?[×·]\s?10(?P<power>[⁻⁺]?[⁰¹²³⁴-⁹]+|\^\{{?[-−]?\d+\}}?)
               | (?<=10)(?P<ten>[⁻⁺]?[⁰¹²³⁴-⁹]+|\^\{{?[-−]?\d+\}}?) )
        )?
        (?P<percent>\s?%)?
    )
    (?![\w^⁰¹²³⁴-⁹]|[.,]\d|/\d)""",
    re.VERBOSE,
)
# LaTeX as words that the pattern above reads.
LATEX = [
    (re.compile(r"\\[dt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}"), r" \1/\2 "),
    (re.compile(r"\\[dt]?frac\s*(\d)\s*(\d)"), r" \1/\2 "),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"(?<=\d)\\[,;:]\s*(?=\d{3})"), "\u2009"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\times|\\cdot(?![a-z])"), "×"),
    (re.compile(r"(?<!10)\^\{[^{}]*\}|_\{[^{}]*\}"), " "),
    (re.compile(r"\\[A-Za-z]+|\\."), " "),
]


class Numeral(NamedTuple):
    """A number that was read: from where to where, what it may mean, and the half of its last digit."""

    start: int
    end: int
    values: tuple[float, ...]
    half: float
    significant: int


def read(text: str) -> list[Numeral]:
    """All numbers of a text, in order."""
    return [_numeral(found) for found in NUMERAL.finditer(text)]


def read_latex(formula: str) -> list[Numeral]:
    """All numbers of a formula; their places are not those in the formula."""
    for pattern, plain in LATEX:
        formula = pattern.sub(plain, formula)
    return read(formula)


def _numeral(found: re.Match) -> Numeral:
    digits = re.sub(rf"[,{THIN}]", "", found["digits"] or "")
    if found["vulgar"]:
        value, half = VULGAR[found["vulgar"]], 0.0
    elif found["under"]:
        value, half = float(digits) / float(found["under"]), 0.0
    elif found["ten"]:
        value, half = 10.0 ** _exponent(found["ten"]), 0.0
    else:
        power = _exponent(found["e"] or found["power"] or "0")
        value = float(f"{digits}e{power}")
        half = 0.5 * 10.0 ** (power - len(digits.partition(".")[2]))
    if found["sign"] in ("-", "−"):
        value = -value
    # 52 % is 0.52, or 52 where per cent is the unit
    values = (value / 100, value) if found["percent"] else (value,)
    significant = len(digits.replace(".", "").lstrip("0")) if half else 99
    return Numeral(found.start(), found.end(), values, half / (100 if found["percent"] else 1), significant)


def _exponent(text: str) -> int:
    return int(text.translate(RAISED).strip("^{}"))


def nearest(numerals: list[Numeral], target: float, slack: float) -> list[Numeral]:
    """The numerals that tell the target: within the slack, or else as a rounding to two digits or more."""
    allowed = slack + 1e-9 * max(slack, abs(target))
    close = [one for one in numerals if any(abs(value - target) <= allowed for value in one.values)]
    if close:
        return close
    return [one for one in numerals if one.significant >= 2 and _rounds(one, target)]


def _rounds(one: Numeral, target: float) -> bool:
    halves = (one.half, 100 * one.half)  # the second for a number of per cent
    return any(
        0 < abs(value - target) <= half * (1 + 1e-9) for value, half in zip(one.values, halves, strict=False)
    )
