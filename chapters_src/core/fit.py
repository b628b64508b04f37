"""What a fit did, the same for all of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from chapters_src.core.shapes import Float, ndarray

__all__ = ["Fit"]


class Fit(NamedTuple):
    """Where a fit ended, the loss after every step (the start first), and whether it came to rest.

    ``theta`` is an array, or a named tuple of arrays where a model has several parts.
    ``path`` holds every θ on the way, where a fit keeps them.
    """

    theta: Any
    losses: Float[ndarray, "t"]
    converged: bool
    steps: int
    path: Float[ndarray, "t *shape"] | None = None
