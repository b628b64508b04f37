"""What other chapters may import from here."""

from chapters_src.evaluation.calibration.bins import (
    Reliability,
    brier_parts,
    calibration_error,
    reliability,
)
from chapters_src.evaluation.calibration.conformal import adaptive_scores, conformal_quantile
from chapters_src.evaluation.calibration.scaling import (
    fit_isotonic,
    fit_platt,
    fit_temperature,
    pool_adjacent_violators,
)

__all__ = [
    "Reliability",
    "adaptive_scores",
    "brier_parts",
    "calibration_error",
    "conformal_quantile",
    "fit_isotonic",
    "fit_platt",
    "fit_temperature",
    "pool_adjacent_violators",
    "reliability",
]
