"""The numbers of a chapter's prose, and where each of them comes from.

A number counts if it has a decimal point or at least three digits, outside code and formulas (a formula that
is nothing but a number counts). It is traced if its own section (from one ``##`` heading to the next)
computes it, states it in its code, or cites somebody in the same sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import nbformat

NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+"
STANDING_ALONE = re.compile(rf"(?<![\w.,^_/{{-])({NUMBER})(?![\w^/]|[.,]\d)(\s?%|\s+per\s?cent)?")
COMPUTED = re.compile(rf"(?:\d+(?:_\d+)+|{NUMBER})(?:e[+-]?\d+)?", re.IGNORECASE)
ONLY_A_NUMBER = re.compile(rf"\$\s*(?:\\approx\s*)?-?({NUMBER})\s*(\\?%)?\s*\$")
NOT_PROSE = re.compile(
    r"(?ms)^(`{3,}|~{3,}).*?^\1[ \t]*$|\$\$.*?\$\$|\\begin\{(\w+\*?)\}.*?\\end\{\2\}|(?<!\\)\$.*?(?<!\\)\$"
    r"|\{[\w:+-]+\}`[^`]*`|(?<!\})`[^`\n]+`|\]\([^)]*\)|^:\w+:.*$|^:{3,}.*$|^\(.*\)=$|https?://\S+"
)
CITATION = re.compile(r"\{cite[\w:]*\}`[^`]+`")
CITED = "†"  # stands for a citation, whose backticks would otherwise pair with those of the next one


@dataclass
class Section:
    """The prose of a section and every number that its code states or its outputs show."""

    title: str
    prose: list[str] = field(default_factory=list)
    known: set[float] = field(default_factory=set)


def sections(notebook: nbformat.NotebookNode) -> list[Section]:
    """The chapter from one ``##`` heading to the next; what comes before the first is a section too."""
    found = [Section("")]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for piece in re.split(r"(?m)^(?=## )", cell.source):
                if piece.startswith("## "):
                    found.append(Section(piece.splitlines()[0].removeprefix("## ").strip()))
                found[-1].prose.append(piece)
        elif cell.cell_type == "code":
            texts = [cell.source, *map(output_text, cell.outputs)]
            found[-1].known.update(value(text) for one in texts for text in COMPUTED.findall(one))
    return found


def output_text(output: nbformat.NotebookNode) -> str:
    return output.get("text") or output.get("data", {}).get("text/plain", "")


def value(text: str) -> float:
    return float(text.replace(",", "").replace("_", ""))


def plain_prose(text: str) -> str:
    """The text without formulas, code, links and directives; each citation has become a sign."""
    return NOT_PROSE.sub(" ", CITATION.sub(f" {CITED} ", text))


def stated(prose: str) -> Iterator[tuple[str, bool, bool]]:
    """Each number that counts: its text, whether it is a percentage, whether its sentence cites somebody."""
    plain = plain_prose(ONLY_A_NUMBER.sub(r" \1\2 ", prose))
    for sentence in re.split(r"(?<=[.!?:;])\s+|\n\s*\n", plain):
        cited = CITED in sentence
        for text, percent in STANDING_ALONE.findall(sentence):
            if "." in text or len(text.replace(",", "")) >= 3:
                yield text, bool(percent), cited


def is_known(text: str, percent: bool, known: set[float]) -> bool:
    """Whether one of the known numbers, rounded as the prose rounds, is this one."""
    decimals = len(text.partition(".")[2])
    scales = (1, 100) if percent else (1,)
    return any(round(scale * one, decimals) == value(text) for one in known for scale in scales)


def numbers(notebook: nbformat.NotebookNode) -> list[tuple[str, str, bool]]:
    """Section, number and whether it is traced, for every number of the prose."""
    return [
        (section.title, text, cited or is_known(text, percent, section.known))
        for section in sections(notebook)
        for prose in section.prose
        for text, percent, cited in stated(prose)
    ]
