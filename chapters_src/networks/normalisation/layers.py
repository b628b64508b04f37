"""Layer norm and RMS norm, written out."""

from __future__ import annotations

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor

__all__ = ["layer_norm", "rms_norm"]


@checked(eps=at_least(0))
def layer_norm(
    x: Float[Tensor, "*batch d"], gain: Float[Tensor, "d"], bias: Float[Tensor, "d"], eps: float = 1e-5
) -> Float[Tensor, "*batch d"]:
    """Each vector for itself: minus its mean, over its standard deviation, then stretched and moved.

    LN(x) = γ ⊙ (x − μ)/√(σ² + ε) + β,  μ and σ² over the d numbers of x      {eq}`eq-normalisation-layer`

    Written out to be read; networks use torch's, which is the same in one pass.
    """
    centred = x - x.mean(-1, keepdim=True)
    return gain * centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt() + bias


@checked(eps=at_least(0))
def rms_norm(
    x: Float[Tensor, "*batch d"], gain: Float[Tensor, "d"], eps: float = 1e-5
) -> Float[Tensor, "*batch d"]:
    """Each vector for itself: over the root of its mean square, then stretched; its mean is not taken away.

    RMS(x) = γ ⊙ x/√(mean(x²) + ε)                                       {eq}`eq-normalisation-rms`
    """
    return gain * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()
