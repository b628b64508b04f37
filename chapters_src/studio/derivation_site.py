"""A derivation on the site: each line opens and shows what ran, the values, and a break that is caught."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from chapters_src.studio.comparison import relative_disagreement, shown
from chapters_src.studio.derivation_view import closeness, inputs_tried, latex_relation
from chapters_src.studio.question import key_of
from chapters_src.studio.relations import Unusable, usable
from chapters_src.studio.source import code_of
from chapters_src.studio.typeset import html_maths, html_sentence, plain_sentence
from chapters_src.studio.variants import wrong_variant

if TYPE_CHECKING:
    from chapters_src.studio.derivation import Derivation, Line

# What a line was run from: the mark beside it, and the words.
ORIGINS = {
    "formula": ("ƒ", "run from the formula"),
    "code": ("{ }", "run from code beside it"),
    "both": ("ƒ { }", "run from the formula and from code beside it, which agree"),
}


def site_html(d: Derivation) -> str:
    """A list of lines (relation, mathematics, reason), each with what is inside it; see ``studio.js``."""
    name = d.label or key_of(d.title)
    spoken = html.escape(f"Derivation: {plain_sentence(d.title)}")
    rows = "".join(_line(d, at, name) for at in range(1, len(d.lines) + 1))
    origins = dict.fromkeys(_origin(line) for line in d.lines)
    marks = " · ".join(f"<span>{ORIGINS[one][0]}</span> {ORIGINS[one][1]}" for one in origins)
    checked = "nothing to check yet"
    if len(d.lines) > 1:
        checked = f"checked on {inputs_tried(d)}, disagreement {closeness(d.worst)}"
    return (
        f'<div class="studio-derivation"><p class="studio-title">{html_sentence(d.title)}</p>'
        f'<ol class="studio-lines" aria-label="{spoken}">{rows}</ol>'
        f'<p class="studio-check">{checked} · {marks}</p></div>'
    )


def _origin(line: Line) -> str:
    return getattr(line, "origin", "code")


def _line(d: Derivation, at: int, name: str) -> str:
    line = d.lines[at - 1]
    mark, words = ORIGINS[_origin(line)]
    anchor = f"{name}-{at}"
    labelled = bool(d.label) and at == len(d.lines)
    inner = f'<span id="{anchor}"></span>' if labelled else ""
    named = f' data-label="{html.escape(d.label)}"' if labelled else ""  # gets the number of an equation
    relation = html_maths(latex_relation(line)) if line.relation else ""
    return (
        f'<li class="studio-line" id="{html.escape(d.label if labelled else anchor)}"{named}>'
        f'<span class="studio-relation">{inner}{relation}</span>'
        f'<span class="studio-maths">{html_maths(chr(92) + "displaystyle " + line.latex)}</span>'
        f'<span class="studio-reason">{html_sentence(line.because)}</span>'
        f'<button type="button" class="studio-look" aria-expanded="false">'
        f'<span aria-hidden="true">{mark}</span><span class="studio-unseen">Line {at}, {words}: look inside'
        f"</span></button>"
        f'<div class="studio-inside" data-pagefind-ignore hidden>{_inside(d, at, words)}'
        f'<p><a href="#{html.escape(anchor)}">Link to this line</a></p></div></li>'
    )


def _inside(d: Derivation, at: int, words: str) -> str:
    line = d.lines[at - 1]
    said = "By definition. " if getattr(line, "by_definition", False) else ""
    code = "" if _origin(line) == "formula" else code_of(line.fn)
    shown_code = f"<pre>{html.escape(code)}</pre>" if code else ""
    inputs = ", ".join(f"{key} = {shown(value, 60)}" for key, value in d.draws[0].items())
    given = f'<p class="studio-given">with {html.escape(inputs)}</p>' if inputs else ""
    return (
        f"<p>{said}{words[:1].upper()}{words[1:]}.</p>{shown_code}"
        f'<div class="studio-values">{_values(d, at)}</div>{given}{_break(d, at)}'
    )


def _values(d: Derivation, at: int) -> str:
    """The line before and this one on one input, and how they compare."""
    line, rows = d.lines[at - 1], []
    try:
        here = usable(line(d.draws[0]))
        if line.relation:
            before = usable(d.lines[at - 2](d.draws[0]))
            rows.append((f"line {at - 1}", shown(before)))
        rows.append((f"line {at}", shown(here)))
    except Unusable as error:
        return f"<p>{html.escape(str(error))}</p>"
    if line.relation == "=":
        rows.append(("disagreement", closeness(relative_disagreement(before, here))))
    elif line.relation in "≤≥" and line.relation:
        rows.append(("apart by", shown(abs(here - before))))
    elif line.relation == "∝" and before.all():
        rows.append(("ratio", shown(here / before)))
    elif line.relation == "argmin":
        rows.append(("both are least at", f"the same {line.variable}"))
    cells = "".join(f"<div><dt>{key}</dt><dd>{html.escape(text)}</dd></div>" for key, text in rows)
    return f"<dl>{cells}</dl>"


def _break(d: Derivation, at: int) -> str:
    """A wrong version of the line, and what the check says to it."""
    broken = wrong_variant(d, at) if at > 1 else None
    if broken is None:
        return ""
    relation = latex_relation(d.lines[at - 1])
    return (
        '<p><button type="button" class="studio-break" aria-expanded="false">Break this line</button></p>'
        f'<div class="studio-broken" hidden><p>Suppose it said {html_maths(f"{relation} {broken.latex}")}. '
        f"The check answers:</p><pre>{html.escape(broken.message)}</pre></div>"
    )
