"""Autoencoders: through a few numbers and back, with the network and the training that VAEs share."""

from chapters_src.generative.autoencoder.dictionary import SparseAutoencoder, fit_sparse
from chapters_src.generative.autoencoder.judging import best_matches, commonest_share, to_nearest
from chapters_src.generative.autoencoder.networks import Autoencoder
from chapters_src.generative.autoencoder.penalties import contraction, corrupted, denoising_error
from chapters_src.generative.autoencoder.rows import finite, grey_values, of_model
from chapters_src.generative.autoencoder.training_by_epochs import fit_autoencoder, fit_epochs

__all__ = [
    "Autoencoder",
    "SparseAutoencoder",
    "best_matches",
    "commonest_share",
    "contraction",
    "corrupted",
    "denoising_error",
    "finite",
    "fit_autoencoder",
    "fit_epochs",
    "fit_sparse",
    "grey_values",
    "of_model",
    "to_nearest",
]
