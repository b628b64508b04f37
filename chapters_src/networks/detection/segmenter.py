"""A label for every pixel: what is there from a coarse map, where exactly from the pixels."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import interpolate

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import conv2d
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like_weights
from chapters_src.networks.detection.detector import CELL, trunk

__all__ = ["Segmenter"]


class Segmenter(nn.Module):
    """The logits of a coarse map, enlarged four times, plus those of a 5×5 window around each pixel.

    Without ``coarse`` it is a logistic regression on the window; without ``fine`` an enlarged coarse map.
    """

    @checked(classes=at_least(2), width=at_least(1))
    def __init__(
        self,
        classes: int,
        generator: torch.Generator,
        width: int = 16,
        coarse: bool = True,
        fine: bool = True,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        require(coarse or fine, "fine", "be True if coarse is not", fine)
        self.what = self.where = None
        if coarse:
            channels = (width, 2 * width, 3 * width, 3 * width)
            score = conv2d(3 * width, classes, 1, generator, scale=0.3, device=device, dtype=dtype)
            self.what = nn.Sequential(trunk(channels, generator, device, dtype), score)
        if fine:
            self.where = conv2d(1, classes, 5, generator, padding=2, scale=0.3, device=device, dtype=dtype)

    @checked(x=like_weights)
    def forward(self, x: Float[Tensor, "n 1 h w"]) -> Float[Tensor, "n k h w"]:
        """A logit per class and pixel.

        a = bilinear(coarse(x)) + fine(x)   {eq}`eq-detection-segmenter`
        """
        require(x.shape[2] % CELL == x.shape[3] % CELL == 0, "x", "have sides divisible by 4", tuple(x.shape))
        logits = torch.zeros(1, dtype=x.dtype, device=x.device)
        if self.what is not None:
            logits = logits + interpolate(
                self.what(x), scale_factor=CELL, mode="bilinear", align_corners=False
            )
        return logits if self.where is None else logits + self.where(x)
