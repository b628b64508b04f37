"""The code behind a line as a syntax tree, so that two lines can be told to be one and the same."""

from __future__ import annotations

import ast
import copy
import linecache
import re
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

DEEPEST = 8  # helpers inside helpers that are written out

Function = ast.Lambda | ast.FunctionDef
Scope = dict[str, ast.expr]


def node_of(fn: Any) -> Function | None:
    """Where a function stands in its source: its lambda or def; None if there is no source."""
    if not isinstance(fn, FunctionType):
        return None
    code = fn.__code__
    text = "".join(linecache.getlines(code.co_filename, fn.__globals__))
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    found = [
        node
        for node in _functions(text)
        if _first_line(node) == code.co_firstlineno
        and isinstance(node, ast.Lambda) == (fn.__name__ == "<lambda>")
        and _names(node.args) == list(arguments)
    ]
    if len(found) > 1:
        found = [node for node in found if _covers(node, code)]
    return min(found, key=lambda node: len(ast.dump(node))) if found else None


@lru_cache(maxsize=512)
def normal_form(fn: Any) -> str | None:
    """The function's syntax tree as text, the author's helpers written out and bound names numbered."""
    node = node_of(fn)
    if node is None:
        return None
    body = _result(node)
    if isinstance(node, ast.FunctionDef) and body is None:
        tree = "".join(ast.dump(part) for part in [*node.body, *map(_constant, _closure(fn).values())])
    else:
        assert body is not None
        arguments: Scope = {name: ast.Name(name, ast.Load()) for name in _names(node.args)}
        optional = _names(node.args)[len(node.args.args) - len(fn.__defaults__ or ()) :]
        given = zip(optional, fn.__defaults__ or (), strict=False)
        tree = ast.dump(
            _Normal(fn, arguments | {name: _constant(value) for name, value in given}).visit(body)
        )
    seen: dict[str, str] = {}
    return re.sub(r"\bbound\d+", lambda match: seen.setdefault(match[0], f"_{len(seen)}"), tree)


def names_read(fn: Any) -> set[str] | None:
    """The names a function uses in the end, after its helpers are written out; None if there is no source."""
    form = normal_form(fn)
    return None if form is None else set(re.findall(r"Name\(id='(\w+)', ctx=Load\(\)\)", form))


@lru_cache(maxsize=64)
def _functions(text: str) -> list[Function]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    return [node for node in ast.walk(tree) if isinstance(node, (ast.Lambda, ast.FunctionDef))]


def _first_line(node: Function) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _names(arguments: ast.arguments) -> list[str]:
    return [argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]


def _covers(node: Function, code: CodeType) -> bool:
    """Whether every instruction was written inside the node (positions are kept from Python 3.11 on)."""
    if not hasattr(code, "co_positions"):
        return False
    first, last = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    places = [
        ((line, column), (end_line, end_column))
        for line, end_line, column, end_column in code.co_positions()
        if None not in (line, end_line, column, end_column) and (column, end_column) != (0, 0)
    ]
    return all(first <= start and end <= last for start, end in places)


def _result(node: Function) -> ast.expr | None:
    """What the function returns as one expression, assignments put in; None if it has other statements."""
    node = copy.deepcopy(node)  # the visitor changes what it visits
    if isinstance(node, ast.Lambda):
        return node.body
    body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
        return None
    value: ast.expr = body[-1].value
    for statement in reversed(body[:-1]):
        simple = isinstance(statement, ast.Assign) and len(statement.targets) == 1
        if not (simple and isinstance(statement.targets[0], ast.Name)):  # type: ignore[attr-defined]
            return None
        binding = ast.arguments([], [ast.arg(statement.targets[0].id)], None, [], [], None, [])  # type: ignore
        value = ast.Call(ast.Lambda(binding, value), [statement.value], [])  # type: ignore[attr-defined]
    return value


def _closure(fn: FunctionType) -> dict[str, Any]:
    """What a function kept of the place where it was made."""
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    return {name: cell.cell_contents for name, cell in cells.items()}


def _constant(value: Any) -> ast.expr:
    """A value that is not in the source: a plain one as it is, any other by its identity."""
    plain = isinstance(value, (int, float, complex, str, bytes, type(None)))
    return ast.Constant(value if plain else f"object {id(value)}")


