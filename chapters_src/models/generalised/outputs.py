"""Several outputs of different kinds from the same features: a column of W and a family for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.fit import Fit
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, ndarray
from chapters_src.models.generalised.families import Family
from chapters_src.models.generalised.irls import fit_glm

__all__ = ["fit_outputs", "predicted_means"]


def one_family_each(ask: Ask, families: Any) -> Any:
    """Ask for as many families as there are outputs."""
    K = ask.lengths["K"]
    ask.require(len(families) == K, f"hold {K} families, one per output", f"{len(families)}")
    return families


@checked(families=one_family_each)
def predicted_means(
    X: Float[ndarray, "n d"], W: Float[ndarray, "d K"], families: Sequence[Family]
) -> Float[ndarray, "n K"]:
    """The mean of every output of every row, E[y | x] = g⁻¹(Wᵀx).

    Mᵢₖ = Aₖ′((XW)ᵢₖ)                                 {eq}`eq-generalised-outputs`
    """
    a = X @ W
    return np.column_stack([family.mean(a[:, k]) for k, family in enumerate(families)])


@checked(families=one_family_each, ridge=at_least(0))
def fit_outputs(
    X: Float[ndarray, "n d"], Y: Float[ndarray, "n K"], families: Sequence[Family], ridge: float = 0.0
) -> Fit:
    """Fit W, a column per output; without shared parameters the loss is a sum, and its columns do not mix.

    ∇L(W) = (1/n) [Xᵀ(M − Y) + λW]                    {eq}`eq-generalised-outputs`
    """
    fits = [fit_glm(X, Y[:, k], family, ridge) for k, family in enumerate(families)]
    longest = max(len(fit.losses) for fit in fits)
    losses = sum(np.pad(fit.losses, (0, longest - len(fit.losses)), mode="edge") for fit in fits)
    W = np.column_stack([fit.theta for fit in fits])
    return Fit(W, np.asarray(losses), all(fit.converged for fit in fits), longest - 1)
