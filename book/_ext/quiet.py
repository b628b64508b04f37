"""A quiet page: code behind a button, claims as ticks, outputs in columns, where to write an answer."""

from __future__ import annotations

import ast
import hashlib
import html
import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

import buttons
import ticks

HERE = Path(__file__).parent
SHOWN_WITH_CODE = {"tag_derivation", "tag_explorer", "tag_figure"}
BLANK = '<p class="studio-verdict studio-blank">'
GAP = re.compile(r"\S {2,}\S")


class ClaimNotInProse(SphinxError):
    """A claim whose number is not to be found in the prose beside it, or is there twice."""

    category = "A claim and its sentence"


def is_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def part(cell: nodes.container, name: str) -> nodes.container | None:
    """The source or the output of a cell."""
    wanted = f"cell_code_{name}"
    return next(
        (
            one
            for one in cell.children
            if isinstance(one, nodes.container) and one.get("nb_element") == wanted
        ),
        None,
    )


def source_of(cell: nodes.container) -> str:
    source = part(cell, "source")
    return source.astext() if source is not None else ""


# Code.


def gather_code(app: Sphinx, doctree: nodes.document) -> None:
    """Give the code of a figure, explorer or derivation, and of the cells that set its stage, one button."""
    waiting: list[nodes.container] = []
    for cell in [node for node in doctree.findall(nodes.container) if is_cell(node)]:
        if only_shows(source_of(cell)):
            cell.remove(part(cell, "source"))
        if not SHOWN_WITH_CODE & set(cell["classes"]) or cell.get("hide_mode") != "input":
            waiting = []
        elif part(cell, "output") is None:
            waiting = [*_directly_before(cell, waiting), cell]
        else:
            target = part(cell, "source")
            for stage in reversed(_directly_before(cell, waiting)):
                for block in reversed(part(stage, "source").children):
                    target.insert(0, block)
                stage.parent.remove(stage)
            cell["classes"].append("quiet-code")
            waiting = []


def only_shows(source: str) -> bool:
    """Whether a cell does nothing but name what is seen below it: a function of the package, or question."""
    try:
        (statement,) = ast.parse(source).body
    except (SyntaxError, ValueError):
        return False
    shown = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(shown, ast.Call):
        return getattr(shown.func, "id", "") == "source"
    return isinstance(shown, ast.Attribute) and getattr(shown.value, "id", "") == "exercises"


def _directly_before(cell: nodes.container, waiting: list[nodes.container]) -> list[nodes.container]:
    """Those of the waiting cells that stand before ``cell`` with nothing between."""
    siblings = [one for one in cell.parent.children if not isinstance(one, (nodes.comment, nodes.target))]
    at = siblings.index(cell)
    return waiting if waiting and siblings[at - len(waiting) : at] == waiting else []


# Claims.


def tick_claims(app: Sphinx, doctree: nodes.document) -> None:
    """Move each claim from its own line onto its number in the sentence; stop the build without one."""
    docname = app.env.docname
    marks, problems, details = ticks.Marks(), [], []
    for cell in [node for node in doctree.findall(nodes.container) if is_cell(node)]:
        if "tag_solution" in cell["classes"]:  # folded away from the prose: it keeps its line
            continue
        for output, claim in list(_claims(cell, len(details))):
            details.append(claim)
            problems += _mark(claim, cell, marks, f"{docname}, cell {_number(cell)}")
            output.parent.remove(output)
        _drop_empty(cell)
        _hide_claims(cell)
    if problems:
        raise ClaimNotInProse("\n" + "\n".join(problems))
    marks.set()
    if details:
        inner = "".join(claim.details() for claim in details)
        where = next(doctree.findall(nodes.section), doctree)
        where.append(
            nodes.raw(
                "", f'<div class="studio-claims" data-pagefind-ignore hidden>{inner}</div>', format="html"
            )
        )


def _claims(cell: nodes.container, count: int) -> Iterator[tuple[nodes.Element, ticks.Claim]]:
    """The outputs of a cell that are claims."""
    output = part(cell, "output")
    for raw in [] if output is None else list(output.findall(nodes.raw)):
        claim = ticks.read_claim(raw.astext(), source_of(cell), f"claim-{count + 1}")
        if claim:
            count += 1
            whole: nodes.Element = raw
            while whole.parent is not output:
                whole = whole.parent
            yield whole, claim


def _mark(claim: ticks.Claim, cell: nodes.container, marks: ticks.Marks, where: str) -> list[str]:
    """Note where the ticks of a claim go; return what is wrong, as sentences."""
    above, below = _prose(cell, -1), _prose(cell, 1)
    problems = []
    for (wanted, first), (_, second) in zip(
        ticks.places_of(claim, above), ticks.places_of(claim, below), strict=True
    ):
        places = first or second
        if len(places) == 1:
            marks.add(places[0], claim.ident)
            continue
        found = f"stands {len(places)} times" if places else "stands neither above nor below"
        problems.append(
            f"{where}: the claim “{claim.what}” looks for {wanted}, which {found} in the prose beside it"
        )
    return problems


