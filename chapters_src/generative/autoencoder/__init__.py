"""Autoencoders: through a few numbers and back, with the network and the training that VAEs share."""

from chapters_src.generative.autoencoder.networks import Autoencoder
from chapters_src.generative.autoencoder.rows import finite, of_model
from chapters_src.generative.autoencoder.training_by_epochs import fit_autoencoder, fit_epochs

__all__ = ["Autoencoder", "finite", "fit_autoencoder", "fit_epochs", "of_model"]
