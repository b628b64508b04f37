"""Layers that add to what they were given: residual blocks, their paths, their growth, and a U-Net."""

from chapters_src.networks.residual.blocks import ResidualNetwork
from chapters_src.networks.residual.flow import euler_path
from chapters_src.networks.residual.growth import block_variances
from chapters_src.networks.residual.paths import by_path_length
from chapters_src.networks.residual.shattering import autocorrelation, slopes_by_depth
from chapters_src.networks.residual.unet import UNet

__all__ = [
    "ResidualNetwork",
    "UNet",
    "autocorrelation",
    "block_variances",
    "by_path_length",
    "euler_path",
    "slopes_by_depth",
]
