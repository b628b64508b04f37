"""Many trees instead of one: forests that vote, and boosting that corrects step by step."""

from chapters_src.models.ensembles.boosting import (
    LOSSES,
    Boosted,
    Loss,
    boosted_scores,
    fit_boosting,
    staged_scores,
)
from chapters_src.models.ensembles.fast import fit_boosting_by_ranks, fit_forest_by_ranks
from chapters_src.models.ensembles.forests import (
    Forest,
    fit_forest,
    out_of_bag,
    predict_forest,
    tree_answers,
)
from chapters_src.models.ensembles.importances import impurity_importance, permutation_importance

__all__ = [
    "LOSSES",
    "Boosted",
    "Forest",
    "Loss",
    "boosted_scores",
    "fit_boosting",
    "fit_boosting_by_ranks",
    "fit_forest",
    "fit_forest_by_ranks",
    "impurity_importance",
    "out_of_bag",
    "permutation_importance",
    "predict_forest",
    "staged_scores",
    "tree_answers",
]
