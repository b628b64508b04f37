"""What other chapters may import from here."""

from chapters_src.models.shrinkage.penalties import lasso, lasso_path, ridge_path, soft_threshold
from chapters_src.models.shrinkage.robust import fit_absolute, fit_huber

__all__ = ["fit_absolute", "fit_huber", "lasso", "lasso_path", "ridge_path", "soft_threshold"]
