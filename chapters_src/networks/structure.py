"""Arrays in lists, tuples and dictionaries: taken apart into a flat list and put together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Tree", "flatten"]

Tree = Any  # an array, or a list, tuple or dictionary of trees


def flatten(tree: Tree) -> tuple[list[Any], Callable[[Sequence[Any]], Tree]]:
    """The arrays of a tree from left to right, and the function that puts others in their places.

    >>> leaves, rebuild = flatten({"W": 1, "b": [2, 3]})
    >>> leaves, rebuild([10, 20, 30])
    ([1, 2, 3], {'W': 10, 'b': [20, 30]})
    """
    if not isinstance(tree, (list, tuple, dict)):
        return [tree], lambda leaves: leaves[0]
    children = [flatten(child) for child in (tree.values() if isinstance(tree, dict) else tree)]
    sizes = [len(leaves) for leaves, _ in children]

    def rebuild(leaves: Sequence[Any]) -> Tree:
        parts, start = [], 0
        for size, (_, rebuild_child) in zip(sizes, children, strict=True):
            parts.append(rebuild_child(leaves[start : start + size]))
            start += size
        if isinstance(tree, dict):
            return dict(zip(tree, parts, strict=True))
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)

    return [leaf for leaves, _ in children for leaf in leaves], rebuild
