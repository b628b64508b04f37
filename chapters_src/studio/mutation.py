"""Deliberate breaks of the code behind a line: one small change each, as a slip of the pen would make it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from chapters_src.studio.syntax import Function, node_of

__all__ = ["Break", "code_breaks", "helpers"]

OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
TWINS = {"sum": "mean", "mean": "sum", "max": "min", "min": "max", "sin": "cos", "cos": "sin", "prod": "sum"}
Change = tuple[str, ast.expr]


@dataclass(frozen=True)
class Break:
    """A changed function: what kind of slip it is, and where."""

    kind: str
    what: str
    fn: Callable[..., Any]


def code_breaks(fn: Any, alike: Mapping[str, list[str]], whole: Collection[str] = ()) -> Iterator[Break]:
    """The function with one thing changed, in itself or in a helper of the same notebook.

    ``alike`` says which inputs could be mistaken for each other, because they have the same shape; helpers
    named in ``whole`` are left whole.
    """
    node = node_of(fn)
    if node is None:
        return
    for kind, what, changed in [*_changed(node, alike), *_wrapped(node)]:
        yield Break(kind, what, _built(fn, changed, {}))
    for name, helper in helpers(fn).items():
        inner = node_of(helper) if name not in whole else None
        for kind, what, changed in _changed(inner, {}) if inner is not None else ():
            yield Break(kind, f"in {name}: {what}", _with_helper(fn, name, changed))


def _changed(tree: Function, alike: Mapping[str, list[str]]) -> Iterator[tuple[str, str, Function]]:
    """Every single change of a function, as its kind, its words, and the changed tree."""
    indices = _inside(tree, ast.Subscript, "slice")
    axes = _inside(tree, ast.keyword, "value", "axis")  # which axis an array has is no matter of algebra
    for place, node in enumerate(ast.walk(tree)):
        for at, (kind, new) in enumerate(() if id(node) in axes else _changes(node, alike)):
            kind = "index" if id(node) in indices and kind == "constant" else kind
            copied = copy.deepcopy(tree)
            target = list(ast.walk(copied))[place]
            replacement = list(_changes(target, alike))[at][1]
            changed = _Replace(target, replacement).visit(copied)
            yield kind, f"{ast.unparse(node)} → {ast.unparse(new)}", ast.fix_missing_locations(changed)


def _wrapped(tree: Function) -> Iterator[tuple[str, str, Function]]:
    """The function with the sign or the scale of its result changed."""
    for kind, words in (("sign", "-({})"), ("scale", "2 * ({})")):
        copied = copy.deepcopy(tree)
        for result in _results(copied):
            new = ast.parse(words.format(ast.unparse(result)), mode="eval").body
            copied = _Replace(result, new).visit(copied)
        yield kind, words.format("the line"), ast.fix_missing_locations(copied)


def _inside(tree: ast.AST, kind: type[ast.AST], field: str, name: str = "") -> set[int]:
    """Which nodes stand in that field of such nodes, by identity."""
    found = [node for node in ast.walk(tree) if isinstance(node, kind)]
    chosen = [node for node in found if not name or getattr(node, "arg", None) == name]
    return {id(part) for node in chosen for part in ast.walk(getattr(node, field))}


def _results(tree: Function) -> list[ast.expr]:
    if isinstance(tree, ast.Lambda):
        return [tree.body]
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value is not None]


def _changes(node: ast.AST, alike: Mapping[str, list[str]]) -> Iterator[Change]:
    """What one node could have been instead."""
    if isinstance(node, ast.BinOp):
        other = OPERATORS.get(type(node.op))
        if other is not None:
            yield "operator", ast.BinOp(node.left, other(), node.right)
        if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
            yield "dropped term", node.left
        if isinstance(node.op, (ast.Add, ast.Mult)):
            yield "dropped term", node.right
        if isinstance(node.op, ast.Sub):
            yield "dropped term", ast.UnaryOp(ast.USub(), node.right)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node.operand
    elif (
        isinstance(node, ast.Constant)
        and isinstance(node.value, (int, float))
        and not isinstance(node.value, bool)
    ):
        tiny = 0 < abs(node.value) < 1e-3
        yield "constant", ast.Constant(1.0 if tiny else node.value + 1)
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        if node.attr == "T":
            yield "transpose", node.value
        elif node.attr in TWINS:
            yield "operator", ast.Attribute(node.value, TWINS[node.attr], node.ctx)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        yield "operator", ast.Compare(node.left, [COMPARISONS[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from (("swapped symbol", ast.Name(name, node.ctx)) for name in alike.get(node.id, ()))


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, new: ast.expr) -> None:
        self.target, self.new = target, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.target else super().generic_visit(node)


def _names_of(code: CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*(_names_of(part) for part in inner))


def helpers(fn: Any) -> dict[str, FunctionType]:
    """The functions of the same notebook that a function uses, and those that they use."""
    found: dict[str, FunctionType] = {}
    waiting = [fn] if isinstance(fn, FunctionType) else []
    while waiting:
        for name in sorted(_names_of(waiting.pop().__code__)):
            value = fn.__globals__.get(name)
            if not isinstance(value, FunctionType) or value.__globals__ is not fn.__globals__:
                continue
            if name not in found and not value.__closure__:
                found[name] = value
                waiting.append(value)
    return found


def _built(fn: FunctionType, node: Function, changes: Mapping[str, Any]) -> Any:
    """The function that a changed tree describes, among the names the original saw."""
    cells = zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
    names = {**fn.__globals__, **{name: cell.cell_contents for name, cell in cells}, **changes}
    if isinstance(node, ast.Lambda):
        built = eval(compile(ast.Expression(node), "<break>", "eval"), names)
    else:
        definition = copy.copy(node)
        definition.decorator_list = []
        exec(compile(ast.Module([definition], []), "<break>", "exec"), names)
        built = names[node.name]
    built.__defaults__, built.__kwdefaults__ = fn.__defaults__, fn.__kwdefaults__
    return built


def _with_helper(fn: FunctionType, changed: str, node: Function) -> Any:
    """The function as it is, but with another helper behind the name ``changed``, however deep."""
    known = helpers(fn)
    names = dict(fn.__globals__)
    for name, helper in known.items():
        names[name] = FunctionType(helper.__code__, names, helper.__name__, helper.__defaults__)
        names[name].__kwdefaults__ = helper.__kwdefaults__
    broken = _built(known[changed], node, {})
    names[changed] = FunctionType(broken.__code__, names, changed, broken.__defaults__)
    copied = FunctionType(fn.__code__, names, fn.__name__, fn.__defaults__, fn.__closure__)
    copied.__kwdefaults__ = fn.__kwdefaults__
    return copied
