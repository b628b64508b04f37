"""Two more sums of units: stairs of steep sigmoids, and a cone from hinges in random directions."""

from __future__ import annotations

from math import exp, lgamma, pi, sqrt

import numpy as np
from scipy.special import expit

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import above, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.shallow import Network

__all__ = ["cone_variance", "mean_hinge", "random_cone", "stairs"]


@checked(steepness=above(0))
def stairs(
    edges: Float[ndarray, "m"], heights: Float[ndarray, "m"], steepness: float, x: Float[ndarray, "n"]
) -> Float[ndarray, "n m"]:
    """The parts of a staircase of sigmoids: column j climbs from the step before to height j at edge j.

    (h_j − h_{j−1}) σ(k(x − e_j)),  h₀ = 0;  their sum is the network    {eq}`eq-approximation-stairs`
    """
    require((np.diff(edges) > 0).all(), "edges", "be in rising order", "others")
    with np.errstate(over="ignore"):
        return np.diff(heights, prepend=0.0) * expit(steepness * (x[:, None] - edges))


@checked(inputs=at_least(1))
def mean_hinge(inputs: int) -> float:
    """The mean of φ(u·x) over all directions u, for an x of length 1 in d dimensions.

    c = Γ(d/2) / (2√π Γ((d + 1)/2))                   {eq}`eq-approximation-cone`
    """
    return exp(lgamma(inputs / 2) - lgamma((inputs + 1) / 2)) / (2 * sqrt(pi))


@checked(inputs=at_least(1))
def cone_variance(inputs: int) -> float:
    """The variance of φ(u·x)/c‖x‖ over all directions u: below π − 1 in every dimension.

    E φ²/c² − 1 = 1/(2dc²) − 1                        {eq}`eq-approximation-cone`
    """
    return 1 / (2 * inputs * mean_hinge(inputs) ** 2) - 1


@checked(inputs=at_least(1), units=at_least(1))
def random_cone(inputs: int, units: int, rng: np.random.Generator) -> Network:
    """A network near the cone ‖x‖ in d dimensions: the mean of hinges in random directions.

    ŷ(x) = (1/cm) Σ_j φ(u_j·x),  ‖u_j‖ = 1            {eq}`eq-approximation-cone`
    """
    directions = rng.standard_normal((inputs, units))
    directions /= np.linalg.norm(directions, axis=0)
    outer = np.full((units, 1), 1 / (mean_hinge(inputs) * units))
    return Network(directions, np.zeros(units), outer, np.zeros(1))
