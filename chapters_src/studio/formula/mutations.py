"""A formula broken on purpose, in one place at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chapters_src.studio.formula import tree
from chapters_src.studio.formula.printing import printed
from chapters_src.studio.formula.tree import Node

OTHER_SIGN = {"=": "!=", "!=": "=", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
OTHER_FUNCTION = {"sin": "cos", "cos": "sin", "max": "min", "min": "max", "sinh": "cosh", "cosh": "sinh"}
ONE = tree.Number("1")


Shapes = dict[str, tuple[int, ...] | None]  # of the symbols; None where it is not known


def broken(line: tree.Line, shapes: Shapes) -> Iterator[tuple[str, tree.Line]]:
    """The line with one thing wrong, and what that is; no two of them alike."""
    seen: set[Node] = {line}
    for description, changed in _anywhere(line, shapes, ()):
        if changed not in seen:
            seen.add(changed)
            assert isinstance(changed, tree.Line)
            yield description, changed


def _anywhere(node: Node, shapes: Shapes, bound: tuple[str, ...]) -> Iterator[tuple[str, Node]]:
    """Every change of this node or of one below it."""
    yield from _here(node, shapes, bound)
    inside = bound + node.bound if isinstance(node, tree.Over | tree.Table) else bound
    for place, child in enumerate(node.children):
        if isinstance(node, tree.Derivative) and child is node.variable:
            continue  # another variable is another question, and often the same kind of break as a swap
        for description, changed in _anywhere(child, shapes, inside):
            yield description, _with_child(node, place, changed)


def _with_child(node: Node, place: int, new: Node) -> Node:
    count = iter(range(len(node.children)))
    return node.rebuilt(lambda child: new if next(count) == place else child)


def _here(node: Node, shapes: Shapes, bound: tuple[str, ...]) -> Iterator[tuple[str, Node]]:
    match node:
        case tree.Sum(terms):
            yield from _of_sum(terms)
        case tree.Negative(body):
            yield f"sign: -{printed(body)}", body
        case tree.Product(factors):
            for i, factor in enumerate(factors):
                rest = factors[:i] + factors[i + 1 :]
                yield f"dropped factor: {printed(factor)}", tree.product(rest)
                if isinstance(factor, tree.Symbol) and shapes.get(factor.name) != ():
                    turned = (*factors[:i], tree.Transpose(factor), *factors[i + 1 :])
                    yield f"transpose added: {printed(factor)}", tree.Product(turned)
        case tree.Number(text):
            larger = (
                tree.Number(str(int(text) + 1)) if text.isdigit() else tree.Number(str(float(text) * 1.5))
            )
            yield f"constant: {text} to {larger.text}", larger
        case tree.Quotient(above, below):
            if below != ONE:
                yield f"constant: dropped /{printed(below)}", above
            yield "operator: turned over", tree.Quotient(below, above)
        case tree.Transpose(body):
            yield f"transpose dropped: {printed(body)}", body
        case tree.Symbol(name):
            for other, shape in shapes.items():
                if other != name and shape == shapes.get(name):
                    yield f"swapped symbol: {name} to {other}", tree.Symbol(other)
        case tree.Index(name):
            for letter in bound:
                if letter != name:
                    yield f"index: {name} to {letter}", tree.Index(letter)
        case tree.Entry(base, indices) if len(indices) == 2:
            yield f"index: {printed(node)} transposed", tree.Entry(base, indices[::-1])
        case tree.Over():
            yield from _of_over(node)
        case tree.Relation(sign, left, right):
            yield f"operator: {sign} to {OTHER_SIGN[sign]}", tree.Relation(OTHER_SIGN[sign], left, right)
        case tree.Entrywise("odot" | "oslash" as operator):
            other_operator = {"odot": "oslash", "oslash": "odot"}[operator]
            yield f"operator: {operator} to {other_operator}", replace(node, operator=other_operator)
        case tree.Apply(function) if function in OTHER_FUNCTION:
            yield f"operator: {function}", replace(node, function=OTHER_FUNCTION[function])
        case tree.Norm(body, kind):
            yield "constant: another norm", tree.Norm(body, {"": "1", "2": "F", "F": "2"}.get(kind, "2"))
        case tree.Absolute(body):
            yield f"operator: dropped |{printed(body)}|", body


def _of_sum(terms: tuple[Node, ...]) -> Iterator[tuple[str, Node]]:
    for i, term in enumerate(terms):
        rest = terms[:i] + terms[i + 1 :]
        yield f"dropped term: {printed(term)}", rest[0] if len(rest) == 1 else tree.Sum(rest)
        turned = term.body if isinstance(term, tree.Negative) else tree.Negative(term)
        yield f"operator: sign of {printed(term)}", tree.Sum((*terms[:i], turned, *terms[i + 1 :]))


def _of_over(node: tree.Over) -> Iterator[tuple[str, Node]]:
    other = {"sum": "prod", "prod": "sum", "max": "min", "min": "max"}[node.kind]
    yield f"operator: {node.kind} to {other}", replace(node, kind=other)
    if node.condition is not None:
        yield "index: dropped the condition", replace(node, condition=None)
    first = tree.Relation("!=", tree.Index(node.bound[0]), ONE)
    if node.condition is None and node.lower is None:
        yield f"index: {node.bound[0]} leaves out 1", replace(node, condition=first)
    if node.lower is not None and node.upper is not None:
        yield "index: starts one later", replace(node, lower=tree.Sum((node.lower, ONE)))
        yield "index: ends one earlier", replace(node, upper=tree.Sum((node.upper, tree.Negative(ONE))))
