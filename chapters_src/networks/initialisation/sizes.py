"""What a wide layer with random weights does to the mean square q of its pre-activations, and to adjoints."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import above, at_least, one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.activations import ACTIVATIONS
from chapters_src.networks.initialisation.quadrature import gaussian_mean

__all__ = ["edge_of_chaos", "next_size", "size_path", "slope_factor"]


@checked(q=at_least(0), c=at_least(0), phi=one_of(ACTIVATIONS), bias_variance=at_least(0))
def next_size(q: float, c: float, phi: str, bias_variance: float = 0.0) -> float:
    """The mean square of the next layer's pre-activations, for weights of variance c/d_in.

    q_{l+1} = c E φ(a)² + v_b,  a ~ N(0, q_l)                {eq}`eq-initialisation-size`
    """
    value = bare(ACTIVATIONS[phi].value)
    return c * bare(gaussian_mean)(lambda a: value(a) ** 2, q) + bias_variance


@checked(q=at_least(0), c=at_least(0), phi=one_of(ACTIVATIONS))
def slope_factor(q: float, c: float, phi: str) -> float:
    """By how much the mean square of adjoints grows per layer going back, for weights of variance c/d_out.

    χ = c E φ′(a)²,  a ~ N(0, q)                             {eq}`eq-initialisation-back`
    """
    slope = bare(ACTIVATIONS[phi].derivative)
    return c * bare(gaussian_mean)(lambda a: slope(a) ** 2, q)


@checked(q=at_least(0), c=at_least(0), phi=one_of(ACTIVATIONS), layers=at_least(0), bias_variance=at_least(0))
def size_path(
    q: float, c: float, phi: str, layers: int, bias_variance: float = 0.0
) -> Float[ndarray, "_points"]:
    """The mean squares q₀, …, q_layers that `next_size` gives one after the other."""
    path = [q]
    for _ in range(layers):
        path.append(bare(next_size)(path[-1], c, phi, bias_variance))
    return np.array(path)


@checked(q=above(0), phi=one_of(ACTIVATIONS))
def edge_of_chaos(q: float, phi: str) -> tuple[float, float]:
    """The c and the variance of biases for which q stays what it is and adjoints keep their size.

    c = 1/E φ′(a)²,  v_b = q − c E φ(a)²,  a ~ N(0, q)       {eq}`eq-initialisation-edge`
    """
    passed = bare(slope_factor)(q, 1.0, phi)
    require(passed > 0, "phi", "have a slope", f"{phi!r}, which is flat")
    bias_variance = q - bare(next_size)(q, 1 / passed, phi)
    require(bias_variance >= -1e-12 * q, "q", "be a size that some bias keeps", q)
    return 1 / passed, max(bias_variance, 0.0)
