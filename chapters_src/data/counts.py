"""Data whose outputs are counts."""

from __future__ import annotations

import numpy as np

from chapters_src.data.kinds import Crossed, Table

__all__ = ["eyes_and_hair", "linnerud", "ships"]

TYPES, YEARS, PERIODS = "ABCDE", (1960, 1965, 1970, 1975), (1960, 1975)

# Months of service and incidents: a row per type; in it, for each year of construction, both periods.
DAMAGE = (
    ((127, 0), (63, 0), (1095, 3), (1095, 4), (1512, 6), (3353, 18), (0, 0), (2244, 11)),
    ((44882, 39), (17176, 29), (28609, 58), (20370, 53), (7064, 12), (13099, 44), (0, 0), (7117, 18)),
    ((1179, 1), (552, 1), (781, 0), (676, 1), (783, 6), (1948, 2), (0, 0), (274, 1)),
    ((251, 0), (105, 0), (288, 0), (192, 0), (349, 2), (1208, 11), (0, 0), (2051, 4)),
    ((45, 0), (0, 0), (789, 7), (437, 7), (1157, 5), (2161, 12), (0, 0), (542, 1)),
)


def ships() -> Table:
    """Damage to cargo ships by waves: incidents in 34 groups of ships, and how long each group was at sea.

    Columns: type 0 to 4 (for A to E), first year of construction (five years each), first year of the period
    (1960 to 1974 or 1975 to 1979) and months of service of all ships of the group together. Groups that never
    sailed are left out. From McCullagh and Nelder, "Generalized Linear Models", second edition, section 6.3.2
    (1989), with data of Lloyd's Register of Shipping; every cell agrees with ``ships`` in the R package MASS.
    """
    cells = [(year, period) for year in YEARS for period in PERIODS]
    rows = [
        (kind, year, period, months, incidents)
        for kind, row in enumerate(DAMAGE)
        for (year, period), (months, incidents) in zip(cells, row, strict=True)
        if months > 0
    ]
    table = np.array(rows, dtype=np.float64)
    return Table(
        table[:, :4].copy(),
        table[:, 4].copy(),
        ("type", "year", "period", "months"),
        "incidents",
        tuple(TYPES),
    )


EYES, HAIR = ("blue", "light", "medium", "dark"), ("fair", "red", "medium", "dark", "black")
CAITHNESS = ((326, 38, 241, 110, 3), (688, 116, 584, 188, 4), (343, 84, 909, 412, 26), (98, 48, 403, 681, 85))


def eyes_and_hair() -> Crossed:
    """The colours of the eyes (rows) and of the hair (columns) of 5,387 children in Caithness, Scotland.

    From R. A. Fisher, "The precision of discriminant functions", Annals of Eugenics 10 (1940); every cell
    agrees with ``caith`` in the R package MASS.
    """
    return Crossed(np.array(CAITHNESS, dtype=np.int64), EYES, HAIR)


def linnerud() -> Table:
    """Twenty men of a fitness club: how many chin-ups each managed, and what else was counted and measured.

    Columns: weight in pounds, waist in inches, pulse in beats per minute, sit-ups, jumps. Ships with
    scikit-learn; the data are A. C. Linnerud's, printed by Tenenhaus, "La régression PLS" (1998).
    """
    from sklearn.datasets import load_linnerud

    bunch = load_linnerud()
    X = np.column_stack([bunch.target, bunch.data[:, 1:]]).astype(np.float64)
    columns = ("weight", "waist", "pulse", "sit-ups", "jumps")
    return Table(X, bunch.data[:, 0].astype(np.float64), columns, "chin-ups")
