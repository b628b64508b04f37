"""A syntax tree to LaTeX that reads back as the same tree."""

from __future__ import annotations

import re

from chapters_src.studio.formula import tree
from chapters_src.studio.formula.tokens import ACCENTS, FUNCTIONS, GREEK
from chapters_src.studio.formula.tree import Node

SIGNS = {"=": "=", "!=": r"\ne ", "<": "<", "<=": r"\le ", ">": ">", ">=": r"\ge "}
CODE = {"lam": r"\lambda", "lambda_": r"\lambda", "eps": r"\varepsilon"}
SUM, TERM, FACTOR, ATOM = range(4)  # how tightly a node holds together


def printed(node: Node) -> str:
    """The LaTeX of a node."""
    return _PRINTERS[type(node).__name__](node)


def _holds(node: Node) -> int:
    if isinstance(node, tree.Sum | tree.Negative | tree.Line):
        return SUM
    if isinstance(node, tree.Product | tree.Entrywise | tree.Over | tree.Derivative):
        return TERM
    if isinstance(node, tree.Power | tree.Transpose | tree.Apply | tree.Quotient):
        return FACTOR
    return ATOM


def _in(node: Node, least: int) -> str:
    """The node, in brackets if it holds together less tightly than it has to."""
    text = printed(node)
    return text if _holds(node) >= least else rf"\left({text}\right)"


def name(symbol: str) -> str:
    """The LaTeX of a name in the code, so that it is read as that name."""
    if symbol in CODE:
        return CODE[symbol]
    accents = {suffix: command for command, suffix in reversed(ACCENTS.items())}
    stem, *suffixes = symbol.split("_")
    if digits := re.fullmatch(r"([A-Za-z]+?)(\d+)", stem):
        stem, suffixes = digits[1], [*suffixes, digits[2]]
    if not re.fullmatch("[A-Za-z]", stem) and stem not in GREEK:
        return rf"\text{{{symbol}}}"
    latex = stem if len(stem) == 1 else rf"\{stem}"
    while suffixes and suffixes[0] in accents:
        latex = rf"{accents[suffixes.pop(0)]}{{{latex}}}"
    if suffixes and suffixes[0] == "star":
        latex, suffixes = latex + "^*", suffixes[1:]
    while suffixes and suffixes[0] == "prime":
        latex, suffixes = latex + "'", suffixes[1:]
    if len(suffixes) > 1 or not all(re.fullmatch("[A-Za-z0-9]+", suffix) for suffix in suffixes):
        return rf"\text{{{symbol}}}"
    return (
        latex + (rf"_{{\text{{{suffixes[0]}}}}}" if suffixes else "") + " " * (len(stem) > 1 and not suffixes)
    )


def _sum(node: tree.Sum) -> str:
    first, *others = node.terms
    text = _in(first, TERM) if not isinstance(first, tree.Negative) else printed(first)
    for term in others:
        text += printed(term) if isinstance(term, tree.Negative) else "+" + _in(term, TERM)
    return text


def _product(node: tree.Product) -> str:
    """Factors side by side; what reaches to the end of its term goes into brackets."""
    pieces = [_in(factor, FACTOR) for factor in node.factors]
    for i, factor in enumerate(node.factors):
        follows = i > 0 and isinstance(factor, tree.Number)
        if follows or (isinstance(factor, tree.Power) and i and isinstance(factor.base, tree.Number)):
            pieces[i] = rf"\left({pieces[i]}\right)"
    return r"\,".join(pieces)


def _entrywise(node: tree.Entrywise) -> str:
    left, right = (
        printed(side) if loose else _in(side, FACTOR)
        for side, loose in zip((node.left, node.right), node.loose, strict=True)
    )
    return rf"{left}\{node.operator} {right}"


def _power(node: tree.Power) -> str:
    odot = r"\odot " if node.entrywise else ""
    return rf"{_in(node.base, ATOM)}^{{{odot}{printed(node.exponent)}}}"


def _apply(node: tree.Apply) -> str:
    inside = [printed(argument) for argument in node.arguments]
    if node.function == "exp" and len(inside) == 1:
        return rf"\exp\left({inside[0]}\right)"
    if node.function == "sqrt":
        return rf"\sqrt{{{inside[0]}}}"
    if node.function == "binom":
        return rf"\binom{{{inside[0]}}}{{{inside[1]}}}"
    if node.function == "factorial":
        return rf"{_in(node.arguments[0], ATOM)}!"
    head = {"normal_density": r"\mathcal N", "sigma": r"\sigma"}.get(node.function)
    if head is None:
        if node.function in FUNCTIONS:
            head = rf"\{node.function}"
        elif node.function in ("tr", "diag", "softmax", "sign", "ReLU", "relu"):
            head = rf"\operatorname{{{node.function}}}"
        else:
            head = name(node.function)
    return rf"{head.strip()}{chr(39) * node.primes}\left({', '.join(inside)}\right)"


