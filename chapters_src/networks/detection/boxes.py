"""Boxes (left, top, right, bottom): how much two of them share, and which of many to keep."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import Ask, between
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["iou", "non_maximum_suppression"]


def in_order(ask: Ask, boxes: Any) -> Any:
    """Read boxes whose right is not left of their left, nor their bottom above their top."""
    turned = (boxes[:, 2:] < boxes[:, :2]).any(axis=1)
    ask.require(not turned.any(), "have left ≤ right and top ≤ bottom", boxes[turned][:1].tolist())
    return boxes


@checked(A=in_order, B=in_order)
def iou(A: Float[ndarray, "m 4"], B: Float[ndarray, "k 4"]) -> Float[ndarray, "m k"]:
    """The area that two boxes share, by the area that they cover together, for each pair.

    IoU = |A ∩ B| / (|A| + |B| − |A ∩ B|)   {eq}`eq-detection-iou`

    Two boxes without any area share nothing: 0.
    """
    A, B = A[:, None], B[None]
    sides = np.minimum(A[..., 2:], B[..., 2:]) - np.maximum(A[..., :2], B[..., :2])
    shared = np.maximum(sides, 0).prod(axis=-1)
    area_A, area_B = ((box[..., 2:] - box[..., :2]).prod(axis=-1) for box in (A, B))
    union = area_A + area_B - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)


@checked(boxes=in_order, overlap=between(0, 1))
def non_maximum_suppression(
    boxes: Float[ndarray, "m 4"], scores: Float[ndarray, "m"], overlap: float = 0.4
) -> Int[ndarray, "k"]:
    """The rows to keep, best first: boxes whose IoU with each better one that is kept is at most ``overlap``.

    keep b  ⇔  IoU(b, a) ≤ overlap for every kept a with a higher score   {eq}`eq-detection-suppression`
    """
    kept: list[int] = []
    left = np.argsort(-scores, kind="stable")
    while len(left):
        best, left = left[0], left[1:]
        kept.append(int(best))
        left = left[bare(iou)(boxes[[best]], boxes[left])[0] <= overlap]
    return np.array(kept, dtype=np.int64)
