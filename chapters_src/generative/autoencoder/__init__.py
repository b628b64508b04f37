"""What other chapters may import from here."""

from chapters_src.generative.autoencoder.networks import Autoencoder, fit, fit_autoencoder, mlp

__all__ = ["Autoencoder", "fit", "fit_autoencoder", "mlp"]