class _Normal(ast.NodeTransformer):
    """Writes helpers out and gives every bound name a number."""

    def __init__(self, fn: FunctionType, scope: Scope | None = None, depth: int = 0, count: Any = None):
        self.fn, self.depth = fn, depth
        self.scope = scope or {}
        self.count = count or iter(range(10**6))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.scope:
            return self.scope[node.id]
        helper = self._helper(node.id)
        if helper is None:
            kept = _closure(self.fn)
            return _constant(kept[node.id]) if node.id in kept else node
        helper_node, body = helper
        return self._lambda(helper_node.args, body, self._inside(self._value(node.id), {}))

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return self._lambda(node.args, node.body, self)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        called: tuple[ast.arguments, ast.expr, _Normal] | None = None
        if isinstance(node.func, ast.Lambda):
            called = node.func.args, node.func.body, self
        elif isinstance(node.func, ast.Name) and node.func.id not in self.scope:
            helper = self._helper(node.func.id)
            if helper is not None:
                called = helper[0].args, helper[1], self._inside(self._value(node.func.id), {})
        arguments = [self.visit(argument) for argument in node.args]
        keywords = {keyword.arg: self.visit(keyword.value) for keyword in node.keywords}
        if called is not None:
            given = _bound(called[0], arguments, keywords)
            if given is not None:
                inner = called[2]
                return _Normal(inner.fn, {**inner.scope, **given}, self.depth + 1, self.count).visit(
                    called[1]
                )
        func = node.func
        if not isinstance(func, ast.Name) or func.id in self.scope:
            func = self.visit(func)
        return ast.Call(func, arguments, [ast.keyword(name, value) for name, value in keywords.items()])

    def visit_ListComp(self, node: Any) -> ast.expr:
        inner = _Normal(self.fn, dict(self.scope), self.depth, self.count)
        generators = []
        for part in node.generators:
            source = inner.visit(part.iter)
            for name in ast.walk(part.target):
                if isinstance(name, ast.Name):
                    inner.scope[name.id] = self._fresh()
            target = inner.visit(part.target)
            generators.append(
                ast.comprehension(target, source, [inner.visit(test) for test in part.ifs], part.is_async)
            )
        parts = {
            name: inner.visit(value) for name, value in ast.iter_fields(node) if isinstance(value, ast.expr)
        }
        return type(node)(**parts, generators=generators)

    visit_GeneratorExp = visit_SetComp = visit_DictComp = visit_ListComp

    def _lambda(self, arguments: ast.arguments, body: ast.expr, inside: _Normal) -> ast.expr:
        names = [
            argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        ]
        fresh = {name: self._fresh() for name in names}
        signature = ast.arguments([], [ast.arg(fresh[name].id) for name in names], None, [], [], None, [])
        signature.defaults = [self.visit(default) for default in arguments.defaults]
        inner = _Normal(inside.fn, {**inside.scope, **fresh}, self.depth + 1, self.count)
        return ast.Lambda(signature, inner.visit(body))

    def _fresh(self) -> ast.Name:
        return ast.Name(f"bound{next(self.count)}", ast.Load())

    def _inside(self, fn: Any, scope: Scope) -> _Normal:
        return _Normal(fn, scope, self.depth + 1, self.count)

    def _value(self, name: str) -> Any:
        return _closure(self.fn).get(name, self.fn.__globals__.get(name))

    def _helper(self, name: str) -> tuple[Function, ast.expr] | None:
        """A function of the author's that is one expression, as it stands in its source."""
        value = self._value(name)
        if self.depth >= DEEPEST or not _of_the_author(value, self.fn):
            return None
        node = node_of(value)
        body = _result(node) if node is not None else None
        return None if node is None or body is None else (node, body)


def _of_the_author(value: Any, fn: FunctionType) -> bool:
    if not isinstance(value, FunctionType):
        return False
    return value.__globals__ is fn.__globals__ or value.__module__.startswith("chapters_src.")


def _bound(
    arguments: ast.arguments, given: list[ast.expr], keywords: dict[str | None, ast.expr]
) -> Scope | None:
    """Which expression each argument gets; None where stars make that unclear."""
    if arguments.vararg or arguments.kwarg or None in keywords:
        return None
    if any(isinstance(argument, ast.Starred) for argument in given):
        return None
    positional = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]]
    optional = positional[len(positional) - len(arguments.defaults) :]
    values: Scope = dict(zip(optional, arguments.defaults, strict=True))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            values[argument.arg] = default
    values |= dict(zip(positional, given, strict=False))
    values |= {name: value for name, value in keywords.items() if name is not None}
    return values if set(values) == set(_names(arguments)) else None


def same_code(first: Callable[..., Any] | None, second: Callable[..., Any] | None) -> bool:
    """Whether two functions are the same once helpers are written out; unknown counts as different."""
    if first is None or second is None:
        return False
    form = normal_form(first)
    return form is not None and form == normal_form(second)
