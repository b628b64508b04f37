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
from chapters_src.data.counts import eyes_and_hair, linnerud, ships
from chapters_src.data.generated import disc, line, moons, spiral, swiss_roll, wave
from chapters_src.data.kinds import Crossed, Images, Points, Split, Table
from chapters_src.data.splitting import train_test_split

__all__ = [
    "Crossed",
    "Images",
    "Points",
    "Split",
    "Table",
    "breast_cancer",
    "cholesterol",
    "diabetes",
    "digits",
    "disc",
    "eyes_and_hair",
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
