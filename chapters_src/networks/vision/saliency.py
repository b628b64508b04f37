"""Which pixels does an answer hang on, and how little must change to change it?"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.networks.vision.training import class_probabilities

__all__ = ["input_gradient", "occlusion_map", "sign_attack"]


@checked
def input_gradient(
    model: nn.Module, X: Float[Tensor, "n c h w"], y: Int[Tensor, "n"]
) -> Float[Tensor, "n c h w"]:
    """The gradient of each image's loss by its own pixels.

    ∂ℓ(x, y)/∂x,  ℓ = −log p(y | x)                     {eq}`eq-vision-saliency`
    """
    x = X.detach().clone().requires_grad_()
    total = functional.cross_entropy(model(x), y, reduction="sum")  # images do not meet in evaluation mode
    (found,) = torch.autograd.grad(total, x)
    return found


@checked(size=at_least(1), step=at_least(1))
def occlusion_map(
    model: nn.Module, image: Float[Tensor, "c h w"], size: int, step: int = 1, fill: float = 0.0
) -> Float[Tensor, "p q K"]:
    """The model's probabilities with a square of size × size painted over, for each place of the square."""
    _, h, w = image.shape
    require(size <= min(h, w), "size", f"be at most {min(h, w)}", size)
    rows, columns = range(0, h - size + 1, step), range(0, w - size + 1, step)
    covered = image.repeat(len(rows) * len(columns), 1, 1, 1)
    for k, (i, j) in enumerate((i, j) for i in rows for j in columns):
        covered[k, :, i : i + size, j : j + size] = fill
    return bare(class_probabilities)(model, covered).reshape(len(rows), len(columns), -1)


@checked(epsilon=at_least(0))
def sign_attack(
    model: nn.Module, X: Float[Tensor, "n c h w"], y: Int[Tensor, "n"], epsilon: float
) -> Float[Tensor, "n c h w"]:
    """Each image one step uphill in its loss, no pixel by more than ε, cut to the range from 0 to 1.

    x + ε sign ∂ℓ/∂x                                    {eq}`eq-vision-attack`
    """
    return (X + epsilon * bare(input_gradient)(model, X, y).sign()).clamp(0, 1)
