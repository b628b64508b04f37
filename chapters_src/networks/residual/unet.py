"""A U-Net: down to a coarse picture, up again, with the finer pictures handed across."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import avg_pool2d, interpolate

from chapters_src.core.contract import checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import conv2d
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor
from chapters_src.core.tensor_readers import like_weights

__all__ = ["UNet"]


class UNet(nn.Module):
    """One channel in, one out: two halvings, two doublings, and what was seen on the way down handed across.

    Without ``skips`` zeros are handed across, so that both have the same parameters.
    """

    @checked(channels=at_least(1))
    def __init__(
        self,
        channels: int,
        generator: torch.Generator,
        skips: bool = True,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.skips, c = skips, channels

        def three_by_three(inputs: int, outputs: int) -> nn.Conv2d:
            return conv2d(inputs, outputs, 3, generator, padding=1, device=device, dtype=dtype)

        self.fine, self.middle, self.coarse = (
            three_by_three(*sizes) for sizes in ((1, c), (c, 2 * c), (2 * c, 4 * c))
        )
        self.to_middle, self.to_fine = three_by_three(6 * c, 2 * c), three_by_three(3 * c, c)
        self.out = three_by_three(c, 1)

    @checked(x=like_weights)
    def forward(self, x: Float[Tensor, "n 1 h w"]) -> Float[Tensor, "n 1 h w"]:
        """Pictures of the same size, whose height and width are divisible by 4."""
        sides = tuple(x.shape[2:])
        require(all(side % 4 == 0 for side in sides), "x", "have sides divisible by 4", sides)
        across = 1.0 if self.skips else 0.0
        fine = torch.relu(self.fine(x))
        middle = torch.relu(self.middle(avg_pool2d(fine, 2)))
        coarse = torch.relu(self.coarse(avg_pool2d(middle, 2)))
        up = torch.cat([interpolate(coarse, scale_factor=2), across * middle], dim=1)
        up = torch.relu(self.to_middle(up))
        up = torch.cat([interpolate(up, scale_factor=2), across * fine], dim=1)
        return self.out(torch.relu(self.to_fine(up)))
