"""Matrices that are written out in blocks."""

from __future__ import annotations

from typing import Any

from chapters_src.studio.formula.arrays import Array, Flexible, Library, Misfit


def block(rows: list[list[Any]], library: Library) -> Array:
    """The blocks joined; an identity, ones or 0 takes the size of its row and column of blocks."""
    vectors = len(rows[0]) == 1 and any(cell.ndim == 1 for (cell,) in rows)
    heights = [_side(row, 0) for row in rows]
    widths = [1 if vectors else _side([row[j] for row in rows], 1) for j in range(len(rows[0]))]
    joined = [
        library.xp.concatenate(
            [_sized(cell, (h, w), library) for cell, w in zip(row, widths, strict=True)], 1
        )
        for row, h in zip(rows, heights, strict=True)
    ]
    whole = library.xp.concatenate(joined, 0)
    return whole[:, 0] if widths == [1] and not any(cell.ndim == 2 for row in rows for cell in row) else whole


def _side(cells: list[Any], axis: int) -> int:
    """The height of a row of blocks or the width of a column of them."""
    known = {side for cell in cells if cell.ndim and (side := _sides(cell)[axis]) is not None}
    if len(known) > 1:
        raise Misfit(f"joins blocks of sizes {sorted(known)}")
    return known.pop() if known else 1


def _sides(cell: Any) -> tuple[int | None, ...]:
    sides = cell.sides if isinstance(cell, Flexible) else tuple(cell.shape)
    return sides if len(sides) == 2 else (sides[0], 1)


def _sized(cell: Any, sides: tuple[int, int], library: Library) -> Array:
    if isinstance(cell, Flexible):
        return cell.sized(sides) if cell.ndim == 2 else cell.sized(sides[:1])[:, None]
    if cell.ndim == 1:
        cell = cell[:, None]
    if cell.ndim == 0:
        if sides != (1, 1) and float(cell) != 0:
            raise Misfit(f"has a number where a block of shape {sides} belongs")
        return cell.reshape(1, 1) if sides == (1, 1) else library.array(0.0) * library.xp.ones(sides)
    if tuple(cell.shape) != sides:
        raise Misfit(f"has a block of shape {tuple(cell.shape)} where {sides} belongs")
    return cell
