"""Universal approximation: networks and polynomials built for a function, and how close they come."""

from chapters_src.networks.approximation.hinges import (
    Approximation,
    along,
    approximate,
    curvature_error,
    fewest_regions,
    interpolate,
    lipschitz_error,
    units_needed,
)
from chapters_src.networks.approximation.lifting import (
    bernstein,
    bernstein_error,
    chebyshev_points,
    disc_decision,
    lifted,
    monomials,
    polynomial_through,
)

__all__ = [
    "Approximation",
    "along",
    "approximate",
    "bernstein",
    "bernstein_error",
    "chebyshev_points",
    "curvature_error",
    "disc_decision",
    "fewest_regions",
    "interpolate",
    "lifted",
    "lipschitz_error",
    "monomials",
    "polynomial_through",
    "units_needed",
]
