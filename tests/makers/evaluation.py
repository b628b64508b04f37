"""Arguments of evaluation that no annotation describes."""

import numpy as np
import torch
from torch import nn

from chapters_src.core.modules import mlp
from chapters_src.evaluation.generalisation import squared_loss


def network() -> nn.Sequential:
    """Linear, ReLU, linear: from three inputs to two outputs."""
    return mlp((3, 4, 2), torch.Generator().manual_seed(0))


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs and outputs that fit the network."""
    return torch.linspace(0.2, 0.8, 18).reshape(6, 3), torch.linspace(-1, 1, 12).reshape(6, 2)


MAKERS = {
    "rescaled.factors": lambda: np.linspace(0.5, 2.0, 4),
    "rescaled.model": network,
    "sharpness.batch": batch,
    "sharpness.loss": lambda: squared_loss,
    "sharpness.model": network,
    "squared_loss.batch": batch,
    "squared_loss.model": network,
}
