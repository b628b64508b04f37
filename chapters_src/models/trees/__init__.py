"""Decision and regression trees: impurities, best splits, growing and pruning."""

from chapters_src.models.trees.fast import column_ranks, fit_tree_by_ranks
from chapters_src.models.trees.growing import fit_tree
from chapters_src.models.trees.pruning import PruningPath, pruned, pruning_path
from chapters_src.models.trees.splits import IMPURITIES, Split, best_split, gini
from chapters_src.models.trees.tree import Tree, leaf_boxes, leaf_of, predict_tree

__all__ = [
    "IMPURITIES",
    "PruningPath",
    "Split",
    "Tree",
    "best_split",
    "column_ranks",
    "fit_tree",
    "fit_tree_by_ranks",
    "gini",
    "leaf_boxes",
    "leaf_of",
    "predict_tree",
    "pruned",
    "pruning_path",
]
