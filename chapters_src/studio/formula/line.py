"""A whole line: sides of an equation, definitions beside it, and indices that nothing binds."""

from __future__ import annotations

from chapters_src.studio.formula import tree
from chapters_src.studio.formula.cursor import Cursor, split
from chapters_src.studio.formula.errors import FormulaError
from chapters_src.studio.formula.names import Names, Written, closed, key, written_symbol
from chapters_src.studio.formula.parser import Parser
from chapters_src.studio.formula.scope import Scope
from chapters_src.studio.formula.tokens import Token, tokens
from chapters_src.studio.formula.tree import Node

CONNECTIVES = ("with", "where", "and", "for")


def read_line(latex: str, names: Names) -> tree.Line:
    """The syntax tree of a formula, or FormulaError with the piece that is not understood."""
    main, *beside = _segments(tokens(latex)) or [[]]
    if not main:
        raise FormulaError(latex or "the formula", "is empty", latex)
    scope = _scope(main + [token for part in beside for token in part], names)
    heads = [_head(part, latex, names) for part in beside]
    for symbol, parameters, _ in heads:
        name = frozenset({symbol.stem if _indexed(symbol) else symbol.full})
        if parameters:
            scope.functions |= name
        else:
            scope.defined |= name
    definitions = tuple(_definition(head, latex, scope) for head in heads)
    sides = split(main, "relation", "=")
    if len(sides) > 1 and _only_a_name(sides[0], latex, scope):
        sides = sides[1:]
    read = tuple(_settled(side, latex, scope) for side in sides)
    return tree.Line(read, definitions)


def read_formula(latex: str, names: Names, parameters: tuple[str, ...], letters: tuple[str, ...]) -> Node:
    """The body of a formula that ``where`` declares."""
    stream = tokens(latex)
    scope = _scope(stream, names)
    scope.defined |= set(parameters)
    return _table(Parser(stream, latex, scope), letters, latex)


def _scope(stream: list[Token], names: Names) -> Scope:
    return Scope(names, frozenset(_upper_limits(stream) - names.symbols))


def _upper_limits(stream: list[Token]) -> set[str]:
    """The letters that stand alone above a ∑ or ∏: sizes, which the axis tells."""
    cursor = Cursor(stream, "")
    found = set()
    while not cursor.done():
        if cursor.take("op", "sum", "prod") and cursor.take("_"):
            cursor.group()
            if cursor.take("^"):
                group = cursor.group()
                if len(group) == 1 and group[0].kind == "letter":
                    found.add(group[0].text)
        else:
            cursor.next()
    return found


def _segments(stream: list[Token]) -> list[list[Token]]:
    """The formula and the definitions beside it, apart by commas or by words such as *with*."""
    words = {token.text for token in stream if token.kind == "text" and token.text.rstrip(",") in CONNECTIVES}
    parts = split(stream, "op", ",")
    return [piece for part in parts for piece in split(part, "text", *words) if piece]


def _head(part: list[Token], latex: str, names: Names) -> tuple[Written, tuple[str, ...], list[Token]]:
    """The symbol, parameters and body of a definition."""
    piece = latex[part[0].start : part[-1].end]
    left, *right = split(part, "relation", "=")
    if len(right) != 1 or not left or not right[0]:
        raise FormulaError(piece, "stands beside the formula and is no definition", latex)
    symbol = written_symbol(closed(left, latex), 0, latex)
    rest = left[symbol.end :]
    parameters: tuple[str, ...] = ()
    if len(rest) > 2 and rest[0].text == "(" and rest[-1].text == ")":
        parameters = tuple(key(latex[p[0].start : p[-1].end]) for p in split(rest[1:-1], "op", ","))
        rest = []
    if rest:
        raise FormulaError(piece, "defines something that is no symbol", latex)
    if symbol.full in names.symbols | names.callables:
        raise FormulaError(piece, f"defines {symbol.full}, which has a value already", latex)
    return symbol, parameters, right[0]


def _indexed(symbol: Written) -> tuple[str, ...]:
    letters = tuple(token.text for token in symbol.subscript if token.kind not in "{}" and token.text != ",")
    return letters if all(len(letter) == 1 and letter.islower() for letter in letters) else ()


