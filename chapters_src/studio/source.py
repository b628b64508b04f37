"""The source of a function of the package, shown in the chapter that uses it."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
from dataclasses import dataclass
from pathlib import PurePath
from textwrap import dedent
from types import CodeType
from typing import Any

from chapters_src.checks import fail
from chapters_src.studio.comparison import shown

__all__ = ["Source", "code_of", "source"]


@dataclass(frozen=True)
class Source:
    """Code and the file it comes from; the file is empty for code of the notebook itself."""

    code: str
    file: str

    def __str__(self) -> str:
        return f"# {self.file}\n{self.code}" if self.file else self.code

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        longest = max((len(run) for run in re.findall("`+", self.code)), default=0)
        fence = "`" * max(3, longest + 1)
        heading = f"`{self.file}`\n\n" if self.file else ""
        return {"text/plain": str(self), "text/markdown": f"{heading}{fence}python\n{self.code}\n{fence}"}


def source(function_or_class: Any) -> Source:
    """What stands in the file, without what decorators made of it."""
    original = inspect.unwrap(function_or_class) if callable(function_or_class) else function_or_class
    try:
        code = dedent(inspect.getsource(original)).rstrip()
        path = PurePath(inspect.getsourcefile(original) or "")
    except (TypeError, OSError):
        fail("source", "function_or_class", "be written in Python", shown(function_or_class))
    parts = path.parts
    inside = "chapters_src" in parts
    # the last folder of that name, so that a checkout may be called the same
    start = len(parts) - 1 - parts[::-1].index("chapters_src") if inside else 0
    return Source(code, "/".join(parts[start:]) if inside else "")


def code_of(function: Any) -> str:
    """What a function computes: the body of a lambda, the text of a named one, "" if it is not to be had."""
    code = getattr(function, "__code__", None)
    if code is None:
        return getattr(function, "__name__", "")
    try:
        if function.__name__ != "<lambda>":
            return dedent(inspect.getsource(function)).rstrip()
        text = "".join(linecache.getlines(code.co_filename))
        tree = ast.parse(text)
    except (OSError, SyntaxError, TypeError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno and _compiles_to(node, code):
            return dedent(ast.get_source_segment(text, node.body) or "")
    return ""


def _compiles_to(node: ast.Lambda, code: CodeType) -> bool:
    """Several lambdas may begin on one line: whether it is this one."""
    made = compile(ast.Expression(node), code.co_filename, "eval").co_consts[0]
    return (
        made.co_varnames == code.co_varnames
        and made.co_consts == code.co_consts
        and made.co_names == code.co_names
    )
