"""Arrays and tensors whose axes have names: a letter is one length in all arguments of a call."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.core.readers import ANY, Ask, Limits, numeric_array

__all__ = ["Shape", "outline"]


@dataclass(frozen=True)
class Shape:
    """What an annotation such as `Float[ndarray, "n d"]` says: kind of number, library, axes, and a range."""

    kind: str
    library: str
    axes: str
    limits: Limits = ANY

    def read(self, ask: Ask, value: Any) -> Any:
        """The argument as an array, or the tensor it is; the lengths of its axes are bound from now on."""
        if self.library.endswith("Tensor"):
            value = self._tensor(ask, value)
        else:
            value = numeric_array(ask, value)
            if self.kind == "Int":
                value = self._whole(ask, value)
            elif self.kind == "Bool":
                value = self._truths(ask, value)
        self._fit(ask, tuple(value.shape))
        if self.limits is not ANY and not np.all(self.limits.hold(value)):
            worst = value[~self.limits.hold(value)].reshape(-1)[0]
            ask.fail(f"be {self.limits}", f"{worst:g}")
        return value

    def _whole(self, ask: Ask, value: np.ndarray) -> np.ndarray:
        result = value.astype(np.int64)
        if (result != value).any():
            ask.fail("hold whole numbers", f"{value[result != value].flat[0]:g}")
        return result

    def _truths(self, ask: Ask, value: np.ndarray) -> np.ndarray:
        result = value.astype(bool)
        if (result != value).any():
            ask.fail("be true or false throughout", f"{value[result != value].flat[0]:g}")
        return result

    def _tensor(self, ask: Ask, value: Any) -> Any:
        import torch

        kinds = {
            "Float": ("floats", lambda: value.is_floating_point()),
            "Int": (
                "whole numbers",
                lambda: not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool),
            ),
            "Bool": ("truths", lambda: value.dtype == torch.bool),
            "Num": ("numbers", lambda: not (value.is_complex() or value.dtype == torch.bool)),
        }
        word, fits = kinds[self.kind]
        # The numbers inside are not looked at, because that would wait for the device.
        if not isinstance(value, torch.Tensor) or not fits() or value.numel() == 0:
            ask.fail(f"be a tensor of {word}, shape {self._written(ask)}", outline(value))
        return value

    @functools.cached_property
    def _names(self) -> list[str]:
        return self.axes.split()

    @functools.cached_property
    def _wild(self) -> int | None:
        """The place of the axis that stands for any number of them."""
        return next((i for i, name in enumerate(self._names) if name[0] == "*" or name == "..."), None)

    def _fit(self, ask: Ask, found: tuple[int, ...]) -> None:
        names, wild = self._names, self._wild
        if wild is None:
            if len(found) == len(names) and all(
                ask.lengths.get(name, -1) == side for name, side in zip(names, found, strict=True)
            ):
                return  # every length is known, and right
            inner: tuple[int, ...] = ()
            fits, pairs = len(found) == len(names), list(zip(names, found, strict=False))
        else:
            after = len(names) - wild - 1
            extra = len(found) - len(names) + 1
            # "n *k" is one output or several side by side, and no more; "*batch d" may be anything before d.
            fits = extra >= 0 and (extra <= 1 or wild == 0)
            inner = found[wild : len(found) - after] if fits else ()
            pairs = [*zip(names[:wild], found[:wild], strict=False)]
            if fits and after:
                pairs += zip(names[wild + 1 :], found[-after:], strict=True)
            bound = ask.lengths.get(names[wild])
            fits = fits and (bound is None or bound == inner)
        fits = fits and all(
            self._length(ask, name) in (None, side) or (name[0] == "#" and side == 1) for name, side in pairs
        )
        sides: dict[str, int] = {}  # "n n" is square
        fits = fits and all(sides.setdefault(name, side) == side for name, side in pairs if _is_letter(name))
        if not fits:
            self._misfit(ask, names, found)
        for place, (name, side) in enumerate(pairs):
            if _is_letter(name) and name not in ask.lengths:
                ask.lengths[name] = side
                rows = ("row", "column") if len(names) > 1 else ("entry",)
                ask.reasons[name] = f"{rows[place]} of {ask.name}" if place < len(rows) else ""
        if wild is not None and names[wild] not in ("*", "..."):
            ask.lengths.setdefault(names[wild], inner)  # type: ignore[arg-type]
            ask.reasons.setdefault(names[wild], ask.name)
        if len(names) > 1 or names[0][0] == "*":
            ask.reasons.setdefault(f"shape {self.axes}", ask.name)

    def _length(self, ask: Ask, name: str) -> int | None:
        """What an axis must have, if that is known by now: 3, n, d+1, {degree}+1."""
        if name.isidentifier():
            return ask.lengths.get(name)
        try:
            text = name.format_map(ask.arguments).lstrip("#")
            return int(text) if text.isdigit() else int(eval(text, {"__builtins__": {}}, ask.lengths))
        except (NameError, LookupError, SyntaxError, TypeError, AttributeError):
            return None

    def _misfit(self, ask: Ask, names: list[str], found: tuple[int, ...]) -> None:
        known = [self._length(ask, name) for name in names if not name.startswith("*")]
        twin = ask.reasons.get(f"shape {self.axes}")
        if all(length is None for length in known) and not {"*", "."} & set(self.axes):
            words = {1: "one axis", 2: "two axes", 3: "three axes"}.get(len(names), f"{len(names)} axes")
            ask.fail(f"have {words}, shape {self._written(ask)}", f"shape {found}")
        reason = next((ask.reasons[name] for name in names if name[0] != "*" and ask.reasons.get(name)), "")
        why = f", the shape of {twin}" if twin else f", one per {reason}" if reason else ""
        if not twin and names[-1][0] == "*" and ask.lengths.get(names[-1]):
            why += f", one column per column of {ask.reasons[names[-1]]}"
        ask.fail(f"have shape {self._written(ask, len(found))}{why}", found)

    def _written(self, ask: Ask, axes: int | None = None) -> str:
        """The shape as one would write it, with what is known filled in."""
        sides: list[str] = []
        for name in self.axes.split():
            if name == "...":
                sides.append("…")
                continue
            if not name.startswith("*"):
                sides.append(str(self._length(ask, name) or name).lstrip("#"))
                continue
            bound: Any = ask.lengths.get(name)
            if bound is not None:
                sides += map(str, bound)
            elif name == self.axes.split()[-1]:
                one = f"({', '.join(sides)},)" if len(sides) == 1 else f"({', '.join(sides)})"
                return one if axes == len(sides) else f"{one} or ({', '.join([*sides, name[1:]])})"
            else:
                sides.append("…")
        return f"({', '.join(sides)}{',' if len(sides) == 1 and sides != ['…'] else ''})"


def _is_letter(name: str) -> bool:
    """Whether an axis has one length in all arguments: `_` has any, and 3 or d+1 say which."""
    return name.isidentifier() and name != "_"


def outline(value: Any) -> str:
    """Shape and kind of a tensor, or the type of anything else."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"shape {tuple(value.shape)}, {value.dtype}"
    return f"a {type(value).__name__}"
