"""What keeps a network from learning its data by heart."""

from chapters_src.networks.regularisation.noise import dropout

__all__ = ["dropout"]
