"""Readers of probabilities: one distribution, or a row of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.readers import Ask

__all__ = ["sums_to_one"]


def sums_to_one(ask: Ask, p: Any) -> Any:
    """Read probabilities along the last axis, which add up as exactly as their precision allows."""
    kind = np.asarray(ask.given[ask.name]).dtype
    slack = 4 * p.shape[-1] * float(np.finfo(kind).eps) if kind in (np.float16, np.float32) else 1e-9
    if (p < 0).any() or np.abs(p.sum(axis=-1) - 1).max() > slack:
        ask.fail("be at least 0 and sum to 1 along the last axis", f"sum {p.sum(-1).flat[0]:g}")
    return p