def _over(node: tree.Over) -> str:
    below = "".join(node.bound)
    if node.condition is not None:
        below = node.bound[0] + SIGNS[node.condition.sign] + printed(node.condition.right)
    elif node.lower is not None:
        below += "=" + printed(node.lower)
    above = "" if node.upper is None else rf"^{{{printed(node.upper)}}}"
    return rf"\{node.kind}_{{{below}}}{above}{_in(node.body, TERM if node.kind == 'sum' else FACTOR)}"


def _letters(indices: tuple[Node, ...]) -> tuple[str, ...]:
    return tuple(index.name for index in indices if isinstance(index, tree.Index))


def _entry(node: tree.Entry) -> str:
    match node.base:
        case tree.Apply(function, (tree.Table(bound, body),)) if _letters(node.indices) == bound:
            called = printed(tree.Apply(function, (body,)))
            return called.replace(r"\left(", rf"_{{{''.join(bound)}}}\left(", 1)
    indices = ",".join(printed(index) for index in node.indices)
    base = printed(node.base) if isinstance(node.base, tree.Symbol) else rf"\left({printed(node.base)}\right)"
    return rf"{base.strip()}_{{{indices}}}"


def _derivative(node: tree.Derivative) -> str:
    body = tree.product(node.factors)
    by = printed(node.variable)
    operators = {"gradient": rf"\nabla_{{{by}}}", "hessian": rf"\nabla^2_{{{by}}}"}
    return operators.get(node.style, rf"\frac{{\partial}}{{\partial {by}}}") + _in(body, TERM)


def _constant(node: tree.Constant) -> str:
    text = {"identity": "I", "ones": r"\mathbf 1", "pi": r"\pi ", "e": "e", "infinity": r"\infty "}[node.name]
    return text if node.size is None else rf"{text}_{{{printed(node.size)}}}"


def _line(node: tree.Line) -> str:
    beside = "".join(rf",\quad {printed(definition)}" for definition in node.definitions)
    return "=".join(printed(side) for side in node.sides) + beside


def _definition(node: tree.Definition) -> str:
    parameters = f"({', '.join(map(name, node.parameters))})" if node.parameters else ""
    return f"{name(node.name)}{parameters}={printed(node.body)}"


_PRINTERS = {
    "Number": lambda node: node.text,
    "Symbol": lambda node: name(node.name),
    "Index": lambda node: node.name,
    "Whole": lambda node: ":",
    "Constant": _constant,
    "Entry": _entry,
    "Sum": _sum,
    "Negative": lambda node: "-" + _in(node.body, TERM),
    "Product": _product,
    "Entrywise": _entrywise,
    "Quotient": lambda node: rf"\frac{{{printed(node.above)}}}{{{printed(node.below)}}}",
    "Power": _power,
    "Transpose": lambda node: rf"{_in(node.body, ATOM)}^\top",
    "Apply": _apply,
    "Norm": lambda node: (
        rf"\lVert {printed(node.body)}\rVert"
        + (rf"_{{{node.kind.replace('inf', chr(92) + 'infty')}}}" if node.kind else "")
    ),
    "Absolute": lambda node: rf"\lvert {printed(node.body)}\rvert ",
    "Inner": lambda node: rf"\langle {printed(node.left)},{printed(node.right)}\rangle ",
    "Relation": lambda node: printed(node.left) + SIGNS[node.sign] + printed(node.right),
    "Indicator": lambda node: rf"\left[{printed(node.relation)}\right]",
    "Over": _over,
    "Table": lambda node: rf"\left[{printed(node.body)}\right]_{{{''.join(node.bound)}}}",
    "Block": lambda node: (
        r"\begin{bmatrix}"
        + r"\\ ".join("&".join(printed(cell) for cell in row) for row in node.rows)
        + r"\end{bmatrix}"
    ),
    "Derivative": _derivative,
    "GradientAt": lambda node: (
        r"\nabla"
        + ("^2" if node.order == 2 else "")
        + " "
        + printed(tree.Apply(node.function, (node.argument,)))
    ),
    "Line": _line,
    "Definition": _definition,
}
