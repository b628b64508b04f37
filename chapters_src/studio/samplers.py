"""Random inputs for derivations: each is described once and drawn afresh for every trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.core.checks import fail, integer, number

__all__ = ["Sampler", "covariance", "integers", "normal", "positive", "probabilities", "uniform"]


@dataclass(frozen=True)
class Sampler:
    """A distribution with a shape: called with a generator, it gives one value."""

    name: str
    draw: Callable[[np.random.Generator], Any]

    def __call__(self, rng: np.random.Generator) -> Any:
        return self.draw(rng)

    def __repr__(self) -> str:
        return self.name


def normal(*shape: int) -> Sampler:
    """Independent standard normal numbers; one number if no shape is given."""
    size = _size("normal", shape)
    return Sampler(_name("normal", *shape), lambda rng: _value(rng.normal(size=size)))


def uniform(low: float, high: float, *shape: int) -> Sampler:
    """Numbers spread evenly from ``low`` to ``high``."""
    number("uniform", "low", low, below=number("uniform", "high", high))
    size = _size("uniform", shape)
    return Sampler(_name("uniform", low, high, *shape), lambda rng: _value(rng.uniform(low, high, size)))


def positive(*shape: int) -> Sampler:
    """Positive numbers from about 0.1 to 10: exp of a standard normal."""
    size = _size("positive", shape)
    return Sampler(_name("positive", *shape), lambda rng: _value(np.exp(rng.normal(size=size))))


def integers(low: int, high: int, *shape: int) -> Sampler:
    """Whole numbers from ``low`` to ``high`` − 1, as in numpy."""
    integer("integers", "high", high, at_least=integer("integers", "low", low) + 1)
    size = _size("integers", shape)

    def draw(rng: np.random.Generator) -> Any:
        values = rng.integers(low, high, size)
        return values if size else int(values)  # a plain int, so that it can be an index or an exponent

    return Sampler(_name("integers", low, high, *shape), draw)


def probabilities(*shape: int) -> Sampler:
    """Positive numbers that sum to 1 along the last axis, evenly spread over the simplex."""
    if not shape:
        fail("probabilities", "shape", "have at least one axis", "none")
    *rows, k = _size("probabilities", shape)
    return Sampler(_name("probabilities", *shape), lambda rng: rng.dirichlet(np.ones(k), tuple(rows) or None))


def covariance(d: int) -> Sampler:
    """A symmetric positive definite (d, d) matrix that is far from singular."""
    integer("covariance", "d", d, at_least=1)

    def draw(rng: np.random.Generator) -> np.ndarray:
        A = rng.normal(size=(d, d))
        return A @ A.T / d + 0.2 * np.eye(d)

    return Sampler(_name("covariance", d), draw)


def _size(caller: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(integer(caller, "shape", side, at_least=1) for side in shape)


def _name(kind: str, *arguments: object) -> str:
    return f"{kind}({', '.join(map(str, arguments))})"


def _value(drawn: Any) -> Any:
    return drawn if np.ndim(drawn) else float(drawn)
