"""Universal approximation: networks and polynomials built for a function, and how close they come."""

from chapters_src.networks.approximation.hinges import (
    Approximation,
    along,
    approximate,
    curvature_error,
    interpolate,
    lipschitz_error,
    modulus,
    units_needed,
)
from chapters_src.networks.approximation.polynomials import (
    bernstein,
    chebyshev_points,
    monomials,
    polynomial_through,
)
from chapters_src.networks.approximation.sums import cone_variance, mean_hinge, random_cone, stairs

__all__ = [
    "Approximation",
    "along",
    "approximate",
    "bernstein",
    "chebyshev_points",
    "cone_variance",
    "curvature_error",
    "interpolate",
    "lipschitz_error",
    "mean_hinge",
    "modulus",
    "monomials",
    "polynomial_through",
    "random_cone",
    "stairs",
    "units_needed",
]
