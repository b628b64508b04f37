"""The source of a function of the package, shown in the chapter that uses it."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
from dataclasses import dataclass
from pathlib import PurePath
from textwrap import dedent
from typing import Any

from chapters_src.studio.checks import fail
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
    """What stands in the file, without what decorators made of it and without labels of equations."""
    original = inspect.unwrap(function_or_class) if callable(function_or_class) else function_or_class
    try:
        code = re.sub(r" *\{eq\}`[^`]*`", "", dedent(inspect.getsource(original))).rstrip()
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
    begun = [
        node for node in ast.walk(tree) if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    ]
    if len(begun) > 1:  # several begin on one line: it is the one that compiles to the same code
        compiled = [compile(ast.Expression(node), "", "eval").co_consts[0] for node in begun]
        begun = [
            node
            for node, made in zip(begun, compiled, strict=True)
            if (made.co_code, made.co_consts, made.co_names) == (code.co_code, code.co_consts, code.co_names)
        ]
    return dedent(ast.get_source_segment(text, begun[0].body) or "") if begun else ""