def _number(node: nodes.Node) -> int:
    """Which cell of its notebook a node comes from; the parser writes it into the line number."""
    return (node.line or 0) // 10_000


def _prose(cell: nodes.container, step: int) -> list[nodes.Node]:
    """The nearest Markdown cell above (−1) or below (1) inside the same section."""
    siblings = cell.parent.children
    at, blocks = siblings.index(cell) + step, []
    while 0 <= at < len(siblings):
        block = siblings[at]
        at += step
        if isinstance(block, (nodes.title, nodes.target, nodes.comment)) or (is_cell(block) and not blocks):
            continue
        if is_cell(block) or isinstance(block, nodes.section):
            break
        if blocks and block.line and blocks[-1].line and _number(block) != _number(blocks[-1]):
            break
        blocks.append(block)
    return blocks[::step]


def _drop_empty(cell: nodes.container) -> None:
    """Remove an emptied output, and a cell of which nothing is left but claims."""
    output = part(cell, "output")
    if output is not None and not output.children:
        cell.remove(output)
        if part(cell, "source") is None or only_claims(source_of(cell)):
            cell.parent.remove(cell)


def _hide_claims(cell: nodes.container) -> None:
    """Show code that computes and then claims without its claims; the details of a tick have them."""
    source = part(cell, "source")
    for block in [] if source is None or cell.get("hide_mode") else list(source.findall(nodes.literal_block)):
        shown = without_claims(block.astext())
        if shown and shown != block.astext():
            block.rawsource = shown
            block.children = []
            block += nodes.Text(shown)


def only_claims(source: str) -> bool:
    """Whether every statement of a cell is a call of ``claim``, or displays such calls."""
    return not without_claims(source)


def without_claims(source: str) -> str:
    """The code up to the claims that it ends with."""
    try:
        statements = ast.parse(source).body
    except SyntaxError:
        return source
    end = len(source.splitlines())
    while statements and isinstance(statements[-1], ast.Expr) and _is_claim(statements[-1].value):
        end = statements.pop().lineno - 1
    return "\n".join(source.splitlines()[:end]).rstrip() if statements else ""


def _is_claim(call: ast.expr) -> bool:
    name = getattr(getattr(call, "func", None), "id", "")
    return name == "claim" or (name == "display" and all(map(_is_claim, call.args)))


# Outputs.


def keep_columns(app: Sphinx, doctree: nodes.document) -> None:
    """Mark outputs whose lines stand in columns: they scroll on a phone, where other outputs are wrapped."""
    for cell in [node for node in doctree.findall(nodes.container) if is_cell(node)]:
        output = part(cell, "output")
        for block in [] if output is None else output.findall(nodes.literal_block):
            if "output" in block["classes"] and stands_in_columns(block.astext()):
                block["classes"].append("columns")


def stands_in_columns(text: str) -> bool:
    """Whether two lines or more have a gap of several spaces inside."""
    return sum(bool(GAP.search(line)) for line in text.splitlines()) >= 2


# Exercises.


def open_exercises(app: Sphinx, doctree: nodes.document) -> None:
    """Where a code exercise waits for an answer, say in which notebook to write it."""
    docname = app.env.docname
    root = "../" * docname.count("/")
    links = [f'<a href="{root}standalone/{docname}.ipynb" download>download the notebook</a>']
    colab = buttons.colab_url(app.config.html_theme_options.get("repository_url") or "", docname)
    if colab:
        links.append(f'<a href="{html.escape(colab)}">open it on Colab</a>')
    where = " or ".join(links)
    said = f'<p class="studio-elsewhere">Write your answer in a notebook, which checks it: {where}.</p>'
    for raw in list(doctree.findall(nodes.raw)):
        if raw.astext().startswith(BLANK):
            raw.parent.replace(raw, nodes.raw("", said, format="html"))


def setup(app: Sphinx) -> dict[str, bool]:
    # A change of these files makes Sphinx read every page again.
    mine = [HERE / f"{name}.py" for name in ("quiet", "ticks", "numerals")]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in mine)).hexdigest()
    app.add_config_value("quiet_source", digest, "env")
    # after every_line has put titles on the folds
    app.connect("doctree-read", gather_code, priority=605)
    app.connect("doctree-read", tick_claims, priority=610)
    app.connect("doctree-read", open_exercises, priority=620)
    app.connect("doctree-read", keep_columns, priority=630)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
