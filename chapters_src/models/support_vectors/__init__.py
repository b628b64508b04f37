"""Support vectors: the widest street between two classes, its dual, and a solver for it."""

from chapters_src.models.support_vectors.dual import (
    SupportVectors,
    complementary_slackness,
    dual_objective,
    gram_matrix,
    scores,
)
from chapters_src.models.support_vectors.fast import smo_fast
from chapters_src.models.support_vectors.margins import (
    fit_hinge_descent,
    signed_distances,
    soft_margin,
    soft_margin_subgradient,
    two_classes,
)
from chapters_src.models.support_vectors.pairs import Boundary, max_margin, smo

__all__ = [
    "Boundary",
    "SupportVectors",
    "complementary_slackness",
    "dual_objective",
    "fit_hinge_descent",
    "gram_matrix",
    "max_margin",
    "scores",
    "signed_distances",
    "smo",
    "smo_fast",
    "soft_margin",
    "soft_margin_subgradient",
    "two_classes",
]
