"""What a wide layer with random weights does to how alike two inputs look."""

from __future__ import annotations

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import above, at_least, between, one_of
from chapters_src.networks.activations import ACTIVATIONS
from chapters_src.networks.initialisation.quadrature import gaussian_pair_mean
from chapters_src.networks.initialisation.sizes import next_size

__all__ = ["next_correlation"]


@checked(rho=between(-1, 1), q=above(0), c=above(0), phi=one_of(ACTIVATIONS), bias_variance=at_least(0))
def next_correlation(rho: float, q: float, c: float, phi: str, bias_variance: float = 0.0) -> float:
    """How alike the next layer's pre-activations of two inputs are, whose present ones have size q.

    ρ_{l+1} = (c E φ(a)φ(a′) + v_b) / q_{l+1}                {eq}`eq-initialisation-likeness`

    a and a′ are Gaussian with mean square q and correlation ρ_l.
    """
    size = bare(next_size)(q, c, phi, bias_variance)
    require(size > 0, "q", "leave something of the signal", q)
    together = bare(gaussian_pair_mean)(bare(ACTIVATIONS[phi].value), q, rho)
    return min(max((c * together + bias_variance) / size, -1.0), 1.0)  # rounding must not pass 1
