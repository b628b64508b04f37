"""How good found boxes and labelled pixels are: matches, average precision, IoU by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import at_least, between
from chapters_src.core.shapes import Bool, Float, Int, ndarray
from chapters_src.evaluation.metrics import alarms_by_threshold, confusion_matrix
from chapters_src.models.logistic import zero_or_one
from chapters_src.networks.detection.boxes import in_order, iou
from chapters_src.networks.detection.scenes import Scene

__all__ = [
    "Detections",
    "average_precision_of",
    "class_ious",
    "hits",
    "mean_average_precision",
    "pooled_hits",
]


class Detections(NamedTuple):
    """What was found in one picture: a box, a score and a class per row."""

    boxes: Float[ndarray, "_ 4"]
    scores: Float[ndarray, "_"]
    labels: Int[ndarray, "_"]


@checked(boxes=in_order, truth=in_order, least=between(0, 1))
def hits(
    boxes: Float[ndarray, "m 4"],
    scores: Float[ndarray, "m"],
    truth: Float[ndarray, "k 4"],
    least: float = 0.5,
) -> Bool[ndarray, "m"]:
    """Which boxes find an object: from the best score down, each takes the free true box that it fits best.

    A box that shares less than the least IoU with every true box that is still free is a false alarm.
    """
    overlaps = bare(iou)(boxes, truth)
    found = np.zeros(len(boxes), dtype=bool)
    for row in np.argsort(-scores, kind="stable"):
        if len(truth) and overlaps[row].max() >= max(least, 1e-12):
            found[row] = True
            overlaps[:, overlaps[row].argmax()] = -1  # taken: nobody else can find it again
    return found


@checked(least=between(0, 1), label=at_least(0))
def pooled_hits(
    found: Sequence[Detections], scenes: Sequence[Scene], least: float = 0.5, label: int | None = None
) -> tuple[Float[ndarray, "m"], Float[ndarray, "m"], int]:
    """1 or 0 per detection in all pictures, the scores, and the number of objects; of one class if named."""
    require(len(found) == len(scenes), "found", f"be {len(scenes)}, one per scene", len(found))
    y, score, objects = [np.zeros(0)], [np.zeros(0)], 0
    for one, scene in zip(found, scenes, strict=True):
        mine = np.ones(len(one.scores), bool) if label is None else one.labels == label
        truth = scene.boxes if label is None else scene.boxes[scene.labels == label]
        y.append(bare(hits)(one.boxes[mine], one.scores[mine], truth, least).astype(float))
        score.append(one.scores[mine])
        objects += len(truth)
    return np.concatenate(y), np.concatenate(score), objects


@checked(y=zero_or_one, objects=at_least(1))
def average_precision_of(y: Float[ndarray, "n"], score: Float[ndarray, "n"], objects: int) -> float:
    """The precision at each threshold, weighted by the recall that it adds; objects never found add nothing.

    AP = Σₗ (R(tₗ) − R(tₗ₋₁)) P(tₗ),  R(t) = TP(t) / objects   {eq}`eq-detection-average-precision`
    """
    require(objects >= y.sum(), "objects", f"be at least the {y.sum():g} that were found", objects)
    _, true_alarms, false_alarms = bare(alarms_by_threshold)(y, score)
    precision = true_alarms / (true_alarms + false_alarms)
    return float(np.diff(true_alarms / objects, prepend=0.0) @ precision)


@checked(classes=at_least(1), least=between(0, 1))
def mean_average_precision(
    found: Sequence[Detections], scenes: Sequence[Scene], classes: int, least: float = 0.5
) -> float:
    """The mean over classes of `average_precision_of`, each class among its own boxes alone."""
    judged = [bare(pooled_hits)(found, scenes, least, label) for label in range(classes)]
    require(all(objects for *_, objects in judged), "scenes", "show every class", "one that is missing")
    return float(np.mean([bare(average_precision_of)(*one) if len(one[0]) else 0.0 for one in judged]))


@checked(y=at_least(0), y_hat=at_least(0), K=at_least(2))
def class_ious(y: Int[ndarray, "..."], y_hat: Int[ndarray, "..."], K: int) -> Float[ndarray, "{K}"]:
    """For each class the pixels that are it and are called it, by those that are it or are called it.

    IoU_k = C_kk / (Σⱼ C_kj + Σⱼ C_jk − C_kk), 0 if nobody has it   {eq}`eq-detection-class-iou`
    """
    require(y.shape == y_hat.shape, "y_hat", f"have shape {y.shape}, as y has", y_hat.shape)
    C = confusion_matrix(y.ravel(), y_hat.ravel(), K).astype(float)
    shared, either = np.diag(C), C.sum(axis=0) + C.sum(axis=1) - np.diag(C)
    return np.divide(shared, either, out=np.zeros(K), where=either > 0)
