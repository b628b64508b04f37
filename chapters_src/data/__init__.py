"""The data of the book: from a package or generated, documented, and never downloaded."""

from chapters_src.data.collected import (
    breast_cancer,
    cholesterol,
    diabetes,
    digits,
    language_reference,
    mnist,
    sprint,
    titanic,
    wine,
)
from chapters_src.data.counts import linnerud, ships
from chapters_src.data.generated import disc, line, moons, spiral, swiss_roll, wave
from chapters_src.data.kinds import Images, Points, Split, Table
from chapters_src.data.splitting import train_test_split

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
    "linnerud",
    "mnist",
    "moons",
    "ships",
    "spiral",
    "sprint",
    "swiss_roll",
    "titanic",
    "train_test_split",
    "wave",
    "wine",
]
