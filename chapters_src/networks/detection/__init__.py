"""From a small map back to a picture: up-sampling, a detector of boxes, and a label for every pixel."""

from chapters_src.networks.detection.boxes import iou, non_maximum_suppression
from chapters_src.networks.detection.detector import (
    GridDetector,
    GridTargets,
    decode,
    detector_loss,
    grid_targets,
)
from chapters_src.networks.detection.judging import (
    Detections,
    average_precision_of,
    class_ious,
    hits,
    mean_average_precision,
    pooled_hits,
)
from chapters_src.networks.detection.scenes import Scene, draw_scenes, trimmed
from chapters_src.networks.detection.segmenter import Segmenter
from chapters_src.networks.detection.upsampling import (
    bilinear,
    interpolation_matrix,
    max_pool_with_places,
    max_unpool,
    nearest,
    overlap_counts,
)

__all__ = [
    "Detections",
    "GridDetector",
    "GridTargets",
    "Scene",
    "Segmenter",
    "average_precision_of",
    "bilinear",
    "class_ious",
    "decode",
    "detector_loss",
    "draw_scenes",
    "grid_targets",
    "hits",
    "interpolation_matrix",
    "iou",
    "max_pool_with_places",
    "max_unpool",
    "mean_average_precision",
    "nearest",
    "non_maximum_suppression",
    "overlap_counts",
    "pooled_hits",
    "trimmed",
]
