"""What other chapters may import from here."""

from chapters_src.models.generalised.families import (
    BERNOULLI,
    FAMILIES,
    GAUSSIAN,
    POISSON,
    Family,
    fit_glm,
    glm_gradient,
    glm_loss,
)
from chapters_src.models.generalised.perceptron import (
    Perceptron,
    fit_perceptron,
    mistake_bound,
    perceptron_predict,
)

__all__ = [
    "BERNOULLI",
    "FAMILIES",
    "GAUSSIAN",
    "POISSON",
    "Family",
    "Perceptron",
    "fit_glm",
    "fit_perceptron",
    "glm_gradient",
    "glm_loss",
    "mistake_bound",
    "perceptron_predict",
]
