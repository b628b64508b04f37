"""Data drawn from a formula, with the generator that is handed in."""

from __future__ import annotations

import numpy as np

from chapters_src.core import checks
from chapters_src.data.kinds import Points, Table

__all__ = ["disc", "line", "moons", "spiral", "swiss_roll", "wave"]


def line(n: int, slope: float, intercept: float, noise: float, rng: np.random.Generator) -> Points:
    """`n` generated points on a line with x uniform on [−1, 1] and Gaussian noise of that standard deviation.

    y = intercept + slope·x + noise·ε,  ε ~ N(0, 1)
    """
    n = checks.integer("line", "n", n, at_least=1)
    slope = checks.number("line", "slope", slope)
    intercept = checks.number("line", "intercept", intercept)
    noise = checks.number("line", "noise", noise, at_least=0)
    rng = checks.generator("line", "rng", rng)
    x = rng.uniform(-1.0, 1.0, n)
    truth = intercept + slope * x
    return Points(x, truth + noise * rng.standard_normal(n), truth)


def wave(n: int, noise: float, rng: np.random.Generator) -> Points:
    """`n` generated points on one period of a sine with x uniform on [0, 1] and Gaussian noise.

    y = sin 2πx + noise·ε,  ε ~ N(0, 1)
    """
    n = checks.integer("wave", "n", n, at_least=1)
    noise = checks.number("wave", "noise", noise, at_least=0)
    rng = checks.generator("wave", "rng", rng)
    x = rng.uniform(0.0, 1.0, n)
    truth = np.sin(2 * np.pi * x)
    return Points(x, truth + noise * rng.standard_normal(n), truth)


def moons(n: int, noise: float, rng: np.random.Generator) -> Table:
    """`n` generated points on two interleaved half circles (classes 0 and 1), with noise on both axes.

    Angles are uniform; the classes alternate, so that they differ by one at most.
    """
    n = checks.integer("moons", "n", n, at_least=2)
    noise = checks.number("moons", "noise", noise, at_least=0)
    rng = checks.generator("moons", "rng", rng)
    y = np.arange(n) % 2
    angle = rng.uniform(0.0, np.pi, n)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)
    X = np.where(y[:, None] == 0, upper, lower) + noise * rng.standard_normal((n, 2))
    return Table(X, y, ("x1", "x2"), "moon", ("upper", "lower"))


def disc(n: int, noise: float, rng: np.random.Generator) -> Table:
    """`n` generated points of the plane, inside (1) or outside (0) the unit circle, with noise on both axes.

    Before the noise the points are spread evenly over the disc of radius √2, which has twice the area of the
    unit disc: both classes are as likely. A point keeps the class of the place it was moved from.
    """
    n = checks.integer("disc", "n", n, at_least=1)
    noise = checks.number("disc", "noise", noise, at_least=0)
    rng = checks.generator("disc", "rng", rng)
    squared_radius = rng.uniform(0.0, 2.0, n)
    angle = rng.uniform(0.0, 2 * np.pi, n)
    clean = np.sqrt(squared_radius)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    X = clean + noise * rng.standard_normal((n, 2))
    y = (squared_radius < 1.0).astype(np.int64)
    return Table(X, y, ("x1", "x2"), "side", ("outside", "inside"))


def spiral(n: int, noise: float, rng: np.random.Generator, arms: int = 2, turns: float = 1.0) -> Table:
    """`n` generated points on spiral arms about the origin, a class each, with noise on both axes.

    At distance r, uniform on [0.1, 1], arm k is at the angle 2π(turns·r + k/arms). The classes alternate, so
    that they differ by one at most.
    """
    n = checks.integer("spiral", "n", n, at_least=2)
    noise = checks.number("spiral", "noise", noise, at_least=0)
    rng = checks.generator("spiral", "rng", rng)
    arms = checks.integer("spiral", "arms", arms, at_least=2)
    turns = checks.number("spiral", "turns", turns)
    y = np.arange(n) % arms
    r = rng.uniform(0.1, 1.0, n)
    angle = 2 * np.pi * (turns * r + y / arms)
    X = r[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1) + noise * rng.standard_normal((n, 2))
    return Table(X, y, ("x1", "x2"), "arm", tuple(f"arm {k}" for k in range(arms)))


def swiss_roll(n: int, noise: float, rng: np.random.Generator) -> Table:
    """`n` generated points on a spiral of one and a half turns, about two units wide; `y` is the angle.

    (x₁, x₂) = a·(cos a, sin a)/7 + noise·ε,  a uniform on [1.5π, 4.5π]

    The 7 makes both columns have a standard deviation of about 1, as a diffusion expects of its data.
    """
    n = checks.integer("swiss_roll", "n", n, at_least=1)
    noise = checks.number("swiss_roll", "noise", noise, at_least=0)
    rng = checks.generator("swiss_roll", "rng", rng)
    angle = rng.uniform(1.5 * np.pi, 4.5 * np.pi, n)
    curve = angle[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1) / 7
    return Table(curve + noise * rng.standard_normal((n, 2)), angle, ("x1", "x2"), "angle")
