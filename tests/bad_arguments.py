"""Wrong values of arguments, made from valid ones and from what is declared of them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import torch

from chapters_src.core.readers import ANY, Limits


def spoiled(value: Any, annotation: str = "Any", limits: Limits = ANY, is_class: bool = False) -> list[Any]:
    """Wrong values for an argument that was valid."""
    return [
        *_of_another_kind(value, annotation, is_class),
        *_beyond(value, limits),
        *([value[None, None]] if _has_axes(value) and _letters(annotation) else []),
    ]


def _has_axes(value: Any) -> bool:
    return isinstance(value, (np.ndarray, torch.Tensor))


def _letters(annotation: str) -> list[str]:
    """The names of the axes of an array that is declared to have just these."""
    axes = " ".join(re.findall(r"['\"]([^'\"]*)['\"]", annotation))
    return [] if "*" in axes or "..." in axes else axes.split()


def _beyond(value: Any, limits: Limits) -> list[Any]:
    """Just outside the range that was declared, in every entry of an array."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.ndarray, torch.Tensor)):
        return []
    steps = zip(limits, (0, -1, 0, 1), strict=True)
    outside = [bound + step for bound, step in steps if bound is not None]
    return [value * 0 + one for one in outside]


def too_short(values: dict[str, Any], annotations: dict[str, str]) -> dict[str, Any]:
    """Arrays without their first row, where another axis says how many rows there are."""
    letters = {name: _letters(annotations.get(name, "")) for name in values if _has_axes(values[name])}
    every = [
        letter for axes in letters.values() for letter in axes if letter.isidentifier() and letter != "_"
    ]
    return {name: values[name][1:] for name, own in letters.items() if own and every.count(own[0]) > 1}


def _of_another_kind(value: Any, annotation: str, is_class: bool) -> list[Any]:
    """What is no number, no array, no text, no device, or not of the class that is asked for."""
    kinds = annotation.split(" | ")
    if "Device" in kinds:
        return ["nowhere", 3.5]
    if "Dtype" in kinds:
        return ["float32", torch.int64]
    if "str" in kinds:
        return [None] if {"int", "float"} & set(kinds) else [3, None]
    if isinstance(value, np.ndarray):
        with_nan = value.astype(float)
        with_nan.flat[0] = np.nan
        with_inf = value.astype(float)
        with_inf.flat[-1] = -np.inf
        masked = np.ma.masked_array(value, np.arange(value.size).reshape(value.shape) == 0)
        return [
            with_nan,
            with_inf,
            masked,
            value.astype(complex),
            np.full(value.shape, None),
            value.astype(str),
            np.ones((0, 2)),
            [],
            "numbers",
            object(),
            {"a": 1.0},
            [[1.0, 2.0], [3.0]],
        ]
    if isinstance(value, torch.Tensor):
        return [
            value.numpy(),
            value.tolist(),
            "numbers",
            None,
            object(),
            value.to(torch.complex64),
            value.reshape(-1)[:0],
        ]
    if isinstance(value, bool):
        return [1.0, "yes", object(), np.ones(2)]
    if isinstance(value, int):
        return [-(10**18), 10**18 * 1.0, 0.5, np.nan, "1", 1j, [1], np.ones(2), object(), 10**18]
    if isinstance(value, float):
        return [np.nan, np.inf, -np.inf, "1", True, 1j, [1.0], np.ones(2), object()]
    if isinstance(value, (np.random.Generator, torch.Generator)):
        return [0, None, "seed", object()]
    return [3, object()] if is_class else []
