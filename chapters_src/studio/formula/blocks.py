"""Matrices that are written out in blocks."""

from __future__ import annotations

from typing import Any

from chapters_src.studio.formula.arrays import Array, Flexible, Library, Misfit


def block(rows: list[list[Any]], library: Library) -> Any:
    """The blocks joined; an identity, ones or 0 takes the size of its row and column of blocks."""
    widths = [_side([row[j] for row in rows], 1) for j in range(len(rows[0]))]
    heights = [_height(row, widths) for row in rows]
    if None in widths:
        raise Misfit("has a column of blocks of unknown width")
    vector = widths == [1] and not any(len(_sides(cell)) == 2 and not _is_zero(cell) for (cell,) in rows)
    known = sum(height for height in heights if height is not None)

    def joined(total: int) -> Array:
        sizes = [total - known if height is None else height for height in heights]
        lines = [
            library.xp.concatenate([_sized(c, (h, w or 0)) for c, w in zip(row, widths, strict=True)], 1)
            for row, h in zip(rows, sizes, strict=True)
        ]
        whole = library.xp.concatenate(lines, 0)
        return whole[:, 0] if vector else whole

    if heights.count(None) > 1:
        raise Misfit("has several rows of blocks of unknown height")
    if None not in heights:
        return joined(known)
    width = sum(side for side in widths if side is not None)
    return Flexible((None,) if vector else (None, width), lambda sides: joined(sides[0]))


def _is_zero(cell: Any) -> bool:
    return isinstance(cell, Flexible) and cell.sides == (None, None) and not cell.square


def _sides(cell: Any) -> tuple[int | None, ...]:
    return cell.sides if isinstance(cell, Flexible) else tuple(cell.shape)


def _side(cells: list[Any], axis: int) -> int | None:
    """The height of a row of blocks or the width of a column of them, if it is known."""
    sides = [(*_sides(cell), 1, 1)[axis if len(_sides(cell)) else 0] for cell in cells]
    known = {side for side in sides if side is not None}
    if len(known) > 1:
        raise Misfit(f"joins blocks of sizes {sorted(known)}")
    return known.pop() if known else None


def _height(row: list[Any], widths: list[int | None]) -> int | None:
    """As the row's blocks say, an identity being as high as it is wide."""
    square = [w for cell, w in zip(row, widths, strict=True) if isinstance(cell, Flexible) and cell.square]
    return _side(row, 0) or next(iter(square), None)


def _sized(cell: Any, sides: tuple[int, int]) -> Array:
    if isinstance(cell, Flexible):
        return cell.sized(sides) if cell.ndim == 2 else cell.sized(sides[:1])[:, None]
    column = cell.reshape(-1, 1) if cell.ndim < 2 else cell
    if tuple(column.shape) != sides:
        raise Misfit(f"has a block of shape {tuple(cell.shape)} where {sides} belongs")
    return column
