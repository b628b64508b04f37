"""Random inputs for derivations: each is described once and drawn afresh for every trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.studio.checks import fail, integer, number

__all__ = ["Sampler", "covariance", "integers", "normal", "positive", "probabilities", "uniform"]

Shape = tuple[int, ...]
SIGNED = (1.0, -3.0, 0.2)
UNSIGNED = (1.0, 3.0, 0.2)


@dataclass(frozen=True)
class Sampler:
    """A distribution with a shape: called with a generator, it gives one value.

    ``scales`` are factors that leave a value what the sampler promises, for inputs unlike the usual ones.
    """

    name: str
    draw: Callable[[np.random.Generator, Shape], Any]
    shape: Shape = ()
    scales: tuple[float, ...] = (1.0,)

    def __call__(self, rng: np.random.Generator) -> Any:
        return self.draw(rng, self.shape)

    def unlike(self, rng: np.random.Generator, sizes: dict[int, int], turn: int) -> Any:
        """A value with other sizes, and of another sign or scale where the sampler allows it."""
        value = self.draw(rng, tuple(sizes.get(side, side) for side in self.shape))
        scale = self.scales[turn % len(self.scales)]
        return value if scale == 1 else scale * value

    def __repr__(self) -> str:
        return self.name


def normal(*shape: int) -> Sampler:
    """Independent standard normal numbers; one number if no shape is given."""
    return Sampler(
        _name("normal", *shape),
        lambda rng, size: _value(rng.normal(size=size)),
        _size("normal", shape),
        SIGNED,
    )


def uniform(low: float, high: float, *shape: int) -> Sampler:
    """Numbers spread evenly from ``low`` to ``high``."""
    number("uniform", "low", low, below=number("uniform", "high", high))
    return Sampler(
        _name("uniform", low, high, *shape),
        lambda rng, size: _value(rng.uniform(low, high, size)),
        _size("uniform", shape),
    )


def positive(*shape: int) -> Sampler:
    """Positive numbers from about 0.1 to 10: exp of a standard normal."""
    return Sampler(
        _name("positive", *shape),
        lambda rng, size: _value(np.exp(rng.normal(size=size))),
        _size("positive", shape),
        UNSIGNED,
    )


def integers(low: int, high: int, *shape: int) -> Sampler:
    """Whole numbers from ``low`` to ``high`` − 1, as in numpy."""
    integer("integers", "high", high, at_least=integer("integers", "low", low) + 1)

    def draw(rng: np.random.Generator, size: Shape) -> Any:
        values = rng.integers(low, high, size)
        return values if size else int(values)  # a plain int, so that it can be an index or an exponent

    return Sampler(_name("integers", low, high, *shape), draw, _size("integers", shape))


def probabilities(*shape: int) -> Sampler:
    """Positive numbers that sum to 1 along the last axis, evenly spread over the simplex."""
    if not shape:
        fail("probabilities", "shape", "have at least one axis", "none")

    def draw(rng: np.random.Generator, size: Shape) -> np.ndarray:
        return rng.dirichlet(np.ones(size[-1]), size[:-1] or None)

    return Sampler(_name("probabilities", *shape), draw, _size("probabilities", shape))


def covariance(d: int) -> Sampler:
    """A symmetric positive definite (d, d) matrix that is far from singular."""
    integer("covariance", "d", d, at_least=1)

    def draw(rng: np.random.Generator, size: Shape) -> np.ndarray:
        A = rng.normal(size=size)
        return A @ A.T / len(A) + 0.2 * np.eye(len(A))

    return Sampler(_name("covariance", d), draw, (d, d), UNSIGNED)


def _size(caller: str, shape: Shape) -> Shape:
    return tuple(integer(caller, "shape", side, at_least=1) for side in shape)


def _name(kind: str, *arguments: object) -> str:
    return f"{kind}({', '.join(map(str, arguments))})"


def _value(drawn: Any) -> Any:
    return drawn if np.ndim(drawn) else float(drawn)