def _definition(
    head: tuple[Written, tuple[str, ...], list[Token]], latex: str, scope: Scope
) -> tree.Definition:
    symbol, parameters, body = head
    before = scope.defined
    scope.defined = before | set(parameters)
    letters = _indexed(symbol)
    node = _table(Parser(body, latex, scope), letters, latex)
    scope.defined = before
    return tree.Definition(symbol.stem if letters else symbol.full, parameters, node)


def _table(parser: Parser, letters: tuple[str, ...], latex: str) -> Node:
    """The body, as a table over the letters if there are any; no other index may be free."""
    with parser.binding(letters, 0):
        node = parser.all()
    node = _double_sums(node, parser.scope.free)
    loose = {part.name for part in node.parts if isinstance(part, tree.Index)} & _free(node) - set(letters)
    if loose:
        raise FormulaError(", ".join(sorted(loose)), "is an index that nothing binds", latex)
    return tree.Table(letters, node) if letters else node


def _only_a_name(side: list[Token], latex: str, scope: Scope) -> bool:
    """Whether the left side only gives the line a name: S(θ) = ..., with S not known."""
    try:
        symbol = written_symbol(closed(side, latex), 0, latex)
    except FormulaError:
        return False
    rest = side[symbol.end :]
    if scope.is_known(symbol.full) or scope.is_known(symbol.stem):
        return False
    return not rest or (rest[0].text == "(" and rest[-1].text == ")" and len(split(rest, "close", ")")) <= 2)


def _settled(side: list[Token], latex: str, scope: Scope) -> Node:
    """A side with its free indices as the axes of the array that it stands for."""
    if not side:
        raise FormulaError("=", "has an empty side", latex)
    scope.free = set()
    node = Parser(side, latex, scope).all()
    node = _double_sums(node, scope.free)
    free = _free(node)
    if not free:
        return node
    order = list(
        dict.fromkeys(part.name for part in node.parts if isinstance(part, tree.Index) and part.name in free)
    )
    again = free & _binders(node)
    if again:
        raise FormulaError(sorted(again)[0], "is bound in one place and free in another", latex)
    if order != sorted(order):
        raise FormulaError(", ".join(order), "are free: write [...]_{ij} to say which axis is which", latex)
    return tree.Table(tuple(order), node)


def _binders(node: Node) -> set[str]:
    r"""The indices that a node binds; \operatorname{softmax}_j may bind j again, to make its argument."""
    found: set[str] = set(node.bound) if isinstance(node, tree.Over | tree.Table) else set()
    for child in node.children:
        argument = isinstance(node, tree.Apply) and isinstance(child, tree.Table)
        found |= _binders(child.body if argument and isinstance(child, tree.Table) else child)
    return found


def _free(node: Node) -> set[str]:
    """The indices of a node that nothing in it binds."""
    if isinstance(node, tree.Index):
        return {node.name}
    inside: set[str] = set().union(*(_free(child) for child in node.children))
    return inside - set(node.bound) if isinstance(node, tree.Over | tree.Table) else inside


def _double_sums(node: Node, free: set[str]) -> Node:
    r"""\sum_{i<j} runs over both, for two letters in a row such as i and j, if j occurs nowhere else."""

    def inside(part: Node, letter: str) -> bool:
        return (
            isinstance(part, tree.Over)
            and part.condition is not None
            and part.condition.right == tree.Index(letter)
            and part.bound[0] + letter in ("ij", "jk", "kl")
        )

    def outside(part: Node, letter: str) -> bool:
        if inside(part, letter):
            return False
        return part == tree.Index(letter) or any(outside(child, letter) for child in part.children)

    def both(part: Node, letter: str) -> Node:
        if inside(part, letter):
            assert isinstance(part, tree.Over)
            return tree.Over(part.kind, (*part.bound, letter), part.body, None, None, part.condition)
        return part.rebuilt(lambda child: both(child, letter))

    for letter in sorted(free & _free(node)):
        if not outside(node, letter):
            node = both(node, letter)
    return node
