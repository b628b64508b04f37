"""Data drawn from a formula, with the generator that is handed in."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.data.kinds import Points, Table

__all__ = ["disc", "line", "moons", "spiral", "swiss_roll", "wave"]


@checked(n=at_least(1), noise=at_least(0))
def line(n: int, slope: float, intercept: float, noise: float, rng: np.random.Generator) -> Points:
    """`n` generated points on a line with x uniform on [−1, 1] and Gaussian noise of that standard deviation.

    y = intercept + slope·x + noise·ε,  ε ~ N(0, 1)
    """
    x = rng.uniform(-1.0, 1.0, n)
    truth = intercept + slope * x
    return Points(x, truth + noise * rng.standard_normal(n), truth)


@checked(n=at_least(1), noise=at_least(0))
def wave(n: int, noise: float, rng: np.random.Generator) -> Points:
    """`n` generated points on one period of a sine with x uniform on [0, 1] and Gaussian noise.

    y = sin 2πx + noise·ε,  ε ~ N(0, 1)
    """
    x = rng.uniform(0.0, 1.0, n)
    truth = np.sin(2 * np.pi * x)
    return Points(x, truth + noise * rng.standard_normal(n), truth)


@checked(n=at_least(2), noise=at_least(0))
def moons(n: int, noise: float, rng: np.random.Generator) -> Table:
    """`n` generated points on two interleaved half circles (classes 0 and 1), with noise on both axes.

    Angles are uniform; the classes alternate, so that they differ by one at most.
    """
    y = np.arange(n) % 2
    angle = rng.uniform(0.0, np.pi, n)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)
    X = np.where(y[:, None] == 0, upper, lower) + noise * rng.standard_normal((n, 2))
    return Table(X, y, ("x1", "x2"), "moon", ("upper", "lower"))


@checked(n=at_least(1), noise=at_least(0))
def disc(n: int, noise: float, rng: np.random.Generator) -> Table:
    """`n` generated points of the plane, inside (1) or outside (0) the unit circle, with noise on both axes.

    Before the noise the points are spread evenly over the disc of radius √2, which has twice the area of the
    unit disc: both classes are as likely. A point keeps the class of the place it was moved from.
    """
    squared_radius = rng.uniform(0.0, 2.0, n)
    angle = rng.uniform(0.0, 2 * np.pi, n)
    clean = np.sqrt(squared_radius)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    X = clean + noise * rng.standard_normal((n, 2))
    y = (squared_radius < 1.0).astype(np.int64)
    return Table(X, y, ("x1", "x2"), "side", ("outside", "inside"))


@checked(n=at_least(2), noise=at_least(0), arms=at_least(2))
def spiral(n: int, noise: float, rng: np.random.Generator, arms: int = 2, turns: float = 1.0) -> Table:
    """`n` generated points on spiral arms about the origin, a class each, with noise on both axes.

    At distance r, uniform on [0.1, 1], arm k is at the angle 2π(turns·r + k/arms). The classes alternate, so
    that they differ by one at most.
    """
    y = np.arange(n) % arms
    r = rng.uniform(0.1, 1.0, n)
    angle = 2 * np.pi * (turns * r + y / arms)
    X = r[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1) + noise * rng.standard_normal((n, 2))
    return Table(X, y, ("x1", "x2"), "arm", tuple(f"arm {k}" for k in range(arms)))


@checked(n=at_least(1), noise=at_least(0))
def swiss_roll(n: int, noise: float, rng: np.random.Generator) -> Table:
    """`n` generated points on a spiral of one and a half turns, about two units wide; `y` is the angle.

    (x₁, x₂) = a·(cos a, sin a)/7 + noise·ε,  a uniform on [1.5π, 4.5π]

    The 7 makes both columns have a standard deviation of about 1, as a diffusion expects of its data.
    """
    angle = rng.uniform(1.5 * np.pi, 4.5 * np.pi, n)
    curve = angle[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1) / 7
    return Table(curve + noise * rng.standard_normal((n, 2)), angle, ("x1", "x2"), "angle")
