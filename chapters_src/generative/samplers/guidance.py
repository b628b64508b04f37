"""Classifier-free guidance: one network with and without the label, and more of the difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Int, Tensor

__all__ = ["guided"]


@checked(none=at_least(0))
def guided(
    model: Callable[..., Any], label: Int[Tensor, "n"], none: int, weight: float
) -> Callable[[Any, Any], Any]:
    """The noise expected with the label, exaggerated: a denoiser for rows with these labels.

    ε̂ = ε̂(xₜ, t, none) + w·(ε̂(xₜ, t, label) − ε̂(xₜ, t, none))           {eq}`eq-samplers-guidance`

    w = 0 ignores the label, w = 1 is the plain conditional network, and above 1 the difference counts more.
    """
    neither = torch.full_like(label, none)

    def denoise(x_t: Any, t: Any) -> Any:
        require(len(x_t) == len(label), "x_t", f"have {len(label)} rows, one per label", len(x_t))
        both = model(torch.cat([x_t, x_t]), torch.cat([t, t]), torch.cat([label, neither]))
        with_label, without = both.chunk(2)
        return without + weight * (with_label - without)

    return denoise
