"""Generalised linear models, the perceptron and discriminant analysis."""

from chapters_src.models.generalised.discriminant import (
    Discriminant,
    discriminant_scores,
    fit_lda,
    fit_qda,
    linear_form,
)
from chapters_src.models.generalised.families import (
    BERNOULLI,
    GAUSSIAN,
    POISSON,
    Family,
    glm_loss,
)
from chapters_src.models.generalised.irls import dispersion, fit_glm, glm_standard_errors
from chapters_src.models.generalised.outputs import fit_outputs, predicted_means
from chapters_src.models.generalised.perceptron import (
    Perceptron,
    fit_perceptron,
    mistake_bound,
    perceptron_predict,
)

__all__ = [
    "BERNOULLI",
    "GAUSSIAN",
    "POISSON",
    "Discriminant",
    "Family",
    "Perceptron",
    "discriminant_scores",
    "dispersion",
    "fit_glm",
    "fit_lda",
    "fit_outputs",
    "fit_perceptron",
    "fit_qda",
    "glm_loss",
    "glm_standard_errors",
    "linear_form",
    "mistake_bound",
    "perceptron_predict",
    "predicted_means",
]
