"""The rules of probability, a catalogue of distributions, maps between them, and Markov chains."""

from chapters_src.foundations.probability.chains import chain_laws, stationary_distribution, walk
from chapters_src.foundations.probability.counts import (
    bernoulli,
    binomial,
    geometric,
    negative_binomial,
    poisson,
)
from chapters_src.foundations.probability.distribution import Distribution
from chapters_src.foundations.probability.gammas import standard_gamma
from chapters_src.foundations.probability.maps import box_muller, ring, ring_log_density
from chapters_src.foundations.probability.reals import (
    beta,
    chi_squared,
    exponential,
    gamma,
    normal,
    student_t,
    uniform,
)
from chapters_src.foundations.probability.tables import conditional, joint, posterior
from chapters_src.foundations.probability.vectors import (
    categorical,
    dirichlet,
    multinomial,
    multivariate_normal,
    multivariate_t,
)

__all__ = [
    "Distribution",
    "bernoulli",
    "beta",
    "binomial",
    "box_muller",
    "categorical",
    "chain_laws",
    "chi_squared",
    "conditional",
    "dirichlet",
    "exponential",
    "gamma",
    "geometric",
    "joint",
    "multinomial",
    "multivariate_normal",
    "multivariate_t",
    "negative_binomial",
    "normal",
    "poisson",
    "posterior",
    "ring",
    "ring_log_density",
    "standard_gamma",
    "stationary_distribution",
    "student_t",
    "uniform",
    "walk",
]
