"""What other chapters may import from here."""

from chapters_src.models.softmax.regression import (
    fit_softmax,
    fit_softmax_descent,
    softmax_gradient,
    softmax_loss,
)

__all__ = ["fit_softmax", "fit_softmax_descent", "softmax_gradient", "softmax_loss"]
