"""Samplers of the catalogue beside scipy's, a million numbers (or 100,000 vectors) each, in one run."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from benchmarks._timing import Row, against
from chapters_src.foundations import probability as law

TITLE = "Samplers against scipy, 10⁶ numbers or 10⁵ vectors"

S = np.array([[1.0, 0.3, 0.0], [0.3, 2.0, 0.5], [0.0, 0.5, 1.0]])
SHARES = np.array([0.1, 0.2, 0.3, 0.4])
PAIRS: dict[str, tuple[law.Distribution, Any]] = {
    "Bernoulli": (law.bernoulli(0.3), stats.bernoulli(0.3)),
    "binomial": (law.binomial(20, 0.3), stats.binom(20, 0.3)),
    "geometric": (law.geometric(0.2), stats.geom(0.2)),
    "negative binomial": (law.negative_binomial(3, 0.3), stats.nbinom(3, 0.3)),
    "Poisson": (law.poisson(4.0), stats.poisson(4.0)),
    "uniform": (law.uniform(1.0, 3.0), stats.uniform(1.0, 2.0)),
    "normal": (law.normal(1.0, 4.0), stats.norm(1.0, 2.0)),
    "exponential": (law.exponential(2.0), stats.expon(scale=0.5)),
    "gamma": (law.gamma(2.5, 2.0), stats.gamma(2.5, scale=0.5)),
    "chi-squared": (law.chi_squared(5.0), stats.chi2(5.0)),
    "beta": (law.beta(2.0, 5.0), stats.beta(2.0, 5.0)),
    "Student t": (law.student_t(4.0), stats.t(4.0)),
}
VECTORS: dict[str, tuple[law.Distribution, Any]] = {
    "multinomial": (law.multinomial(10, SHARES), stats.multinomial(10, SHARES)),
    "Dirichlet": (law.dirichlet(4 * SHARES), stats.dirichlet(4 * SHARES)),
    "multivariate normal": (
        law.multivariate_normal(np.zeros(3), S),
        stats.multivariate_normal(np.zeros(3), S),
    ),
    "multivariate t": (law.multivariate_t(np.zeros(3), S, 4.0), stats.multivariate_t(np.zeros(3), S, 4.0)),
}


def rows(n: int = 1_000_000) -> list[Row]:
    """Return the comparisons; the means of both samples have to agree, to six standard errors."""
    found = []
    for pairs, size in ((PAIRS, n), (VECTORS, n // 10)):
        for name, (ours, theirs) in pairs.items():
            found.append(_row(name, ours, theirs, size))
    categorical = law.categorical(SHARES)  # scipy draws it as a multinomial of one trial
    found.append(_row("categorical", categorical, stats.multinomial(1, SHARES), n // 10))
    return found


def _row(name: str, ours: law.Distribution, theirs: Any, n: int) -> Row:
    mine, yours = np.random.default_rng(0), np.random.default_rng(1)

    def draw() -> np.ndarray:
        return ours.sample(n, mine)

    def rvs() -> np.ndarray:
        return theirs.rvs(size=n, random_state=yours)

    shift = 1.0 if name == "geometric" else 0.0  # scipy counts trials, the book failures
    a, b = draw() + shift, rvs()
    error = np.sqrt((a.var(axis=0) + b.var(axis=0)) / n)
    assert (np.abs(a.mean(axis=0) - b.mean(axis=0)) < 6 * error).all(), name
    (row,) = against(draw, {"scipy": rvs}, repeats=7)
    return row._replace(what=name)
