"""Networks built by hand that fold their input, and what a few folds are enough for."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import at_least, between
from chapters_src.networks.deep.network import DEPTHS, compose
from chapters_src.networks.shallow import Layer

__all__ = ["folding", "squaring", "wedge", "zigzag"]


@checked(pieces=at_least(1), folds=DEPTHS)
def zigzag(pieces: int, folds: int = 1) -> list[Layer]:
    """A network that folds [0, 1] onto itself: one hidden layer of m hinges for each fold, mᴷ pieces in all.

    f(x) = φ(mx) − 2φ(mx − 1) + 2φ(mx − 2) − …         {eq}`eq-deep-zigzag`

    The first hinge stands at 0, the edge, so that only m − 1 joints of a fold lie inside.
    """
    signs = np.where(np.arange(pieces) % 2 == 0, 1.0, -1.0)
    out = np.where(np.arange(pieces) == 0, 1.0, 2.0) * signs
    hinges = Layer(np.full((1, pieces), float(pieces)), -np.arange(float(pieces)))
    return _repeated([hinges, Layer(out[:, None], np.zeros(1))], folds)


@checked(width=at_least(3), depth=DEPTHS)
def folding(width: int, depth: int) -> list[Layer]:
    """K hidden layers of m ≥ 3 hinges with (m + 1)ᴷ linear pieces on [0, 1]: the most there can be.

    Joints of one fold: 1/2m, 1/m, 2/m, …, (m − 1)/m; slopes 2m, −2m, m, −m, …   {eq}`eq-deep-folding`

    All m joints lie inside, so one hinge must open to the left, or the first piece would be flat. The third
    does: its change of slope, −2m, is then the whole slope at the left end. Two hinges cannot do it.
    """
    at = np.concatenate([[1.0], 2.0 * np.arange(1, width)])  # 2m times the joints
    facing = np.where(np.arange(width) == 2, -1.0, 1.0)
    change = np.where(np.arange(width) % 2 == 0, -1.0, 1.0)
    change[:2] = [-2.0, 1.5]  # in units of 2m, which is what each hinge rises by
    # At 0 only the hinge that opens to the left is on. What it adds there is taken off again.
    hinges = Layer(2.0 * width * facing[None, :], -facing * at)
    return _repeated([hinges, Layer(change[:, None], np.array([at[2]]))], depth)


def _repeated(fold: list[Layer], times: int) -> list[Layer]:
    """The same small network again and again, each on the output of the one before."""
    network = fold
    for _ in range(times - 1):
        network = bare(compose)(network, fold)
    return network


@checked(folds=between(1, 25))
def squaring(folds: int) -> list[Layer]:
    """A network for x² on [0, 1] with three hinges per layer, wrong by at most 4^−(K+1) after K folds.

    x² ≈ x − Σₖ gₖ(x)/4ᵏ,  gₖ = the fold in two, k times          {eq}`eq-deep-square`

    Two hinges of a layer fold once more; the third carries the sum so far, which is never negative.
    """
    fold = np.array([1.0, -2.0, 0.0])  # the next g from the three hinges
    sums = [np.array([0.0, 0.0, 1.0]) - fold / 4.0**k for k in range(1, folds + 1)]
    edges = np.array([0.0, -1.0, 0.0])
    first = Layer(np.array([[2.0, 2.0, 1.0]]), edges)
    inner = [Layer(np.column_stack([2 * fold, 2 * fold, so_far]), edges) for so_far in sums[:-1]]
    return [first, *inner, Layer(sums[-1][:, None], np.zeros(1))]


@checked(folds=between(0, 25))
def wedge(folds: int) -> list[Layer]:
    """A network that folds the plane into a wedge of angle π/2 / 2ᶠ, keeping every distance from the origin.

    First both axes, x → (|x₁|, |x₂|) with |a| = φ(a) + φ(−a), then f times along the middle of the wedge.
    """
    both = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
    network = [Layer(both, np.zeros(4)), Layer(np.abs(both).T, np.zeros(2))]
    flip = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -1.0]])  # u is positive already; v and −v give |v|
    for k in range(1, folds + 1):
        c, s = np.cos(np.pi / 2 / 2**k), np.sin(np.pi / 2 / 2**k)
        turned = np.array([[c, -s], [s, c]]) @ flip
        fold = [Layer(turned, np.zeros(3)), Layer(np.abs(flip).T, np.zeros(2))]
        network = bare(compose)(network, fold)
    return network
