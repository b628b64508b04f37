"""What other chapters may import from here."""

from chapters_src.models.shrinkage.choosing import cross_validation, folds, leave_one_out, standardiser
from chapters_src.models.shrinkage.penalties import lasso, lasso_path, ridge_path, soft_threshold
from chapters_src.models.shrinkage.robust import fit_absolute, fit_huber

__all__ = [
    "cross_validation",
    "fit_absolute",
    "fit_huber",
    "folds",
    "lasso",
    "lasso_path",
    "leave_one_out",
    "ridge_path",
    "soft_threshold",
    "standardiser",
]
