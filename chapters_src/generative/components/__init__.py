"""Components: directions of most variance, sources that are independent, and the map of a table of counts."""

from chapters_src.generative.components.independent import ICA, fit_ica, unmixed
from chapters_src.generative.components.principal import (
    PCA,
    pca,
    reconstruction,
    reconstruction_error,
    scores,
    whitened,
)
from chapters_src.generative.components.shuffled import beyond_chance, shuffled_variances
from chapters_src.generative.components.sounds import Sound, plucked_tune, siren
from chapters_src.generative.components.tables import Correspondence, correspondence

__all__ = [
    "ICA",
    "PCA",
    "Correspondence",
    "Sound",
    "beyond_chance",
    "correspondence",
    "fit_ica",
    "pca",
    "plucked_tune",
    "reconstruction",
    "reconstruction_error",
    "scores",
    "shuffled_variances",
    "siren",
    "unmixed",
    "whitened",
]
