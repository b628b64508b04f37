"""Claims as ticks: the number a claim asserts is found in the prose beside it and marked there."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from docutils import nodes

from numerals import nearest, read, read_latex

CLAIM = re.compile(r'<p class="studio-claim" data-prose="(?P<prose>[^"]*)">(?P<said>.*)</p>', re.DOTALL)
WHAT = re.compile(r'<span class="studio-what">(.*?)</span>')
PUNCTUATION = re.compile(r"[.,;:!?)’”]*")


@dataclass
class Claim:
    """What a claim says, the code of its cell, and what to look for."""

    ident: str
    said: str
    what: str
    code: str
    prose: dict

    def details(self) -> str:
        """The contents of the card beside the number."""
        return (
            f'<div id="{self.ident}"><p id="{self.ident}-said">{self.said}</p>'
            f"<pre>{html.escape(self.code)}</pre></div>"
        )


@dataclass
class Place:
    """A number or a phrase in the prose: a stretch of a text, or a whole formula."""

    node: nodes.Node
    start: int = 0
    end: int = 0

    @property
    def key(self) -> tuple[int, int, int]:
        return id(self.node), self.start, self.end


@dataclass
class Marks:
    """The ticks of one page, gathered first and set afterwards, because setting one moves the others."""

    places: dict[tuple, tuple[Place, list[str]]] = field(default_factory=dict)

    def add(self, place: Place, ident: str) -> None:
        idents = self.places.setdefault(place.key, (place, []))[1]
        if ident not in idents:
            idents.append(ident)

    def set(self) -> None:
        by_node: dict[int, list[tuple[Place, list[str]]]] = {}
        for place, idents in self.places.values():
            by_node.setdefault(id(place.node), []).append((place, idents))
        # words first: a mark on a formula takes the punctuation from the words that follow it
        in_order = sorted(by_node.values(), key=lambda marks: not isinstance(marks[0][0].node, nodes.Text))
        for marks in in_order:
            node = marks[0][0].node
            if isinstance(node, nodes.Text):
                _split(node, sorted(marks, key=lambda mark: mark[0].start))
            else:
                _surround(node, [ident for _, idents in marks for ident in idents])


def read_claim(raw: str, code: str, ident: str) -> Claim | None:
    """The claim in an output's HTML, if it is one."""
    found = CLAIM.fullmatch(raw.strip())
    if not found:
        return None
    what = html.unescape(WHAT.search(found["said"])[1])
    return Claim(ident, found["said"], what, code, json.loads(html.unescape(found["prose"])))


def places_of(claim: Claim, blocks: list[nodes.Node]) -> Iterator[tuple[str, list[Place]]]:
    """For each thing the claim wants to see in the prose: its name, and the places where it stands."""
    prose = claim.prose
    if prose["written"]:
        for phrase in prose["written"]:
            yield f"“{phrase}”", list(_phrases(phrase, blocks))
        return
    for target, slack in prose["targets"]:
        found = _numbers(target, slack, blocks)
        for bound in prose["otherwise"] if not found else ():
            found += _numbers(bound, 0.0, blocks)
        yield f"{target:.6g}", found
    if not prose["targets"]:
        yield "a statement, which needs written=…", []


def _atoms(blocks: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """Words and formulas, without code, titles of boxes and what was set already."""
    for block in blocks:
        for node in block.findall(lambda one: isinstance(one, (nodes.Text, nodes.math))):
            inside = node.parent
            while inside is not None and not isinstance(
                inside, (nodes.literal, nodes.literal_block, nodes.math)
            ):
                if isinstance(inside, (nodes.math_block, nodes.raw, nodes.comment)):
                    break
                inside = inside.parent if inside is not block else None
            if inside is None:
                yield node


def _numbers(target: float, slack: float, blocks: list[nodes.Node]) -> list[Place]:
    numerals, homes = [], []
    for node in _atoms(blocks):
        found = read(node.astext()) if isinstance(node, nodes.Text) else read_latex(node.astext())
        numerals += found
        homes += [node] * len(found)
    told = nearest(numerals, target, slack)
    chosen = [(home, one) for home, one in zip(homes, numerals, strict=True) if any(one is t for t in told)]
    return [
        Place(home, one.start, one.end) if isinstance(home, nodes.Text) else Place(home, i)
        for i, (home, one) in enumerate(chosen)
    ]


def _phrases(phrase: str, blocks: list[nodes.Node]) -> Iterator[Place]:
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, phrase.split())) + r"(?!\w)")
    for node in _atoms(blocks):
        if isinstance(node, nodes.Text):
            yield from (Place(node, *found.span()) for found in pattern.finditer(node.astext()))
        elif phrase.strip("$") in node.astext():
            yield Place(node)


def _tick(idents: list[str]) -> str:
    described = " ".join(f"{ident}-said" for ident in idents)
    return (
        f'<button type="button" class="studio-tick" aria-label="Checked" aria-describedby="{described}" '
        f'data-claims="{" ".join(idents)}"></button>'
    )


def _raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def _split(node: nodes.Text, marks: list[tuple[Place, list[str]]]) -> None:
    text, pieces, at = node.astext(), [], 0
    for place, idents in marks:
        end = PUNCTUATION.match(text, place.end).end()
        pieces.append(nodes.Text(text[at : place.start]))
        number = html.escape(text[place.start : place.end])
        after = html.escape(text[place.end : end])
        pieces.append(_raw(f'<span class="studio-number">{number}{_tick(idents)}{after}</span>'))
        at = end
    pieces.append(nodes.Text(text[at:]))
    node.parent.replace(node, [piece for piece in pieces if piece.astext()])


def _surround(node: nodes.math, idents: list[str]) -> None:
    parent, at = node.parent, node.parent.index(node)
    after = ""
    if at + 1 < len(parent) and isinstance(parent[at + 1], nodes.Text):
        text = parent[at + 1].astext()
        after = PUNCTUATION.match(text)[0]
        parent[at + 1] = nodes.Text(text[len(after) :])
    parent.insert(at + 1, _raw(f"{_tick(idents)}{html.escape(after)}</span>"))
    parent.insert(at, _raw('<span class="studio-number">'))
