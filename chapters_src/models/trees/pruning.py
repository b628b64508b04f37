"""Cutting a tree back: the branch that earns least per leaf goes first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.trees.tree import Tree

__all__ = ["PruningPath", "pruned", "pruning_path"]


class PruningPath(NamedTuple):
    """The prices α at which a branch is cut, and cost and number of leaves of the tree from each price on.

    ``cut_at`` is the price at which a node becomes a leaf or goes with a branch above it; ∞ for leaves.
    """

    alphas: Float[ndarray, "s"]
    costs: Float[ndarray, "s"]
    leaves: Int[ndarray, "s"]
    cut_at: Float[ndarray, "m"]


@checked
def pruning_path(tree: Tree) -> PruningPath:
    """Cut the weakest link again and again, until the root alone is left.

    g(t) = (R(t) − R(T_t)) / (|T_t| − 1)                {eq}`eq-trees-weakest-link`

    One branch is cut per step, so an α stands twice where two branches are equally weak.
    """
    m = len(tree.feature)
    parent, size, leaves = np.full(m, -1), np.ones(m, int), np.ones(m, int)
    R = tree.weight / tree.weight[0] * tree.impurity  # what each node costs as a leaf
    branch = R.copy()  # what the leaves below it cost together
    for t in np.flatnonzero(~tree.is_leaf)[::-1]:
        children = [tree.left[t], tree.right[t]]
        parent[children] = t
        size[t] = 1 + size[children].sum()
        leaves[t], branch[t] = leaves[children].sum(), branch[children].sum()
    inner, cut_at = ~tree.is_leaf, np.full(m, np.inf)
    alphas, costs, counts = [0.0], [branch[0]], [leaves[0]]
    while inner[0]:
        g = np.where(inner, (R - branch) / np.maximum(leaves - 1, 1), np.inf)
        t = int(g.argmin())
        alphas.append(max(g[t], alphas[-1]))  # rounding aside, no price is below the one before
        saved, gone, s = R[t] - branch[t], leaves[t] - 1, t
        while s >= 0:  # the branch counts in all the branches above it
            branch[s], leaves[s], s = branch[s] + saved, leaves[s] - gone, parent[s]
        below = slice(t, t + size[t])
        cut_at[below][inner[below]] = alphas[-1]
        inner[below] = False
        costs.append(branch[0])
        counts.append(leaves[0])
    return PruningPath(np.array(alphas), np.array(costs), np.array(counts), cut_at)


@checked(alpha=at_least(0))
def pruned(tree: Tree, alpha: float, path: PruningPath | None = None) -> Tree:
    """The smallest subtree with the least R(T) + α|T|; ``path`` is the tree's path, if at hand.

    R_α(T) = R(T) + α|T|                                {eq}`eq-trees-cost`
    """
    cut = (pruning_path(tree) if path is None else path).cut_at <= alpha
    require(len(cut) == len(tree.feature), "path", f"be of this tree, {len(tree.feature)} nodes", len(cut))
    kept = np.ones(len(cut), bool)
    for t in np.flatnonzero(~tree.is_leaf):
        kept[[tree.left[t], tree.right[t]]] = kept[t] and not cut[t]
    number, leaf = kept.cumsum() - 1, (cut | tree.is_leaf)[kept]
    part = Tree(*(array[kept] for array in tree))
    return part._replace(
        feature=np.where(leaf, -1, part.feature),
        threshold=np.where(leaf, 0.0, part.threshold),
        left=np.where(leaf, -1, number[part.left]),
        right=np.where(leaf, -1, number[part.right]),
        missing_left=part.missing_left & ~leaf,
    )
