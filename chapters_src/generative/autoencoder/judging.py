"""How good pictures and features are: distances to the data, classes of what fires, two dictionaries."""

from __future__ import annotations

import torch

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.tensor_readers import beside, like
from chapters_src.generative.autoencoder.rows import finite

__all__ = ["best_matches", "commonest_share", "to_nearest"]


@checked(pictures=finite, X=like("pictures"))
def to_nearest(pictures: Float[Tensor, "m d"], X: Float[Tensor, "n d"]) -> Float[Tensor, "m"]:
    """The distance of each picture to the nearest row of X."""
    return torch.cdist(pictures, X).amin(dim=1)


@checked(Z=finite, labels=beside("Z"), top=at_least(1))
def commonest_share(
    Z: Float[Tensor, "n k"], labels: Int[Tensor, "n"], top: int
) -> tuple[Float[Tensor, "..."], Int[Tensor, "..."]]:
    """Of the ``top`` rows that make a column largest, the share that have the commonest label.

    Only columns that are above 0 in at least ``top`` rows count; their numbers come second.
    """
    enough = ((Z > 0).sum(dim=0) >= top).nonzero()[:, 0]
    require(len(enough) > 0, "top", "be small enough for some column", top)
    rows = Z[:, enough].topk(top, dim=0).indices
    found = labels[rows]  # (top, columns)
    counts = torch.stack([(found == label).sum(dim=0) for label in labels.unique()])
    return counts.amax(dim=0) / top, enough


@checked(A=finite, B=like("A"))
def best_matches(A: Float[Tensor, "k d"], B: Float[Tensor, "m d"]) -> Float[Tensor, "k"]:
    """For each row of A the largest cosine with a row of B."""
    unit = torch.nn.functional.normalize
    return (unit(A, dim=1) @ unit(B, dim=1).T).amax(dim=1)
