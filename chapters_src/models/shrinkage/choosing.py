"""Choosing the strength of a penalty on data that the fit has not seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import Ask, at_least, squares_that_fit
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["cross_validation", "folds", "leave_one_out", "standardiser"]


@checked(n=at_least(2), k=at_least(2))
def folds(n: int, k: int, rng: np.random.Generator) -> list[Int[ndarray, "_"]]:
    """Deal the row numbers 0 … n − 1 at random into k parts of nearly equal size."""
    require(k <= n, "k", f"be at most {n}, so that no part is empty", k)
    return np.array_split(rng.permutation(n), k)


def _two_rows(ask: Ask, X: ndarray) -> ndarray:
    ask.require(len(X) >= 2, "have two rows or more", len(X))
    return squares_that_fit(ask, X)


@checked(X=_two_rows)
def standardiser(X: Float[ndarray, "n d"]) -> Callable[..., Float[ndarray, "m d"]]:
    """The map that gives each column of X mean 0 and spread 1, for X and for rows that come later.

    A column that never varies is only centred.
    """
    mean, spread = X.mean(axis=0), X.std(axis=0)
    return lambda rows: (rows - mean) / np.where(spread > 0, spread, 1.0)


@checked(X=_two_rows, y=squares_that_fit, lams=at_least(0), k=at_least(2))
def cross_validation(
    path: Callable[..., Float[ndarray, "m d"]],
    X: Float[ndarray, "n d"],
    y: Float[ndarray, "n"],
    lams: Float[ndarray, "m"],
    k: int,
    rng: np.random.Generator,
) -> Float[ndarray, "k m"]:
    """The mean squared error on each of k parts, of fits to the other parts; each column is one penalty.

    ``path(X, y, lams)`` returns the coefficients for each penalty. Columns are standardised and y is centred
    by what the fit may see; the part held out has no say in it.
    """
    errors = []
    for held_out in bare(folds)(len(X), k, rng):
        seen = np.setdiff1d(np.arange(len(X)), held_out)
        scale, centre = standardiser(X[seen]), y[seen].mean()
        thetas = path(scale(X[seen]), y[seen] - centre, lams)
        predictions = centre + scale(X[held_out]) @ thetas.T
        errors.append(((y[held_out][:, None] - predictions) ** 2).mean(axis=0))
    return np.array(errors)


@checked(X=squares_that_fit, y=squares_that_fit, ridge=at_least(0))
def leave_one_out(
    X: Float[ndarray, "n d"], y: Float[ndarray, "n"], ridge: float = 0.0, centred: bool = False
) -> Float[ndarray, "n"]:
    """The error on each row of the ridge fit to all the others, from one fit to all of them.

    (yᵢ − ŷᵢ) / (1 − hᵢᵢ),  H = X(XᵀX + λI)⁻¹Xᵀ       {eq}`eq-shrinkage-leave-one-out`

    If X and y were ``centred``, an intercept was fitted with them, which adds 1/n to every leverage hᵢᵢ.
    """
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    keep = s > np.finfo(float).eps * max(X.shape) * s[0]
    U, s = U[:, keep], s[keep]
    U_shrunk = U * (s**2 / (s**2 + ridge))
    leverage = (U * U_shrunk).sum(axis=1) + (1 / len(X) if centred else 0.0)
    alone = int(leverage.argmax())
    rule = "leave every row predictable from the others"
    require(leverage[alone] < 1 - 1e-10, "X", rule, f"row {alone}, which alone decides a coefficient")
    return (y - U_shrunk @ (U.T @ y)) / (1 - leverage)
