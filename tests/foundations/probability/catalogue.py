"""The distributions of the chapter beside scipy's."""

from __future__ import annotations

import numpy as np
from scipy import stats

from chapters_src.foundations import probability as law

SHARES = np.array([0.1, 0.2, 0.0, 0.7])
ALPHA = np.array([0.5, 2.0, 3.5])
MEAN = np.array([1.0, -2.0])
S = np.array([[2.0, 0.6], [0.6, 0.5]])

COUNTS = {
    "bernoulli": (law.bernoulli(0.3), stats.bernoulli(0.3)),
    "certain": (law.bernoulli(1.0), stats.bernoulli(1.0)),
    "binomial": (law.binomial(12, 0.35), stats.binom(12, 0.35)),
    "many trials": (law.binomial(100_000, 0.4), stats.binom(100_000, 0.4)),
    "geometric": (law.geometric(0.2), stats.geom(0.2, -1)),
    "rarely": (law.geometric(1e-6), stats.geom(1e-6, -1)),
    "negative binomial": (law.negative_binomial(3, 0.4), stats.nbinom(3, 0.4)),
    "clumps": (law.negative_binomial(0.3, 0.05), stats.nbinom(0.3, 0.05)),
    "poisson": (law.poisson(4.5), stats.poisson(4.5)),
    "many events": (law.poisson(1e6), stats.poisson(1e6)),
}
REALS = {
    "uniform": (law.uniform(-1.0, 3.0), stats.uniform(-1.0, 4.0)),
    "normal": (law.normal(2.0, 9.0), stats.norm(2.0, 3.0)),
    "exponential": (law.exponential(0.5), stats.expon(scale=2.0)),
    "gamma": (law.gamma(2.5, 3.0), stats.gamma(2.5, scale=1 / 3)),
    "gamma below 1": (law.gamma(0.3), stats.gamma(0.3)),
    "chi-squared": (law.chi_squared(5), stats.chi2(5)),
    "beta": (law.beta(2.0, 5.0), stats.beta(2.0, 5.0)),
    "beta below 1": (law.beta(0.4, 0.7), stats.beta(0.4, 0.7)),
    "t": (law.student_t(5), stats.t(5)),
    "cauchy": (law.student_t(1), stats.t(1)),
}
VECTORS = {
    "categorical": law.categorical(SHARES),
    "multinomial": law.multinomial(7, SHARES),
    "dirichlet": law.dirichlet(ALPHA),
    "multivariate normal": law.multivariate_normal(MEAN, S),
    "multivariate t": law.multivariate_t(MEAN, S, 9.0),
}


class Given(np.random.Generator):
    """A generator that returns the uniform numbers it was given."""

    def __init__(self, u):
        super().__init__(np.random.PCG64(0))
        self.u = np.asarray(u, dtype=float)

    def random(self, shape):
        return self.u.reshape(shape)
